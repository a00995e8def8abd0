import Numerics

/// How much too long a distance is, and how well that is known, from the shape of the exchange's CIRs.
///
/// An obstacle makes distances longer by a share, not by a sum, and features are in decibels: the model is linear in ln(bias − `floor`).
/// What it leaves has the deviation exp(E ln|residual| + 0.635): for a normal variable E ln|x| = ln σ − (γ + ln 2)/2. That speaks of
/// places that the model has not seen, because the residuals it was trained on come from places that were left out.
public struct RangeBiasModel: Sendable, Hashable, Codable {
  /// (γ + ln 2)/2, γ Euler's constant.
  public static let logarithmOffset = 0.6351814227307391

  /// ln(distance less truth less `floor`), metres; distance less truth itself where there is no `floor`.
  public var bias: LinearModel
  /// Below every bias that occurs, m; `nil` for a bias that is linear itself.
  public var floor: Double?
  /// ln|residual|, residuals in metres.
  public var logResidual: LinearModel

  /// Creates one with the given values.
  public init(bias: LinearModel, floor: Double? = nil, logResidual: LinearModel) {
    self.bias = bias
    self.floor = floor
    self.logResidual = logResidual
  }

  /// Distance less truth, m; allocates nothing.
  public func value(_ features: QualityFeatures) -> Double {
    let value = bias.value(at: features)
    return floor.map { $0 + Double.exp(value) } ?? value
  }

  /// Standard deviation of the distance less `value`, m; allocates nothing.
  public func deviation(_ features: QualityFeatures) -> Double {
    Double.exp(logResidual.value(at: features) + Self.logarithmOffset)
  }
}
