import UWBCalibration
import UWBDSP

/// What people should know of how a delay calibration was chosen.
struct DelayReport {
  let report: DelayCalibrationFit.Report

  init(_ report: DelayCalibrationFit.Report) {
    self.report = report
  }

  var messages: [String] {
    var list: [String] = []
    let kind = report.isByPairs ? "pairs" : "captures"
    let errors = report.candidates.map { "\($0.model.rawValue) \(String(decimal: $0.error, places: 3)) m" }
      .joined(separator: ", ")
    if report.groupCount > 1 {
      list.append(
        "Chosen: \(report.model.rawValue). Errors on each of \(report.groupCount) \(kind) left out: \(errors).")
    } else {
      list.append(
        "One capture alone can't be left out: whether its error is the delay's or the place's is not seen. Give captures of three "
          + "places or more.")
    }
    if let level = report.undeterminedLevel {
      list.append(
        "Not determined: the mean error of \(String(decimal: level, places: 3)) m may be that of the places alone, so nothing is taken "
          + "off. Captures of more places tell.")
    }
    let deviation = report.calibration.lineOfSight.deviation
    let held = report.calibration.lineOfSight.heldOutDeviation ?? deviation
    list.append(
      "Standard deviation: \(String(decimal: held, places: 3)) m at places like these, \(String(decimal: deviation, places: 3)) m "
        + "stated for others.")
    if report.model == .none, report.undeterminedLevel == nil {
      list.append("No delay carries over to what was left out: none is taken off.")
    }
    if !report.openDevices.isEmpty {
      list.append(
        "Of the devices \(report.openDevices.joined(separator: ", ")) only sums of delays are determined, which are split "
          + "evenly: range three of them in all pairs for a delay each.")
    }
    return list
  }
}
