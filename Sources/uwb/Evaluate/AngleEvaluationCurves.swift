import UWBReport
import UWBSimulation

/// Gathers an evaluation of angles for a picture: RMS error over SNR.
struct AngleEvaluationCurves {
  private var name = ""
  private var estimators: [(name: String, snrdB: [Double], error: [Double])] = []
  private var bound: (snrdB: [Double], error: [Double]) = ([], [])
  private var isElevation = false

  mutating func add(_ row: DirectionEvaluation.Row, case name: String, snrdB: Double) {
    self.name = name
    guard let figures = row.azimuth ?? row.elevation else { return }
    isElevation = row.azimuth == nil
    let index = estimators.firstIndex { $0.name == row.name } ?? estimators.count
    if index == estimators.count { estimators.append((row.name, [], [])) }
    estimators[index].snrdB.append(snrdB)
    estimators[index].error.append(figures.error.map { $0.rms.degrees } ?? .nan)
    if let value = figures.bound, bound.snrdB.last != snrdB {
      bound.snrdB.append(snrdB)
      bound.error.append(value.degrees)
    }
  }

  var figure: Figure {
    ErrorOverSNRPicture(
      title: "Angle estimators against the bound: \(name)",
      errorTitle: isElevation ? "RMS error of elevation (°)" : "RMS error of azimuth (°)",
      estimators: estimators.map { ErrorOverSNRPicture.Curve(name: $0.name, snrdB: $0.snrdB, error: $0.error) },
      bounds: bound.snrdB.isEmpty
        ? [] : [ErrorOverSNRPicture.Curve(name: "Cramér–Rao bound", snrdB: bound.snrdB, error: bound.error)]
    ).figure
  }
}
