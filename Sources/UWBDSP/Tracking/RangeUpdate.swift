#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One measured distance, taken in by one hypothesis after the other; and what they together had predicted for it.
struct RangeUpdate {
  /// Squared normalised innovations teach no more than this of the acceleration: six deviations are none of it.
  private static let largestLesson = 36.0
  /// Accounts so unlikely beside those before them are dropped.
  private static let negligible = 1e-6
  /// Below so many deviations Mills's ratio is its series.
  private static let farBelow = -25.0
  /// Innovations have a deviation, m.
  private static let leastDeviation = 1e-9

  private let measured: Double
  private let noise: Double
  private let outliers: Double
  private let outlierDensity: Double

  /// Of all hypotheses so far, after the measurement; and the outliers' part of it.
  private(set) var weight = 0.0
  private var outlierWeight = 0.0
  /// Sums over accounts of plain motion, by weight: score and Fisher information on the logarithm of the acceleration's density.
  private var push = SIMD2<Double>.zero
  /// Sums over the predictions: weight, mean, square, and probability of a measurement below this one.
  private var predicted = SIMD4<Double>.zero

  /// - Parameters:
  ///   - noise: variance of the measurement, m²
  ///   - outliers: how likely it is anything at all
  ///   - outlierDensity: of such measurements, m⁻¹
  init(measured: Double, noise: Double, outliers: Double, outlierDensity: Double) {
    self.measured = measured
    self.noise = noise
    self.outliers = outliers
    self.outlierDensity = outlierDensity
  }

  /// The hypothesis after the measurement, its weight multiplied by the measurement's likelihood.
  ///
  /// - Parameters:
  ///   - word: what the measurement itself says for this kind of hypothesis, 0 … 1
  ///   - leastDetour: what a detour is at least, m; `nil` where there is none
  ///   - isMotion: whether the account is of a peer that walks on as it did, from which the acceleration is learned
  mutating func apply(
    to hypothesis: RangeHypothesis, word: Double, leastDetour: Double? = nil, isMotion: Bool = false
  ) -> RangeHypothesis {
    guard hypothesis.weight > 0 else { return .none }
    let column = hypothesis.covariance.times(SIMD3(1, 0, 1))
    let mean = hypothesis.path
    let variance = column.x + column.z + noise
    let innovation = measured - mean
    guard variance > 0 else {
      // Certain before, certain of the measurement: nothing moves, nothing can be said for or against.
      predicted += hypothesis.weight * SIMD4(1, mean, mean * mean, innovation >= 0 ? 1 : 0)
      weight += word * hypothesis.weight
      return hypothesis.weighted(by: word)
    }
    let size = abs(innovation) / variance.squareRoot()
    predicted +=
      hypothesis.weight
      * SIMD4(
        1, mean, variance + mean * mean,
        NormalDistribution.probability(below: innovation < 0 ? -size : size))

    var likelihood = (1 - outliers) * exp(-size * size / 2) / (2 * .pi * variance).squareRoot()
    let gain = column / variance
    // Neither distances nor detours are negative: what a measurement makes of that counts as evidence.
    likelihood *= Self.evidence(
      hypothesis.state.x, hypothesis.covariance.x.x, gain.x, innovation, variance, least: 1e-3)
    if let leastDetour {
      likelihood *= Self.evidence(
        hypothesis.state.z - leastDetour, hypothesis.covariance.z.z, gain.z, innovation, variance, least: 1e-9)
    }
    // Never zero: hypotheses that are all out of the question keep their proportions.
    likelihood = max(likelihood, .leastNormalMagnitude)
    let anything = outliers * outlierDensity
    let belief = likelihood / (likelihood + anything)

    var next = hypothesis
    next.state += (belief * innovation) * gain
    // Probabilistic data association: the covariance with the measurement or without, and the distance between the two.
    let spread = (belief * innovation) * ((1 - belief) * innovation) - belief * variance
    next.covariance = next.covariance + spread * SymmetricMatrix3.square(gain)
    next.weight *= word * (likelihood + anything)
    weight += next.weight
    outlierWeight += next.weight * (1 - belief)
    guard next.weight > Self.negligible * weight else { return .none }
    if isMotion {
      // How the innovation's variance answers to q: ½, more or less, of what is not the measurement's own.
      let share = (1 - noise / variance) / 2
      push += next.weight * belief * (share / 2) * SIMD2(min(size * size, Self.largestLesson) - 1, share)
    }
    return next
  }

  /// The hypothesis, in sight until then, with line of sight lost: a detour begins, exponential with mean β.
  ///
  /// An innovation ν = detour + a Gaussian of variance S has the density Φ(u)·exp(S/2β² − ν/β)/β, u = (ν − S/β)/√S (the exponentially
  /// modified Gaussian: Grushka, Analytical Chemistry 44, 1972); the detour after it is a Gaussian of mean ν − S/β and variance S, cut off
  /// below zero, and the state that of a measurement less the detour.
  ///
  /// - Parameters:
  ///   - word: what the measurement says for lost line of sight, 0 … 1
  ///   - mean: β, m, positive
  mutating func beginDetour(_ hypothesis: RangeHypothesis, word: Double, mean: Double) -> RangeHypothesis {
    guard hypothesis.weight > 0 else { return .none }
    let variance = hypothesis.covariance.x.x + noise
    let deviation = max(variance.squareRoot(), Self.leastDeviation)
    let innovation = measured - hypothesis.state.x
    let (size, slope) = (innovation / deviation, deviation / mean)
    // Mills's ratio Φ/φ, which is what is left of both where they vanish.
    let u = size - slope
    let (mills, density): (Double, Double)
    if u < Self.farBelow {
      let r = 1 / (u * u)
      mills = (1 - r * (1 - 3 * r)) / -u
      density = mills * Self.normal(size) / mean
    } else {
      let below = NormalDistribution.probability(below: u)
      mills = below / max(Self.normal(u), .leastNormalMagnitude)
      density = below * exp(slope * (slope / 2 - size)) / mean
    }
    let foreseen = hypothesis.state.x + mean
    predicted +=
      hypothesis.weight
      * SIMD4(
        1, foreseen, variance + mean * mean + foreseen * foreseen,
        max(0, NormalDistribution.probability(below: size) - mean * density))

    let likelihood = max((1 - outliers) * density, .leastNormalMagnitude)
    let anything = outliers * outlierDensity
    let belief = likelihood / (likelihood + anything)
    let detour = deviation * (u + 1 / mills)
    let spread = max(variance * (1 - (u + 1 / mills) / mills), 0)
    let p = hypothesis.covariance
    let gain = SIMD3(p.x.x, p.y.x, 0) / (deviation * deviation)
    let taken = RangeHypothesis(
      weight: belief, state: hypothesis.state + (innovation - detour) * gain + SIMD3(0, 0, detour),
      covariance: p + (-variance) * SymmetricMatrix3.square(gain)
        + spread * SymmetricMatrix3.square(gain - SIMD3(0, 0, 1)))
    let passed = RangeHypothesis(
      weight: 1 - belief, state: hypothesis.state + SIMD3(0, 0, mean), covariance: p + .diagonal(0, 0, mean * mean))
    var next = RangeHypothesis.merged(taken, passed)
    next.weight = hypothesis.weight * word * (likelihood + anything)
    weight += next.weight
    outlierWeight += next.weight * (1 - belief)
    return next.weight > Self.negligible * weight ? next : .none
  }

  private static func normal(_ x: Double) -> Double { exp(-x * x / 2) / (2 * .pi).squareRoot() }

  /// How much likelier it is after the measurement than before that a number is positive.
  private static func evidence(
    _ mean: Double, _ variance: Double, _ gain: Double, _ innovation: Double, _ total: Double, least: Double
  ) -> Double {
    positive(mean + gain * innovation, variance - gain * gain * total) / max(positive(mean, variance), least)
  }

  /// How likely a Gaussian number is positive.
  static func positive(_ mean: Double, _ variance: Double) -> Double {
    // Nothing is left of the doubt beyond six deviations.
    if mean > 0, mean * mean > 36 * variance { return 1 }
    return variance > 0
      ? NormalDistribution.probability(below: mean / variance.squareRoot()) : mean >= 0 ? 1 : 0
  }

  var outlierProbability: Double { weight > 0 ? outlierWeight / weight : 0 }

  /// Score and Fisher information of the measurement on ln q.
  var pushEvidence: (score: Double, information: Double) { (push.x / weight, push.y / weight) }

  /// How the measurement lay to what the hypotheses had predicted.
  var innovation: RangeTrack.Innovation {
    guard predicted.x > 0 else {
      return RangeTrack.Innovation(value: 0, variance: noise, probability: 0.5, isOutlier: false)
    }
    let mean = predicted.y / predicted.x
    let below = predicted.w / predicted.x
    let anywhere = min(max(0.5 + (measured - mean) * outlierDensity, 0), 1)
    let variance = max(0, predicted.z / predicted.x - mean * mean)
    // A measurement that says nothing does not contradict either.
    let isOutlier = outlierWeight > weight / 2 && (measured - mean) * (measured - mean) > variance
    return RangeTrack.Innovation(
      value: measured - mean, variance: variance, probability: (1 - outliers) * below + outliers * anywhere,
      isOutlier: isOutlier)
  }
}
