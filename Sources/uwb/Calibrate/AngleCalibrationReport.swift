import Foundation
import UWBCalibration
import UWBCapture
import UWBDSP
import UWBReport

/// What `calibrate angle` tells: errors of the chip and of the calibration on directions that were held out.
struct AngleCalibrationReport {
  let measured: AngleMeasurements
  let heldOut: [PhaseCrossValidation.HeldOut]
  let calibration: AngleCalibration
  /// Whether the chip's own angles are as good on what was held out, so that nothing is written.
  var isChipAsGood = false
  let pointCount: Int
  /// rad: what counts as the inner part.
  let inner: SIMD2<Double>
  /// Where CIRs were calibrated.
  var antennas: AntennaFit.Result?

  /// Within so many degrees of the truth an answer has found the right place.
  private static let hit = 15 * Double.pi / 180

  /// Errors over some of the rows.
  struct Row {
    var region: String
    /// 1, 2, or `nil` for both.
    var half: Int?
    var rows = 0
    var unanswered = 0
    var ambiguous = 0
    var hits = 0
    var hitsWithAlternative = 0
    var azimuth = AngleErrors()
    var elevation = AngleErrors()
  }

  /// Errors of one kind of angle, rad.
  struct AngleErrors {
    /// The chip's own, or without a calibration.
    var before = RunningMoments()
    var after = RunningMoments()
    /// Over the stated deviations.
    var normalised = RunningMoments()
    private var withinOne = 0
    private var withinTwo = 0

    /// Shares of the errors within one and two stated deviations.
    var coverage: (one: Double?, two: Double?) {
      (share(withinOne, normalised.count), share(withinTwo, normalised.count))
    }

    mutating func add(chip: Double?, found: Double?, deviation: Double?, truth: Double) {
      if let chip { before.add(chip - truth) }
      guard let found else { return }
      after.add(found - truth)
      guard let deviation else { return }
      normalised.add((found - truth) / deviation)
      if abs(found - truth) <= deviation { withinOne += 1 }
      if abs(found - truth) <= 2 * deviation { withinTwo += 1 }
    }
  }

  /// Inner part and all, each half of the checkerboard and both.
  var rows: [Row] {
    var rows: [Row] = []
    for region in ["inner", "all"] {
      for half in [1, 2, nil] as [Int?] {
        var row = Row(region: region, half: half)
        for answer in heldOut where half.map({ answer.half == $0 - 1 }) ?? true {
          let truth = measured.samples[answer.index]
          let isInner = abs(truth.azimuth) <= inner.x + 1e-9 && abs(truth.elevation) <= inner.y + 1e-9
          if region == "inner", !isInner { continue }
          add(answer, truth, to: &row)
        }
        if row.rows > 0 { rows.append(row) }
      }
    }
    return rows
  }

  private func add(_ answer: PhaseCrossValidation.HeldOut, _ truth: PhaseSample, to row: inout Row) {
    row.rows += 1
    let (chip, source) = (measured.chip[answer.index], answer.source)
    row.azimuth.add(
      chip: chip.azimuth, found: source?.azimuth, deviation: source?.azimuthDeviation, truth: truth.azimuth)
    row.elevation.add(
      chip: chip.elevation, found: source?.elevation, deviation: source?.elevationDeviation, truth: truth.elevation)
    guard let found = source else {
      row.unanswered += 1
      return
    }
    if answer.status == .ambiguous { row.ambiguous += 1 }
    func away(_ source: SourceDirection) -> Double {
      let x = source.azimuth.map { $0 - truth.azimuth } ?? 0
      let y = source.elevation.map { $0 - truth.elevation } ?? 0
      return (x * x + y * y).squareRoot()
    }
    let isHit = away(found) <= Self.hit
    if isHit { row.hits += 1 }
    if isHit || (answer.alternative.map { away($0) <= Self.hit } ?? false) { row.hitsWithAlternative += 1 }
  }

  private func rms(_ moments: RunningMoments) -> Double? { moments.count > 0 ? moments.rms.degrees : nil }

  // MARK: Text

  /// For people.
  var table: String {
    func number(_ value: Double?, _ places: Int) -> String { String(decimal: value, places: places, absent: "-") }
    func percent(_ share: Double?) -> String { number(share.map { $0 * 100 }, 1) }
    let limits = "±\(number(inner.x.degrees, 0))° azimuth, ±\(number(inner.y.degrees, 0))° elevation"
    var lines: [[String]] = [
      [
        "region", "half", "rows", "az before", "az after", "el before", "el after", "az in 1σ", "el in 1σ", "az in 2σ",
        "el in 2σ", "no answer", "ambiguous", "within 15°", "or second",
      ]
    ]
    for row in rows {
      lines.append([
        row.region, row.half.map { "\($0)" } ?? "both", "\(row.rows)", number(rms(row.azimuth.before), 2),
        number(rms(row.azimuth.after), 2), number(rms(row.elevation.before), 2), number(rms(row.elevation.after), 2),
        percent(row.azimuth.coverage.one), percent(row.elevation.coverage.one), percent(row.azimuth.coverage.two),
        percent(row.elevation.coverage.two), percent(share(row.unanswered, row.rows)),
        percent(share(row.ambiguous, row.rows)), percent(share(row.hits, row.rows)),
        percent(share(row.hitsWithAlternative, row.rows)),
      ])
    }
    let widths = (0..<lines[0].count).map { column in lines.map { $0[column].count }.max() ?? 0 }
    var text = "Held-out grid points (checkerboard, both ways round); rms errors in °, shares in %.\n"
    text += "inner: within \(limits); before: \(antennas == nil ? "the chip's own angles" : "not calibrated").\n\n"
    for line in lines {
      let cells = zip(line, widths).map { $0.indented(to: $1) }
      text += cells.joined(separator: "  ") + "\n"
    }
    if let antennas {
      text += "\nModel: \(antennas.model.rawValue); spacing × \(number(antennas.spacing.x, 4)) to the right, "
      text += "× \(number(antennas.spacing.y, 4)) upwards; \(number(antennas.residual * 100, 2)) % is left over\n"
      for (index, gain) in antennas.gains.enumerated() {
        text += "  antenna \(index)  gain \(number(20 * log10(gain.length), 2)) dB  phase "
        text += "\(number(gain.phase.degrees, 2))°\n"
      }
      return text
    }
    text += "\nPair as two ideal antennas: offset (°), apart to the right and upwards (wavelengths)\n"
    for (index, carrier) in calibration.carriers.enumerated() {
      text += "  \(index + 1)  \(number(carrier.offset.degrees, 1))  "
      text += "\(number(carrier.right / (2 * .pi), 3))  \(number(carrier.up / (2 * .pi), 3))\n"
    }
    return text
  }

  /// For programs.
  var ndjson: String {
    var bytes: [UInt8] = []
    var lines = FigureLines(.ndjson)
    for row in rows {
      let figures: [FigureLines.Figure] = [
        ("event", .text("cross-validation")), ("region", .text(row.region)),
        ("half", .number(row.half.map(Double.init), places: 0)), ("rows", .count(row.rows)),
        ("unanswered", .count(row.unanswered)), ("ambiguous", .count(row.ambiguous)),
        ("within_15_deg", .count(row.hits)), ("within_15_deg_with_alternative", .count(row.hitsWithAlternative)),
        ("azimuth_before_rms_deg", .number(rms(row.azimuth.before), places: 4)),
        ("azimuth_rms_deg", .number(rms(row.azimuth.after), places: 4)),
        ("elevation_before_rms_deg", .number(rms(row.elevation.before), places: 4)),
        ("elevation_rms_deg", .number(rms(row.elevation.after), places: 4)),
        ("azimuth_within_1_std", .number(row.azimuth.coverage.one, places: 4)),
        ("azimuth_within_2_std", .number(row.azimuth.coverage.two, places: 4)),
        ("elevation_within_1_std", .number(row.elevation.coverage.one, places: 4)),
        ("elevation_within_2_std", .number(row.elevation.coverage.two, places: 4)),
        ("azimuth_normalised_variance", .number(square(row.azimuth.normalised), places: 4)),
        ("elevation_normalised_variance", .number(square(row.elevation.normalised), places: 4)),
      ]
      lines.append(figures, to: &bytes)
    }
    for (index, carrier) in calibration.carriers.enumerated() {
      let figures: [FigureLines.Figure] = [
        ("event", .text("pair")), ("pair", .count(index + 1)),
        ("offset_deg", .number(carrier.offset.degrees, places: 4)),
        ("right_wavelengths", .number(carrier.right / (2 * .pi), places: 6)),
        ("up_wavelengths", .number(carrier.up / (2 * .pi), places: 6)),
      ]
      lines.append(figures, to: &bytes)
    }
    if let antennas {
      for (index, gain) in antennas.gains.enumerated() {
        let figures: [FigureLines.Figure] = [
          ("event", .text("antenna")), ("antenna", .count(index)), ("model", .text(antennas.model.rawValue)),
          ("gain_db", .number(20 * log10(gain.length), places: 4)),
          ("phase_deg", .number(gain.phase.degrees, places: 4)),
          ("spacing_right", .number(antennas.spacing.x, places: 6)),
          ("spacing_up", .number(antennas.spacing.y, places: 6)),
        ]
        lines.append(figures, to: &bytes)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func square(_ moments: RunningMoments) -> Double? {
    moments.count > 0 ? moments.rms * moments.rms : nil
  }
}

private func share(_ part: Int, _ whole: Int) -> Double? { whole > 0 ? Double(part) / Double(whole) : nil }
