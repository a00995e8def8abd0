import Numerics

/// How strong a first path is at a site where nothing is in its way: free space from `levelAtOneMetredB` on, up to the
/// level at which the receiver saturates.
///
/// Levels are in dB of the capture's own units, so a baseline holds for one kind of radio at one power.
public struct SignalBaseline: Sendable, Hashable, Codable {
  /// Power of a clear first path at 1 m.
  public var levelAtOneMetredB: Double
  /// Power above which a first path does not grow; `nil` where none was seen.
  public var saturationdB: Double?

  /// Creates one with the given values.
  public init(levelAtOneMetredB: Double, saturationdB: Double? = nil) {
    self.levelAtOneMetredB = levelAtOneMetredB
    self.saturationdB = saturationdB
  }

  /// What the first path lacks against a clear one at the measured distance, dB; the distance is to be entered.
  public func excessLossdB(_ features: QualityFeatures) -> Double {
    let free = levelAtOneMetredB - features.distancedB
    return min(free, saturationdB ?? .infinity) - features[.firstPathPower]
  }
}

extension QualityFeatures {
  /// 20·log₁₀ of the distance in metres, as entered.
  package var distancedB: Double { self[.freeSpacePeak] - self[.peak] }
}

/// What the loss of the first path beyond free space says of line of sight, beside the shape of the CIR.
///
/// The log-odds are those of the shape times `shapeCoefficient`, and straight pieces over the excess loss. The normal
/// densities of the excess loss serve to find a site's baseline (`SignalBaselineFit`).
public struct ExcessLossModel: Sendable, Hashable {
  /// The pieces' bounds, dB.
  public static let knots = [-2.0, 2, 5, 15]

  /// Log-odds where shape and excess loss are 0.
  public var intercept: Double
  /// Coefficient of the shape.
  public var shapeCoefficient: Double
  /// Of the excess loss over each of the first three knots, dB⁻¹.
  public var slopes: [Double]
  /// Mean and deviation of the excess loss in line of sight, dB.
  public var clear: SIMD2<Double>
  /// The same without.
  public var obstructed: SIMD2<Double>

  /// Creates one with the given values.
  public init(
    intercept: Double, shapeCoefficient: Double, slopes: [Double], clear: SIMD2<Double>, obstructed: SIMD2<Double>
  ) {
    precondition(slopes.count == Self.knots.count - 1, "\(slopes.count) slopes")
    self.intercept = intercept
    self.shapeCoefficient = shapeCoefficient
    self.slopes = slopes
    self.clear = clear
    self.obstructed = obstructed
  }

  /// Logarithm of the odds of line of sight.
  public func logOdds(shape: Double, excessLossdB: Double) -> Double {
    var odds = intercept + shapeCoefficient * shape
    for index in slopes.indices { odds += slopes[index] * Self.piece(index, excessLossdB) }
    return odds
  }

  /// Log-densities of an excess loss in both classes. A tenth of clear first paths have any loss.
  package func logDensities(_ excessLossdB: Double) -> (clear: Double, obstructed: Double) {
    let clear = NormalDensity.logDensity(excessLossdB, mean: self.clear.x, deviation: self.clear.y)
    let outlier = NormalDensity.logDensity(excessLossdB, mean: Self.outliers.mean, deviation: Self.outliers.deviation)
    return (
      NormalDensity.logSum(
        clear + Double.log(1 - Self.outliers.share), outlier + Double.log(Self.outliers.share)),
      NormalDensity.logDensity(excessLossdB, mean: obstructed.x, deviation: obstructed.y)
    )
  }

  private static let outliers = (share: 0.1, mean: 10.0, deviation: 10.0)

  /// The excess loss, bounded by knot `index` and the last one.
  public static func piece(_ index: Int, _ excessLossdB: Double) -> Double {
    min(max(excessLossdB, knots[index]), knots[knots.count - 1])
  }
}
