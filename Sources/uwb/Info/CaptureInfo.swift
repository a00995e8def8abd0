import UWBCalibration
import UWBCapture
import UWBDSP

/// A capture's summary in words, and as one line of JSON.
struct CaptureInfo {
  var name: String
  var header: CaptureHeader
  var array: AntennaLayout?
  var summary: CaptureSummary
  var skipped: SkippedInput
  /// `nil` where the capture has no hash.
  var hashFits: Bool?
  var profile: String
  /// How well the profile's pulse fits, and what replay does.
  var pulse: PulseLearning.Outcome?

  /// Why there is no distance in some or all exchanges; empty where nothing is missing.
  var missingForDistance: [String] {
    guard summary.exchanges > 0 else { return ["exchanges"] }
    guard summary.withoutTimestamps > 0 else { return [] }
    if summary.withPhaseDifferences == summary.exchanges {
      return ["the chip's own distance (in \(summary.withoutTimestamps) of \(summary.exchanges) exchanges)"]
    }
    var reasons: [String] = []
    let total = summary.exchanges
    func lacks(_ count: Int, _ what: String) {
      if count < total { reasons.append("\(what) (in \(total - count) of \(total) exchanges)") }
    }
    lacks(summary.poll.transmitted, "the time the poll was sent")
    lacks(summary.poll.receptions, "the time the poll was received")
    lacks(summary.response.transmitted, "the time the response was sent")
    lacks(summary.response.receptions, "the time the response was received")
    if summary.final.count > 0 {
      lacks(summary.final.transmitted, "the time the final was sent")
      lacks(summary.final.receptions, "the time the final was received")
    } else if reasons.isEmpty {
      reasons.append("the final (in \(total) of \(total) exchanges)")
    }
    return reasons
  }

  /// Why there is no direction; empty where nothing is missing.
  var missingForDirection: [String] {
    var reasons: [String] = []
    if summary.impulseResponses == 0 {
      guard summary.withPhaseDifferences > 0 else { return ["channel impulse responses"] }
      return array == nil ? ["the antennas (--array), or a calibration of the board (--calibration)"] : []
    }
    if !header.hasPhase { reasons.append("phases: the CIRs are magnitudes alone") }
    if summary.fewestAntennas ?? 0 < 2 { reasons.append("a second antenna") }
    if array == nil { reasons.append("the antennas' positions and the carrier (--array)") }
    return reasons
  }

  var text: String {
    var lines = ["\(name) (\(header.format), \(profile))".printable()]
    lines += header.notes.map { "  note: \($0.printable())" }
    lines.append("  exchanges: \(summary.exchanges)\(rate)")
    if let wait = summary.longestWait, let median = summary.medianWait {
      lines.append(
        "  gaps: \(summary.gaps) longer than 5 × the median of \(decimal(median, 3)) s; longest \(decimal(wait.seconds, 3)) s, "
          + "after exchange \(wait.after)")
    }
    lines.append("  clock wraps: \(summary.clockWraps)")
    lines.append("  devices: \(devices)")
    for (name, message) in [("poll", summary.poll), ("response", summary.response), ("final", summary.final)] {
      guard message.count > 0 else { continue }
      lines.append(
        "  \(name): \(message.count), sent at a known time \(message.transmitted), received \(message.receptions), "
          + "with a CIR \(message.impulseResponses), with the chip's first path \(message.chipFirstPaths)")
    }
    let shapes = summary.shapes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) of \($0.key)" }
    lines.append("  CIRs: \(summary.impulseResponses)\(shapes.isEmpty ? "" : " (\(shapes.joined(separator: "; ")))")")
    if summary.impulseResponses > 0 {
      lines.append(
        "    all-zero \(summary.allZero), saturated \(summary.saturated), not finite \(summary.notFinite), "
          + "same as the one before \(summary.repeated)")
    }
    lines += pulseLine.map { [$0] } ?? []
    lines.append("  with the chip's own distance: \(summary.withChipReport), with truth: \(summary.withTruth)")
    if summary.withoutTimestamps > 0 {
      lines.append("  exchanges without the timestamps of a distance: \(summary.withoutTimestamps)")
    }
    if summary.exchanges > 0, summary.withoutTimestamps == summary.exchanges, summary.impulseResponses > 0 {
      lines.append(
        "  no exchange can be ranged: replay rejects each as missingTimestamps; uwb paths finds first paths in the CIRs"
      )
    }
    lines.append("  missing for distance: \(list(missingForDistance))")
    lines.append("  missing for direction: \(list(missingForDirection))")
    if let hashFits {
      lines.append("  hash of the samples: \(hashFits ? "fits" : "DOES NOT FIT: the data were changed")")
    }
    lines.append("  skipped input: \(skipped.counts.list())")
    if let first = skipped.firstReason, let place = skipped.firstPlaces[first] {
      lines.append("    the first: \(first), \(place.printable())")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  var line: String {
    FigureLines.object([
      ("capture", .text(name)), ("format", .text(header.format)), ("profile", .text(profile)),
      ("exchanges", .count(summary.exchanges)), ("seconds", .number(summary.seconds, places: 6)),
      ("median_wait_s", .number(summary.medianWait, places: 6)),
      ("longest_wait_s", .number(summary.longestWait?.seconds, places: 6)), ("gaps", .count(summary.gaps)),
      ("clock_wraps", .count(summary.clockWraps)),
      ("peers", .counts(Dictionary(uniqueKeysWithValues: summary.peers.map { ("\($0.key)", $0.value) }))),
      ("cirs", .count(summary.impulseResponses)),
      (
        "cirs_of",
        .counts([
          "poll": summary.poll.impulseResponses, "response": summary.response.impulseResponses,
          "final": summary.final.impulseResponses,
        ])
      ),
      ("shapes", .counts(summary.shapes)), ("all_zero", .count(summary.allZero)),
      ("saturated", .count(summary.saturated)), ("not_finite", .count(summary.notFinite)),
      ("repeated", .count(summary.repeated)), ("pulse_misfit", .number(pulse?.finding?.misfit, places: 4)),
      ("pulse", .text(pulse?.finding.map { $0.isWrong ? "wrong" : $0.fits ? "fits" : "untold" })),
      ("with_chip_report", .count(summary.withChipReport)), ("with_truth", .count(summary.withTruth)),
      ("without_timestamps", .count(summary.withoutTimestamps)),
      ("missing_for_distance", .text(missingForDistance.isEmpty ? nil : missingForDistance.joined(separator: "; "))),
      ("missing_for_direction", .text(missingForDirection.isEmpty ? nil : missingForDirection.joined(separator: "; "))),
      ("hash", .text(hashFits.map { $0 ? "fits" : "differs" })), ("skipped_input", .counts(skipped.counts)),
    ])
  }

  private var pulseLine: String? {
    guard let finding = pulse?.finding else { return nil }
    let misfit =
      "  pulse: the profile's misses \(decimal(100 * finding.misfit, 0)) % of what \(finding.count) CIRs show"
    if finding.fits { return "\(misfit): it fits" }
    guard finding.isWrong else { return "\(misfit); too few places to tell it from its surroundings" }
    return "\(misfit): IT IS WRONG; \(pulse?.estimate == nil ? "no better one was found" : "replay uses theirs")"
  }

  private var rate: String {
    guard summary.seconds > 0, summary.exchanges > 1 else { return "" }
    let rate = Double(summary.exchanges - 1) / summary.seconds
    return " in \(decimal(summary.seconds, 3)) s, \(decimal(rate, 3)) a second"
  }

  private var devices: String {
    let peers = summary.peers.sorted { $0.key.rawValue < $1.key.rawValue }
    var names = peers.prefix(20).map { "peer \($0.key) (\($0.value))" }
    if peers.count > 20 { names.append("… \(peers.count) peers in all") }
    names += summary.locals.sorted { $0.key.rawValue < $1.key.rawValue }.prefix(4).map {
      "local \($0.key) (\($0.value))"
    }
    return list(names)
  }

  private func list(_ items: [String]) -> String { items.isEmpty ? "none" : items.joined(separator: ", ") }
  private func decimal(_ value: Double, _ places: Int) -> String { String(decimal: value, places: places) }
}
