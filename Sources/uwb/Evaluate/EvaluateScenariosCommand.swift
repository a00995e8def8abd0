import ArgumentParser
import Foundation
import NearbySimulation
import UWBCapture

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
  var output = Output.table

  @Option(help: "Seed in place of the files' own.")
  var seed: UInt64?

  @OptionGroup var messages: MessageOptions

  enum Output: String, ExpressibleByArgument, CaseIterable {
    case table, ndjson
  }

  /// Hosts let time pass that often in a room, s; a timeout comes out no later.
  private static let heartbeat = 0.06

  func run() throws {
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
      let met = score.outcomes.count(where: \.isMet)
      if met < score.outcomes.count || score.wronglyGiven > 0 || score.largestTimeoutError > Self.heartbeat {
        failed = true
      }
      switch output {
      case .table: try bytes.write(row(score, met))
      case .ndjson: try bytes.write(line(score, met))
      }
      try bytes.flush()
      for outcome in score.outcomes where !outcome.isMet {
        let e = outcome.expectation
        let came = outcome.time.map { String(format: "came at %.2f s", $0) } ?? "did not come"
        Message.write(
          "\(file), expect: \(e.device) of \(e.peer): \(e.kind.rawValue) at \(e.time) ± \(e.tolerance) s \(came).")
      }
    }
    if failed { throw ExitCode(1) }
  }

  private func row(_ score: RoomScore, _ met: Int) -> String {
    func text(_ value: Double?, _ format: String) -> String { value.map { String(format: format, $0) } ?? "–" }
    return "| \(score.name) | \(score.updates) | \(text(score.distanceRMS, "%.3f"))"
      + " | \(text(score.largestDistanceError, "%.3f")) | \(text(score.directionRMS.map { $0 * 180 / .pi }, "%.2f"))"
      + " | \(text(score.shadowedDistanceRMS, "%.3f")) | \(score.missingDistances) / \(score.missingDirections) | \(score.mustBeNil) | \(score.wronglyGiven)"
      + " | \(score.timeouts), \(text(score.timeouts > 0 ? score.largestTimeoutError : nil, "%.2f"))"
      + " | \(met) of \(score.outcomes.count) |\n"
  }

  private func line(_ score: RoomScore, _ met: Int) -> String {
    var text = JSONText()
    text.begin()
    text.add("scenario", score.name)
    text.add("updates", score.updates)
    text.add("distances", score.distanceCount)
    text.add("distance_rms_m", score.distanceRMS, places: 4)
    text.add("largest_distance_error_m", score.largestDistanceError, places: 4)
    text.add("directions", score.directionCount)
    text.add("direction_rms_deg", score.directionRMS.map { $0 * 180 / .pi }, places: 3)
    text.add("shadowed_distances", score.shadowedCount)
    text.add("shadowed_distance_rms_m", score.shadowedDistanceRMS, places: 4)
    text.add("clear_without_distance", score.missingDistances)
    text.add("clear_without_direction", score.missingDirections)
    text.add("nil_by_rule", score.mustBeNil)
    text.add("given_against_rule", score.wronglyGiven)
    text.add("timeouts", score.timeouts)
    text.add("largest_timeout_error_s", score.largestTimeoutError, places: 3)
    text.add("expected_events", score.outcomes.count)
    text.add("events_in_time", met)
    text.end()
    return String(decoding: text.bytes, as: UTF8.self)
  }
}
