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
        "One capture alone can't be left out: its whole error is taken for delay, and 0.1 m is stated for other places. Give captures of three "
          + "places or more.")
    }
    let deviation = report.calibration.lineOfSight.deviation
    let held = report.calibration.lineOfSight.heldOutDeviation ?? deviation
    list.append(
      "Standard deviation: \(String(decimal: held, places: 3)) m at places like these, \(String(decimal: deviation, places: 3)) m "
        + "stated for others.")
    if report.model == .none { list.append("No delay carries over to what was left out: none is taken off.") }
    if !report.openDevices.isEmpty {
      list.append(
        "Of the devices \(report.openDevices.joined(separator: ", ")) only sums of delays are determined, which are split "
          + "evenly: range three of them in all pairs for a delay each.")
    }
    return list
  }
}
