import ArgumentParser
import Foundation
import NearbySimulation
import UWBCapture
import UWBReport

/// `uwb evaluate scenarios`: rooms played through, and what delegates were told held against the truth.
struct EvaluateScenariosCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenarios", abstract: "Play scenario files and compare the delegates' events with the truth.",
    discussion: """
      Distances and directions are scored where nothing stands between the two, the device's own body included. Fails, with status 1, where an expected
      event did not come in its time or a value was given that a rule says is nil.

      EXAMPLE
        uwb evaluate scenarios Scenarios/*.yaml
      """)

  @Argument(help: ArgumentHelp("Scenario files.", valueName: "file.yaml"))
  var files: [String]

  @Option(help: "table or ndjson.")
  var output = TableOutput.table

  @Option(help: "Seed in place of the files' own.")
  var seed: UInt64?

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  /// Hosts let time pass that often in a room, s; a timeout comes out no later.
  private static let heartbeat = 0.06

  func run() throws {
    try FileUse(files: files, outputs: [page.report]).check()
    let report = page.begin(captures: files)
    var scores: [RoomScore] = []
    let bytes = ByteOutput()
    if output == .table {
      try bytes.write(
        """
        | scenario | updates | distance rms, m | largest, m | direction rms, ° | through the body, m | clear but nil | nil by rule | given against a rule | timeouts, largest s off | events in time |
        |---|---|---|---|---|---|---|---|---|---|---|

        """)
    }
    var failed = false
    for file in files {
      var scenario = try ScenarioFile.read(file)
      if let seed { scenario.seed = seed }
      var score = try RoomScore(scenario)
      var progress = Progress(file, totalBytes: Int(scenario.duration.rounded(.up)), unit: "s")
      try ScriptedApps(scenario).play { event in
        score.take(event)
        progress.update(bytes: Int(event.time), exchanges: Int(event.time))
      }
      progress.finish()
      scores.append(score)
      let met = score.outcomes.count(where: \.isMet)
      if met < score.outcomes.count || score.wronglyGiven > 0 || score.largestTimeoutError > Self.heartbeat {
        failed = true
      }
      switch output {
      case .table: try bytes.write(row(score, met))
      case .ndjson: try bytes.write(FigureLines.object(Self.figures(score)))
      }
      try bytes.flush()
      for outcome in score.outcomes where !outcome.isMet { Message.write("\(file), expect: \(Self.text(outcome))") }
      if let event = score.firstWronglyGiven { Message.write("\(file): \(Self.text(givenAgainstRule: event))") }
    }
    try report?.write { Self.page(scores, isFailed: failed, $0) }
    if failed { throw ExitCode(1) }
  }

  private static func text(_ outcome: RoomScore.Outcome) -> String {
    let e = outcome.expectation
    let came = outcome.time.map { String(format: "came at %.2f s", $0) } ?? "did not come"
    return "\(e.device) of \(e.peer): \(e.kind.rawValue) at \(e.time) ± \(e.tolerance) s \(came)."
  }

  private static func text(givenAgainstRule event: RoomEvent) -> String {
    var given = ""
    if case .told(.updated(let objects)) = event.kind, let object = objects.first {
      if let distance = object.distance { given += String(format: " distance %.2f m", distance) }
      if let direction = object.direction { given += " direction \(text(direction))" }
    }
    let truth = event.truth.map { String(format: "%.2f m, ", $0.distance) + text($0.direction) } ?? "unknown"
    return String(format: "at %.2f s, ", event.time)
      + "\(event.device) of \(event.peer) was given\(given), though a rule says nil. True: \(truth)."
  }

  private static func text(_ direction: SIMD3<Double>) -> String {
    String(format: "(%.2f, %.2f, %.2f)", direction.x, direction.y, direction.z)
  }

  private static func page(_ scores: [RoomScore], isFailed: Bool, _ provenance: [Page.Fact]) -> Page {
    let outcomes = scores.flatMap(\.outcomes)
    let missed = scores.flatMap { score in
      score.outcomes.filter { !$0.isMet }.map { Page.Block.text("\(score.name): \(text($0))") }
    }
    let met = outcomes.count(where: \.isMet)
    var page = Page(
      title: "Scenarios against the truth",
      sentence:
        "\(scores.count) scenario\(scores.count == 1 ? "" : "s"), \(scores.reduce(0) { $0 + $1.updates }) updates: \(met) of \(outcomes.count) "
        + "expected events came in time, \(scores.reduce(0) { $0 + $1.wronglyGiven }) values were given against a rule. "
        + (isFailed ? "Not all holds." : "All holds."),
      picture: PagePicture(
        "Errors of distances.", unit: "m",
        bars: scores.map { score in
          .init(
            score.name, value: score.distanceRMS,
            extent: score.distanceRMS.flatMap { rms in score.largestDistanceError.map { min(rms, $0)...max(rms, $0) } })
        }, caption: "Dot: RMS error of distances in line of sight; the bar ends at the largest."),
      provenance: provenance)
    let directions = PagePicture(
      "Errors of directions.", unit: "°",
      bars: scores.map { score in
        let rms = score.directionRMS?.degrees
        return .init(score.name, value: rms, extent: rms.map { 0...$0 })
      }, caption: "RMS error of directions in line of sight.")
    if let directions { page.sections.append(.init("Directions", [.picture(directions)])) }
    if !missed.isEmpty { page.sections.append(.init("Events that did not come in their time", missed)) }
    page.sections.append(.init("All figures", [.table(PageTable(figures: scores.map(figures)))]))
    return page
  }

  private func row(_ score: RoomScore, _ met: Int) -> String {
    func text(_ value: Double?, _ format: String) -> String { value.map { String(format: format, $0) } ?? "–" }
    return "| \(score.name) | \(score.updates) | \(text(score.distanceRMS, "%.3f"))"
      + " | \(text(score.largestDistanceError, "%.3f")) | \(text(score.directionRMS?.degrees, "%.2f"))"
      + " | \(text(score.shadowedDistanceRMS, "%.3f")) | \(score.missingDistances) / \(score.missingDirections) | \(score.mustBeNil) | \(score.wronglyGiven)"
      + " | \(score.timeouts), \(text(score.timeouts > 0 ? score.largestTimeoutError : nil, "%.2f"))"
      + " | \(met) of \(score.outcomes.count) |\n"
  }

  private static func figures(_ score: RoomScore) -> [FigureLines.Figure] {
    [
      ("scenario", .text(score.name)), ("updates", .count(score.updates)), ("distances", .count(score.distanceCount)),
      ("distance_rms_m", .number(score.distanceRMS, places: 4)),
      ("largest_distance_error_m", .number(score.largestDistanceError, places: 4)),
      ("directions", .count(score.directionCount)),
      ("direction_rms_deg", .number(score.directionRMS?.degrees, places: 3)),
      ("shadowed_distances", .count(score.shadowedCount)),
      ("shadowed_distance_rms_m", .number(score.shadowedDistanceRMS, places: 4)),
      ("clear_without_distance", .count(score.missingDistances)),
      ("clear_without_direction", .count(score.missingDirections)), ("nil_by_rule", .count(score.mustBeNil)),
      ("given_against_rule", .count(score.wronglyGiven)), ("timeouts", .count(score.timeouts)),
      ("largest_timeout_error_s", .number(score.largestTimeoutError, places: 3)),
      ("expected_events", .count(score.outcomes.count)),
      ("events_in_time", .count(score.outcomes.count(where: \.isMet))),
    ]
  }
}
