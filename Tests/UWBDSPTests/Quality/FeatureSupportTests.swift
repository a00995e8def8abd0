import TestSupport
import Testing

@testable import UWBDSP

@Suite struct FeatureSupportTests {
  private static let columns = [QualityFeature.peak, .noise, .energy]

  /// Rows whose covariance is A·Aᵀ for A = (2 0 0, 1 1 0, 0.5 0.3 0.2), about (1, 2, 3).
  private static func features(using random: inout StatisticsRandom) -> (QualityFeatures, [Double]) {
    let z = [random.gaussian(), random.gaussian(), random.gaussian()]
    var features = QualityFeatures()
    features[.peak] = 1 + 2 * z[0]
    features[.noise] = 2 + z[0] + z[1]
    features[.energy] = 3 + 0.5 * z[0] + 0.3 * z[1] + 0.2 * z[2]
    return (features, z)
  }

  /// The Mahalanobis distance is that of the independent variables that the rows were made of.
  @Test func theDistanceIsThatOfTheWhitenedVariables() throws {
    var random = StatisticsRandom(seed: 5611)
    let rows = (0..<20_000).map { _ in Self.features(using: &random).0 }
    let support = try #require(
      FeatureSupport(fitting: FeatureTable(rows, features: Self.columns), share: 0.999))
    for _ in 0..<50 {
      let (features, z) = Self.features(using: &random)
      let distance = support.squaredDistance { features[Self.columns[$0]] }
      // Means and covariances of 20,000 rows err by a hundredth of a deviation.
      #expect(abs(distance.squareRoot() - z.reduce(0) { $0 + $1 * $1 }.squareRoot()) < 0.15)
    }
    // χ² of 3 degrees of freedom exceeds 16.27 in 0.1 % of draws; the quantile of 20,000 rows errs by some 0.8.
    #expect(abs(support.limit - 16.27) < 3)
  }

  @Test func trustFallsToNothing() throws {
    let support = FeatureSupport(means: [0], factor: [1], limit: 9)
    func trust(_ value: Double) -> Double {
      var features = QualityFeatures()
      features[.peak] = value
      return support.trust(features, of: [.peak])
    }
    #expect(trust(0) == 1 && trust(3) == 1 && trust(-4.3) == 0 && trust(.infinity) == 0)
    #expect(trust(3.5) > 0 && trust(3.5) < 1)
  }

  @Test func whatDoesNotVaryHasNoSupport() {
    let table = FeatureTable(columnCount: 2, values: [1, 2, 1, 3, 1, 4])
    #expect(FeatureSupport(fitting: table, share: 1) == nil)
  }
}
