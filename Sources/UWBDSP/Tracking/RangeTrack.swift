#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Follows a distance through lost line of sight: two interacting models of how a measurement comes about.
///
///     clear:       z = d + noise                obstructed:  z = d + b + noise
///
/// d is the distance, with velocity v and white acceleration; b is the detour of an obstructed path, a Gauss–Markov process
/// about a mean (it holds for a while, then is another). Which model holds changes at random; how likely each is follows from how
/// well it predicted, and from the measurement's own probability of line of sight where it has one. So a jump of a metre that a walker
/// cannot make is laid to the detour, the distance goes on at its velocity, and its deviation grows as long as nothing confirms it.
///
/// The interacting-multiple-model estimator of Blom & Bar-Shalom (IEEE Trans. Automatic Control 33(8), 1988), state (d, v, b), the
/// clear model's b being zero. Cost: some 200 operations a measurement; no allocation.
struct RangeTrack: Sendable, Hashable {
  /// Distances change at no more than about this, m/s, when nothing is known.
  private static let initialSpeed = 3.0

  /// One model's view.
  struct Mode: Sendable, Hashable {
    var state: SIMD3<Double>
    var covariance: SymmetricMatrix3
    var probability: Double
  }

  private(set) var time: Double
  private(set) var clear: Mode
  private(set) var obstructed: Mode

  /// Born of one measurement, which is taken to be clear unless it says otherwise.
  init(
    _ value: Double, deviation: Double, time: Double, lineOfSightProbability: Double?,
    _ c: PeerTracker.Configuration
  ) {
    self.time = time
    let speed = Self.initialSpeed * Self.initialSpeed
    clear = Mode(
      state: SIMD3(value, 0, 0), covariance: .diagonal(deviation * deviation, speed, 0), probability: 1)
    obstructed = Mode(
      state: SIMD3(value - c.obstructedBias, 0, c.obstructedBias),
      covariance: .diagonal(
        deviation * deviation + c.obstructedDeviation * c.obstructedDeviation, speed,
        c.obstructedDeviation * c.obstructedDeviation), probability: 0)
    // z = d + b: what raises one lowers the other.
    obstructed.covariance.x.z = -c.obstructedDeviation * c.obstructedDeviation
    obstructed.covariance.z.x = obstructed.covariance.x.z
    if let probability = lineOfSightProbability {
      clear.probability = min(max(probability, 0.02), 1)
      obstructed.probability = 1 - clear.probability
    }
  }

  /// Mean and variance of the distance over both models.
  var value: Double { clear.probability * clear.state.x + obstructed.probability * obstructed.state.x }

  var variance: Double {
    let apart = clear.state.x - obstructed.state.x
    return clear.probability * clear.covariance.x.x + obstructed.probability * obstructed.covariance.x.x
      + clear.probability * obstructed.probability * apart * apart
  }

  var rate: Double { clear.probability * clear.state.y + obstructed.probability * obstructed.state.y }

  /// The distance moved by what the device's own motion makes of it.
  mutating func shift(by distance: Double) {
    clear.state.x += distance
    obstructed.state.x += distance
  }

  /// Moves both models to `later`: they exchange what they know, then predict.
  ///
  /// - Parameter isClassified: whether the measurement to come has a probability of line of sight. Without one a loss is not
  ///   looked for: short detours look like noise or motion, and the suspicion alone would cost accuracy all the time.
  mutating func predict(to later: Double, isClassified: Bool, _ c: PeerTracker.Configuration) {
    let step = max(0, later - time)
    time = later
    let lost = isClassified ? -expm1(-step / c.clearTime) : 0
    let found = -expm1(-step / c.obstructedTime)
    let detour = c.obstructedDeviation * c.obstructedDeviation

    // What either model looks like in the other's terms.
    var fromClear = clear
    fromClear.state.z = c.obstructedBias
    fromClear.covariance.z.z = detour
    var fromObstructed = obstructed
    fromObstructed.state.z = 0
    fromObstructed.covariance.x.z = 0
    fromObstructed.covariance.y.z = 0
    fromObstructed.covariance.z = .zero

    let (one, other) = (clear.probability, obstructed.probability)
    let newClear = Self.mixed(clear, one * (1 - lost), fromObstructed, other * found)
    let newObstructed = Self.mixed(fromClear, one * lost, obstructed, other * (1 - found))
    clear = Self.predicted(newClear, step, c, holds: 1, wander: 0)
    let holds = exp(-step / c.obstructedTime)
    obstructed = Self.predicted(newObstructed, step, c, holds: holds, wander: detour * (1 - holds * holds))
  }

  /// Both, weighted: means, and covariances with the distance between the means.
  private static func mixed(_ a: Mode, _ weightA: Double, _ b: Mode, _ weightB: Double) -> Mode {
    let sum = weightA + weightB
    guard weightB > 0, sum > 0 else {
      var alone = a
      alone.probability = sum
      return alone
    }
    let (p, q) = (weightA / sum, weightB / sum)
    return Mode(
      state: p * a.state + q * b.state,
      covariance: p * a.covariance + q * b.covariance + (p * q) * SymmetricMatrix3.square(a.state - b.state),
      probability: sum)
  }

  private static func predicted(
    _ mode: Mode, _ step: Double, _ c: PeerTracker.Configuration, holds: Double, wander: Double
  ) -> Mode {
    var next = mode
    next.state.x += step * mode.state.y
    next.state.z = holds > 0 && holds < 1 ? c.obstructedBias + holds * (mode.state.z - c.obstructedBias) : mode.state.z
    let p = mode.covariance
    let density = c.acceleration * c.acceleration
    let xx = p.x.x + step * (2 * p.x.y + step * (p.y.y + density * step / 3))
    let xy = p.x.y + step * (p.y.y + density * step / 2)
    let xz = holds * (p.x.z + step * p.y.z)
    let yz = holds * p.y.z
    next.covariance = SymmetricMatrix3(
      x: SIMD3(xx, xy, xz), y: SIMD3(xy, p.y.y + density * step, yz), z: SIMD3(xz, yz, holds * holds * p.z.z + wander))
    return next
  }

  /// How a measurement lies to what is predicted.
  struct Innovation {
    /// Measured less the mean of both models' predictions, and its variance.
    var value: Double
    var variance: Double
    /// Deviations from the nearer of the two models.
    var distance: Double
  }

  func innovation(of measured: Double, deviation: Double) -> Innovation {
    let (a, b) = (Self.expected(clear, deviation), Self.expected(obstructed, deviation))
    // A model that is out of the question explains nothing.
    guard obstructed.probability > 0 else {
      let value = measured - a.mean
      return Innovation(value: value, variance: a.variance, distance: abs(value) / a.variance.squareRoot())
    }
    let mean = clear.probability * a.mean + obstructed.probability * b.mean
    let apart = a.mean - b.mean
    let variance =
      clear.probability * a.variance + obstructed.probability * b.variance
      + clear.probability * obstructed.probability * apart * apart
    return Innovation(
      value: measured - mean, variance: variance,
      distance: min(
        abs(measured - a.mean) / a.variance.squareRoot(), abs(measured - b.mean) / b.variance.squareRoot()))
  }

  private static func expected(_ mode: Mode, _ deviation: Double) -> (mean: Double, variance: Double) {
    let p = mode.covariance
    return (mode.state.x + mode.state.z, p.x.x + 2 * p.x.z + p.z.z + deviation * deviation)
  }

  /// Takes the measurement in.
  ///
  /// A measurement further than `heavyTail` deviations off counts with a deviation so much larger: Huber's way.
  mutating func correct(
    _ measured: Double, deviation: Double, lineOfSightProbability: Double?, _ c: PeerTracker.Configuration
  ) {
    // A classifier is never surer than 49 : 1 here: it is wrong now and then, and for a stretch.
    let probability = min(max(lineOfSightProbability ?? 0.5, 0.02), 0.98)
    let one = Self.corrected(&clear, measured, deviation, c) * probability
    let other = Self.corrected(&obstructed, measured, deviation, c) * (1 - probability)
    let sum = one + other
    guard sum > 0 else { return }
    clear.probability = one / sum
    obstructed.probability = other / sum
  }

  /// Corrects one model; its likelihood times the probability that it had.
  private static func corrected(
    _ mode: inout Mode, _ measured: Double, _ deviation: Double, _ c: PeerTracker.Configuration
  ) -> Double {
    var (mean, variance) = expected(mode, deviation)
    guard variance > 0 else { return mode.probability }
    let innovation = measured - mean
    let size = abs(innovation) / variance.squareRoot()
    // Gaussian in the middle, exponential outside: the tail that goes with Huber's weights.
    let exponent = size <= c.heavyTail ? size * size / 2 : c.heavyTail * (size - c.heavyTail / 2)
    let likelihood = exp(-exponent) / variance.squareRoot()
    if size > c.heavyTail { variance *= size / c.heavyTail }
    let column = mode.covariance.times(SIMD3(1, 0, 1))
    let gain = column / variance
    mode.state += gain * innovation
    mode.covariance = mode.covariance + (-1 / variance) * SymmetricMatrix3.square(column)
    return likelihood * mode.probability
  }
}
