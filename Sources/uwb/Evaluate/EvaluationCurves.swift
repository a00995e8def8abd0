import UWBReport
import UWBSimulation

/// Gathers an evaluation for a picture: RMS error over SNR, a panel a case.
struct EvaluationCurves {
  private struct Points {
    var snrdB: [Double] = []
    var error: [Double] = []
  }

  private var cases: [String] = []
  private var estimators: [String: [(name: String, points: Points)]] = [:]
  private var bounds: [String: Points] = [:]

  mutating func add(_ row: DelayEvaluation.Row, case name: String, snrdB: Double) {
    if estimators[name] == nil { cases.append(name) }
    var list = estimators[name, default: []]
    let index = list.firstIndex { $0.name == row.estimator } ?? list.count
    if index == list.count { list.append((row.estimator, Points())) }
    list[index].points.snrdB.append(snrdB)
    list[index].points.error.append(row.error?.rms ?? .nan)
    estimators[name] = list
    if let bound = row.bound, bounds[name]?.snrdB.last != snrdB {
      bounds[name, default: Points()].snrdB.append(snrdB)
      bounds[name, default: Points()].error.append(bound)
    }
  }

  var figure: Figure {
    let panels = cases.map { name in
      var panel = ErrorOverSNRPicture(
        title: name, errorTitle: "RMS error (m)",
        estimators: (estimators[name] ?? []).map {
          ErrorOverSNRPicture.Curve(name: $0.name, snrdB: $0.points.snrdB, error: $0.points.error)
        },
        bounds: bounds[name].map {
          [ErrorOverSNRPicture.Curve(name: "Cramér–Rao bound", snrdB: $0.snrdB, error: $0.error)]
        } ?? []
      ).panel
      panel.title = name
      return panel
    }
    return Figure(title: "Delay estimators against the bound", panels: panels)
  }
}
