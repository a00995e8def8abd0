/// A linear function of scaled features: intercept + Σ coefficient · scaled feature.
public struct LinearModel: Sendable, Hashable, Codable {
  /// Features in the order of the coefficients.
  public let features: [QualityFeature]
  /// How features are scaled.
  public let scaling: FeatureScaling
  /// Coefficient of each scaled feature.
  public let coefficients: [Double]
  /// Value where all scaled features are 0.
  public let intercept: Double

  /// - Precondition: as many coefficients and scales as features.
  public init(features: [QualityFeature], scaling: FeatureScaling, coefficients: [Double], intercept: Double) {
    precondition(
      features.count == coefficients.count && features.count == scaling.means.count,
      "\(features.count) features, \(coefficients.count) coefficients and \(scaling.means.count) scales")
    self.features = features
    self.scaling = scaling
    self.coefficients = coefficients
    self.intercept = intercept
  }

  /// The value at `features`; allocates nothing.
  public func value(at values: QualityFeatures) -> Double {
    var sum = intercept
    for index in 0..<features.count {
      sum += coefficients[index] * scaling.scaled(values[features[index]], column: index)
    }
    return sum
  }
}

extension LinearModel {
  private enum CodingKeys: String, CodingKey {
    case features, scaling, coefficients, intercept
  }

  /// Refuses what no model can be, so that a damaged calibration file is an error and not a crash.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    features = try container.decode([QualityFeature].self, forKey: .features)
    scaling = try container.decode(FeatureScaling.self, forKey: .scaling)
    coefficients = try container.decode([Double].self, forKey: .coefficients)
    intercept = try container.decode(Double.self, forKey: .intercept)
    let isWhole =
      [coefficients.count, scaling.means.count, scaling.deviations.count].allSatisfy { $0 == features.count }
      && (coefficients + scaling.means + [intercept]).allSatisfy(\.isFinite)
      && (scaling.deviations + [scaling.clip]).allSatisfy { $0 > 0 && $0.isFinite }
    guard isWhole else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "features, coefficients, means and deviations differ in number, or are out of range"))
    }
  }
}
