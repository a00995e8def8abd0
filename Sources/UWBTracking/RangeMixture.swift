import UWBPlatform
import UWBTypes

/// Weighted hypotheses on one peer's distance: a mixture of Gaussians.
struct RangeMixture: Sendable, Hashable {
  /// Most hypotheses kept.
  static let maximumCount = 8
  /// Hypotheses closer than this part of their deviations are merged; those below this part of the likeliest are dropped.
  private static let closeness = 0.7
  private static let leastWeight = 1e-4

  private(set) var hypotheses: [RangeHypothesis] = []

  init() { hypotheses.reserveCapacity(2 * Self.maximumCount) }

  // MARK: Changes

  mutating func changeEach(_ change: (inout RangeHypothesis) -> Void) {
    for index in hypotheses.indices { change(&hypotheses[index]) }
  }

  /// Splits each hypothesis for which `part` is not `nil`: that part of its weight goes to a copy whose offset is the distance.
  mutating func adoptOffsets(_ part: (inout RangeHypothesis) -> Double?) {
    for index in hypotheses.indices {
      guard let part = part(&hypotheses[index]) else { continue }
      var other = hypotheses[index]
      other.adoptOffset()
      other.weight *= part
      hypotheses[index].weight *= 1 - part
      hypotheses.append(other)
    }
  }

  /// Replaces the hypotheses by the likeliest of others, close ones merged, their weights adding up to 1. Empties the others.
  mutating func keepLikeliest(of others: inout [RangeHypothesis]) {
    hypotheses.removeAll(keepingCapacity: true)
    let threshold = Self.leastWeight * others.reduce(0) { max($0, $1.weight) }
    while hypotheses.count < Self.maximumCount {
      var (best, weight) = (-1, threshold)
      for index in others.indices where others[index].weight > weight { (best, weight) = (index, others[index].weight) }
      guard best >= 0 else { break }
      let one = others[best]
      others[best].weight = 0
      if let same = hypotheses.firstIndex(where: { $0.isClose(to: one, part: Self.closeness) }) {
        hypotheses[same].merge(one)
      } else {
        hypotheses.append(one)
      }
    }
    others.removeAll(keepingCapacity: true)
    let sum = hypotheses.reduce(0) { $0 + $1.weight }
    for index in hypotheses.indices { hypotheses[index].weight /= sum }
  }

  // MARK: Results

  /// Mean of a probability over the hypotheses.
  func mean(_ probability: (RangeHypothesis) -> Double) -> Double {
    hypotheses.reduce(0) { $0 + $1.weight * probability($1) }
  }

  /// Distance below which the peer is with a probability between 0 and 1, m.
  func quantile(_ probability: Double) -> Double {
    var (low, high) = (Double.infinity, -Double.infinity)
    // The quantile of the likeliest hypothesis, to a first approximation.
    var (x, weight) = (0.0, 0.0)
    for one in hypotheses {
      let deviation = max(one.dd, 0).squareRoot()
      low = min(low, one.distance - 4 * deviation)
      high = max(high, one.distance + 4 * deviation)
      if one.weight > weight { (x, weight) = (one.distance + 2.93 * (probability - 0.5) * deviation, one.weight) }
    }
    // Newton's method inside a bracket.
    for _ in 0..<12 {
      let error = sum(at: x) { one, score, _ in one.weight * Self.probability(below: score) } - probability
      if abs(error) < 1e-3 { break }
      // Only where another step is taken: an exponential costs as much as the rest.
      let slope = sum(at: x) { one, score, deviation in one.weight * exp(-score * score / 2) / deviation }
      if error > 0 { high = min(high, x) } else { low = max(low, x) }
      let next = x - error / slope * (2 * Double.pi).squareRoot()
      x = next > low && next < high ? next : (low + high) / 2
    }
    return x
  }

  /// Sums a term over the hypotheses: of each, its score at `x` and its deviation.
  @inline(__always)
  private func sum(at x: Double, _ term: (RangeHypothesis, _ score: Double, _ deviation: Double) -> Double)
    -> Double
  {
    var sum = 0.0
    for one in hypotheses {
      let deviation = max(one.dd, 1e-12).squareRoot()
      sum += term(one, (x - one.distance) / deviation, deviation)
    }
    return sum
  }

  /// How likely the distance is below this.
  func probability(below distance: Double) -> Double {
    hypotheses.reduce(0) {
      $0 + $1.weight * Self.probability(below: (distance - $1.distance) / max($1.dd, 1e-12).squareRoot())
    }
  }

  /// A measurement less what is predicted.
  ///
  /// - Parameter noise: variance of the measurement, m²
  func innovation(_ measured: Double, noise: Double) -> RangeTrack.Innovation {
    var (mean, square, below) = (0.0, 0.0, 0.0)
    for one in hypotheses {
      let (expected, variance) = one.predicted
      let difference = expected - measured
      mean += one.weight * difference
      square += one.weight * (variance + noise + difference * difference)
      below += one.weight * Self.probability(below: -difference / max(variance + noise, 1e-12).squareRoot())
    }
    return RangeTrack.Innovation(value: -mean, variance: max(0, square - mean * mean), probability: below)
  }

  private static func probability(below score: Double) -> Double { 0.5 * erfc(-score * 0.5.squareRoot()) }
}
