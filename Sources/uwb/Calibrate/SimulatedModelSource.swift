/// The model that ships as Swift source.
struct SimulatedModelSource {
  let model: SimulatedTraining
  let sites: Int
  let seed: UInt64

  var text: String {
    let linear = model.shape.linear
    let support = model.shape.support.map { support in
      """
      FeatureSupport(
            means: [\(list(support.means))],
            factor: [\(list(support.factor))],
            limit: \(number(support.limit)))
      """
    }
    let windows = model.shape.windows.map { windows in
      """
      ShortWindowOdds(
            intercepts: [\(list(windows.intercepts))],
            slopes: [\(list(windows.slopes))])
      """
    }
    return """
      extension LineOfSightModel {
        /// The model of the shape that ships, trained on simulated sites alone.
        ///
        /// Written by `uwb calibrate simulated --sites \(sites) --seed \(seed)` (`scripts/line-of-sight-model`), which also prints
        /// how good it is on other sites. `Documentation/explanation/LineOfSight.md` says how far that carries to real rooms.
        public static let simulated = LineOfSightModel(
          logOdds: LinearModel(
            features: [\(linear.features.map { ".\($0.rawValue)" }.joined(separator: ", "))],
            scaling: FeatureScaling(
              means: [\(list(linear.scaling.means))],
              deviations: [\(list(linear.scaling.deviations))], clip: \(linear.scaling.clip)),
            coefficients: [\(list(linear.coefficients))], intercept: \(number(linear.intercept))),
          support: \(support ?? "nil"),
          windows: \(windows ?? "nil"))
      }

      extension ExcessLossModel {
        /// Trained on the simulated sites whose powers fall as in free space.
        public static let simulated = ExcessLossModel(
          intercept: \(number(model.excess.intercept)), shapeCoefficient: \(number(model.excess.shapeCoefficient)),
          slopes: [\(list(model.excess.slopes))], clear: \(pair(model.excess.clear)),
          obstructed: \(pair(model.excess.obstructed)))
      }

      """
  }

  private func number(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }
  private func list(_ values: [Double]) -> String { values.map(number).joined(separator: ", ") }
  private func pair(_ value: SIMD2<Double>) -> String { "SIMD2(\(number(value.x)), \(number(value.y)))" }
}
