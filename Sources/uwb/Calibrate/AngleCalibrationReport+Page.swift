import Foundation
import UWBCalibration
import UWBDSP
import UWBReport

extension AngleCalibrationReport {
  /// The chip's angles, or those without a calibration, beside those on directions that were held out.
  var sections: [Page.Section] {
    [
      .init(
        "Errors on directions held out",
        note: "Directions form a checkerboard. Each color was calibrated without it.",
        [.table(PageTable(errors)), .charts(PageCharts(panels, isBeside: true))])
    ] + gains + CalibrationSections.angle(calibration)
  }

  private var gains: [Page.Section] {
    guard let antennas else { return [] }
    var table = EvaluationTable(
      name: "\(antennas.model.rawValue); \(String(decimal: 100 * antennas.residual, places: 2)) % is left over",
      columns: ["antenna", "gain_db", "phase_deg"])
    for (index, gain) in antennas.gains.enumerated() {
      table.add([
        .count(index), .number(20 * log10(gain.length), places: 2), .number(gain.phase.degrees, places: 2),
      ])
    }
    return [.init("Gains of the antennas", tables: [table])]
  }

  /// Before: the chip's own angles.
  private var before: String { antennas == nil ? "chip's own" : "not calibrated" }

  /// All directions, both halves.
  private var whole: Row? { rows.last { $0.region == "all" && $0.half == nil } }

  var sentence: String {
    func degrees(_ moments: RunningMoments) -> String? {
      moments.count > 0 ? "\(String(decimal: moments.rms.degrees, places: 2))°" : nil
    }
    var text = "\(max(measured.samples.count, heldOut.count)) measurements at \(pointCount) directions."
    guard let whole else { return text }
    for (name, errors) in [("azimuth", whole.azimuth), ("elevation", whole.elevation)] {
      guard let own = degrees(errors.after) else { continue }
      text +=
        " Held out, the \(name) is off by \(own) rms" + (degrees(errors.before).map { ", \(before) by \($0)." } ?? ".")
    }
    return isChipAsGood ? text + " That is no better than the chip's own: no phases are written." : text
  }

  var picture: PagePicture? {
    guard let whole else { return nil }
    let values = [
      ("azimuth, \(before)", whole.azimuth.before, 7), ("azimuth, calibrated", whole.azimuth.after, 0),
      ("elevation, \(before)", whole.elevation.before, 7), ("elevation, calibrated", whole.elevation.after, 0),
    ]
    return PagePicture(
      "Errors of angles.", unit: "°",
      bars: values.compactMap { name, moments, color in
        guard moments.count > 0 else { return nil }
        let rms = moments.rms.degrees
        return .init(name, value: rms, extent: 0...rms, color: .series(color))
      }, caption: "RMS error over all directions, each of them held out.")
  }

  /// The rows of the terminal's table.
  private var errors: EvaluationTable {
    var table = EvaluationTable(
      name: "rms errors and coverage",
      columns: [
        "region", "half", "rows", "azimuth_before_deg", "azimuth_deg", "elevation_before_deg", "elevation_deg",
        "azimuth_within_1_sigma", "elevation_within_1_sigma", "unanswered", "ambiguous", "within_15_deg",
      ])
    for row in rows {
      func rms(_ moments: RunningMoments) -> EvaluationTable.Cell {
        .number(moments.count > 0 ? moments.rms.degrees : nil, places: 2)
      }
      table.add([
        .text(row.region), .text(row.half.map { "\($0)" } ?? "both"), .count(row.rows), rms(row.azimuth.before),
        rms(row.azimuth.after), rms(row.elevation.before), rms(row.elevation.after),
        .number(row.azimuth.coverage.one, places: 3), .number(row.elevation.coverage.one, places: 3),
        .count(row.unanswered), .count(row.ambiguous), .count(row.hits),
      ])
    }
    return table
  }

  /// Errors over the true angle, before and after.
  private var panels: [Panel] {
    typealias Angles = (azimuth: Double?, elevation: Double?)
    let kinds: [(name: String, truth: (PhaseSample) -> Double, value: (Angles) -> Double?)] = [
      ("azimuth", { $0.azimuth }, { $0.azimuth }), ("elevation", { $0.elevation }, { $0.elevation }),
    ]
    return kinds.compactMap { name, truth, value in
      var (x, chip, held) = ([Double](), [Double](), [Double]())
      for answer in heldOut {
        let sample = measured.samples[answer.index]
        let after = answer.source.map { (azimuth: $0.azimuth, elevation: $0.elevation) } ?? (nil, nil)
        x.append(truth(sample).degrees)
        chip.append(value(measured.chip[answer.index]).map { ($0 - truth(sample)).degrees } ?? .nan)
        held.append(value(after).map { ($0 - truth(sample)).degrees } ?? .nan)
      }
      guard held.contains(where: \.isFinite) || chip.contains(where: \.isFinite) else { return nil }
      var panel = Panel(title: "Error of the \(name)", x: Axis("true \(name) (°)"), y: Axis("found less true (°)"))
      panel.series = [
        Series(before, x: x, y: chip, ink: .series(3), line: nil, marker: .dot),
        Series("calibrated, held out", x: x, y: held, ink: .series(0), line: nil, marker: .dot),
      ]
      return panel
    }
  }
}
