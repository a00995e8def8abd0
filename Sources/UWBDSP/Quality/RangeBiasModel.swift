import Numerics

/// How much too long a distance is, and how well that is known, from the shape of the exchange's CIRs: ridge regressions of
/// the error and of the logarithm of what it leaves.
///
/// The deviation is exp(E ln|residual| + 0.635): for a normal variable E ln|x| = ln σ − (γ + ln 2)/2. It speaks of places that the
/// model has not seen, because the residuals it was trained on come from places that were left out.
public struct RangeBiasModel: Sendable, Hashable, Codable {
  /// (γ + ln 2)/2, γ Euler's constant.
  public static let logarithmOffset = 0.6351814227307391

  /// Distance less truth, m.
  public var bias: LinearModel
  /// ln|residual|, residuals in metres.
  public var logResidual: LinearModel

  public init(bias: LinearModel, logResidual: LinearModel) {
    self.bias = bias
    self.logResidual = logResidual
  }

  /// Standard deviation of the distance less `bias`, m; allocates nothing.
  public func deviation(_ features: QualityFeatures) -> Double {
    Double.exp(logResidual.value(at: features) + Self.logarithmOffset)
  }
}
