import Numerics
import UWBDSP

/// Finds a site's `SignalBaseline` from captures without labels.
///
/// A mixture of two classes is fitted: the excess loss of each is normal with the moments of `ExcessLossModel`, the odds of
/// the shape weigh each exchange, and the share of line of sight is found by expectation maximisation (Dempster, Laird &
/// Rubin, J. R. Statist. Soc. B 39, 1977). The level at 1 m and the saturation are searched on a grid for the largest
/// likelihood. Places weigh the same.
///
/// Cost: levels × saturations × `steps` × samples. No baseline is given where a normal distribution of the level alone, or
/// of the level less free space's, explains the captures as well: the radio's amplitudes then say nothing.
public struct SignalBaselineFit: Sendable {
  /// Places below which nothing is learnt.
  public static let minimumPlaceCount = 8
  private static let exchangesPerPlace = 4
  private static let step = 0.5
  private static let steps = 12
  /// Imagined places, half of them in line of sight.
  private static let priorPlaces = 4.0

  private let model: ExcessLossModel

  /// No receptions taken yet.
  public init(_ model: ExcessLossModel = .simulated) {
    self.model = model
  }

  private struct Point {
    var level: Double
    var distancedB: Double
    /// Log-odds of the shape by which densities are weighed.
    var odds: Double
    var weight: Double
  }

  /// - Returns: `nil` for too few places, and where amplitudes say nothing.
  public func fit(_ samples: [QualitySample]) -> SignalBaseline? {
    let groups = GroupedSamples(samples.map(\.group)).indices
    guard groups.count >= Self.minimumPlaceCount else { return nil }
    let points = groups.flatMap { group -> [Point] in
      let count = min(group.count, Self.exchangesPerPlace)
      return (0..<count).map { index in
        let features = samples[group[index * group.count / count]].features
        return Point(
          level: features[.firstPathPower], distancedB: features.distancedB,
          odds: model.shapeCoefficient * LineOfSightModel.simulated.logOdds(features), weight: 1 / Double(count))
      }
    }
    let free = points.map { $0.level + $0.distancedB }.sorted()
    let levels = points.map(\.level).sorted()
    guard let lowest = free.first, let highest = free.last else { return nil }
    let strongest = levels[Int(0.95 * Double(levels.count - 1))]
    let saturations: [Double?] = [nil] + (0...8).map { strongest - 2 + Self.step * Double($0) }
    var best: (likelihood: Double, baseline: SignalBaseline)?
    for saturation in saturations {
      for step in 0...Int((highest + 20 - lowest) / Self.step) {
        let baseline = SignalBaseline(
          levelAtOneMetredB: lowest + Self.step * Double(step), saturationdB: saturation)
        let value = likelihood(points, baseline)
        if value > best?.likelihood ?? -.infinity { best = (value, baseline) }
      }
    }
    guard let best,
      best.likelihood > max(nullLikelihood(points) { $0.level }, nullLikelihood(points) { $0.level + $0.distancedB })
    else { return nil }
    return best.baseline
  }

  private func likelihood(_ points: [Point], _ baseline: SignalBaseline) -> Double {
    let odds = points.map { point -> (clear: Double, obstructed: Double) in
      let free = baseline.levelAtOneMetredB - point.distancedB
      let loss = min(free, baseline.saturationdB ?? .infinity) - point.level
      let densities = model.logDensities(loss)
      return (
        densities.clear + LogisticRegression.logProbability(logOdds: point.odds),
        densities.obstructed + LogisticRegression.logProbability(logOdds: -point.odds)
      )
    }
    let total = points.reduce(0) { $0 + $1.weight } + Self.priorPlaces
    var share = 0.5
    for _ in 0..<Self.steps {
      let prior = Double.log(share / (1 - share))
      var clear = Self.priorPlaces / 2
      for index in points.indices {
        clear +=
          points[index].weight
          * LineOfSightModel.probability(logOdds: prior + odds[index].clear - odds[index].obstructed)
      }
      share = clear / total
    }
    var result = Self.priorPlaces / 2 * (Double.log(share) + Double.log(1 - share))
    for index in points.indices {
      result +=
        points[index].weight
        * NormalDensity.logSum(odds[index].clear + Double.log(share), odds[index].obstructed + Double.log(1 - share))
    }
    return result
  }

  /// Of one normal distribution of `value`, whatever the class.
  private func nullLikelihood(_ points: [Point], _ value: (Point) -> Double) -> Double {
    let total = points.reduce(0) { $0 + $1.weight }
    let mean = points.reduce(0) { $0 + $1.weight * value($1) } / total
    let variance = points.reduce(0) { $0 + $1.weight * (value($1) - mean) * (value($1) - mean) } / total
    let deviation = max(variance, 0.01).squareRoot()
    let even = Double.log(0.5)
    return points.reduce(Self.priorPlaces * even) { sum, point in
      let shape = NormalDensity.logSum(
        LogisticRegression.logProbability(logOdds: point.odds), LogisticRegression.logProbability(logOdds: -point.odds))
      return sum + point.weight
        * (NormalDensity.logDensity(value(point), mean: mean, deviation: deviation) + even + shape)
    }
  }
}
