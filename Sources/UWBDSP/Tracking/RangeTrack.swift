#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Follows a distance through outliers and lost line of sight, and says how far off it may be.
///
///     clear:       z = d + noise                obstructed:  z = d + b + noise              either:  z is anything, now and then
///
/// d is the distance, its rate moves as in `RangeMotion`; b is the detour of an obstructed path, which lasts while line of sight is
/// lost and wanders a little. What happened is not known, so several accounts of it run side by side (at most two of either kind, each
/// a Kalman filter) with probabilities from how well they predicted, and from the measurement's own probability of line of sight
/// where it has one:
/// - line of sight is lost, and a detour begins; or it comes back;
/// - the track itself was wrong: born of an outlier, or of a detour that nobody noticed. It jumps.
/// - the measurement is an outlier. That is no account of its own: its share is mixed into each, spread counted (probabilistic
///   data association, Bar-Shalom & Tse, Automatica 11, 1975).
///
/// Accounts are merged after the measurement, not before (generalised pseudo-Bayes of second order, Bar-Shalom, Li & Kirubarajan
/// 2001, 11.6.4): a jump back by the detour tells its end only as long as "before" is not blurred. The distance delivered is the mean over
/// all accounts, its variance that of all of them: while it is open whether line of sight was lost, the variance says so.
///
/// How often line of sight is lost is learned as it goes: a peer in the open earns its small deviations within half a minute.
///
/// Cost: nine Kalman updates of three states a measurement, no allocation.
struct RangeTrack: Sendable, Hashable {
  /// Outliers: anywhere within 25 m, of which a Gaussian makes 3 m at birth, m⁻¹ and m.
  private static let outlierDensity = 0.04
  private static let outlierDeviation = 3.0
  /// How far a wrong track jumps, m, and how much its rate with it, m/s.
  private static let jump = (distance: 1.5, rate: 1.0)
  /// Shorter detours are motion, for all that can be told, m.
  private static let leastDetour = 0.1
  /// How long the configured rate of losses counts against what is seen, s.
  private static let habit = 5.0
  /// A classifier is never surer than 49 : 1 here: it is wrong now and then, and for a stretch.
  private static let surest = 0.98

  private(set) var time: Double
  private(set) var clear = RangeHypotheses()
  private(set) var obstructed = RangeHypotheses()
  /// Times that line of sight came back, and time with it, s.
  private var returns = 0.0
  private var clearTime = 0.0

  /// Born of one measurement, which is taken to be clear unless it says otherwise.
  ///
  /// - Parameter outliers: how likely it is an outlier.
  init(
    _ value: Double, deviation: Double, time: Double, lineOfSightProbability: Double?, outliers: Double,
    _ c: PeerTracker.Configuration
  ) {
    self.time = time
    let noise = deviation * deviation
    let speed = c.speed.isFinite ? c.speed * c.speed : 9
    let detour = c.obstructedDeviation * c.obstructedDeviation
    let lost = 1 - (lineOfSightProbability.map(Self.tempered) ?? 1)
    let good = (1 - outliers) * max(1e-12, RangeUpdate.positive(value, noise))
    clear.add(
      RangeHypothesis(
        weight: (1 - lost) * good, state: SIMD3(value, 0, 0), covariance: .diagonal(noise, speed, 0)))
    clear.add(
      RangeHypothesis(
        weight: outliers, state: SIMD3(max(0, value), 0, 0),
        covariance: .diagonal(noise + Self.outlierDeviation * Self.outlierDeviation, speed, 0)))
    var start = RangeHypothesis(
      weight: lost * good, state: SIMD3(value - c.obstructedBias, 0, c.obstructedBias),
      covariance: .diagonal(noise + detour, speed, detour))
    // z = d + b: what raises one lowers the other.
    start.covariance.x.z = -detour
    start.covariance.z.x = -detour
    obstructed.add(start)
    normalise()
  }

  /// How likely the peer is in line of sight.
  var lineOfSightProbability: Double { clear.weight }

  /// Mean of the distance over all accounts.
  var value: Double { sum { $0.state.x } }

  var variance: Double {
    let mean = value
    return sum { $0.covariance.x.x + ($0.state.x - mean) * ($0.state.x - mean) }
  }

  /// How likely the peer is nearer than `distance`.
  func probability(below distance: Double) -> Double {
    sum { hypothesis in
      let deviation = hypothesis.covariance.x.x.squareRoot()
      let apart = distance - hypothesis.state.x
      return deviation > 0 ? NormalDistribution.probability(below: apart / deviation) : apart > 0 ? 1 : 0
    }
  }

  /// The distance moved by what the device's own motion makes of it.
  mutating func shift(by distance: Double) {
    clear.shift(by: distance)
    obstructed.shift(by: distance)
  }

  /// How a measurement lay to what was predicted for it.
  struct Innovation {
    /// Measured less the mean prediction, and the prediction's variance, noise included, outliers not.
    var value: Double
    var variance: Double
    /// How likely a measurement up to this one was, outliers included: uniform over measurements where the model holds.
    var probability: Double
    /// Whether the measurement is rather an outlier than not.
    var isOutlier: Bool
  }

  /// Moves to the time of a measurement and takes it in.
  ///
  /// - Parameter mayLose: whether line of sight may have been lost; not where the bias of a lost one is off already.
  mutating func update(
    _ measured: Double, deviation: Double, time later: Double, lineOfSightProbability: Double?, mayLose: Bool,
    _ c: PeerTracker.Configuration
  ) -> Innovation {
    let step = max(0, later - time)
    time = later
    let motion = RangeMotion(step: step, acceleration: c.acceleration, speed: c.speed)
    clear.move(motion, drift: 0)
    obstructed.move(motion, drift: c.detourDrift * c.detourDrift * step)
    // Losses that lasted: those that ended, and the one that may be on. An outlier raises suspicion, too, but only for a moment.
    let rate = (Self.habit / c.clearTime + returns + obstructed.weight) / (Self.habit + clearTime)
    let lost = mayLose ? -expm1(-step * rate) : 0
    let found = -expm1(-step / c.obstructedTime)
    let jumped = -expm1(-step / c.jumpTime)
    let inSight = clear.weight

    let word = lineOfSightProbability.map(Self.tempered) ?? 0.5
    var update = RangeUpdate(
      measured: measured, noise: deviation * deviation, outliers: c.outliers, outlierDensity: Self.outlierDensity)
    var nextClear = RangeHypotheses()
    var nextObstructed = RangeHypotheses()
    // Still in sight, or again; or the track was wrong.
    clear.each {
      nextClear.add(update.apply(to: $0.weighted(by: (1 - lost) * (1 - jumped)), word: word))
    }
    let before = update.weight
    obstructed.each {
      nextClear.add(update.apply(to: $0.withoutDetour.weighted(by: found), word: word))
    }
    let returned = update.weight - before
    var wrong = clear.first.weight >= clear.second.weight ? clear.first : clear.second
    wrong.weight = inSight * (1 - lost) * jumped
    wrong.covariance.x.x += Self.jump.distance * Self.jump.distance
    wrong.covariance.y.y += Self.jump.rate * Self.jump.rate
    nextClear.add(update.apply(to: wrong, word: word))
    // Still lost, or now.
    obstructed.each {
      nextObstructed.add(
        update.apply(to: $0.weighted(by: 1 - found), word: 1 - word, leastDetour: Self.leastDetour))
    }
    let detour = c.obstructedDeviation * c.obstructedDeviation
    clear.each {
      nextObstructed.add(
        update.apply(
          to: $0.withDetour(c.obstructedBias, variance: detour).weighted(by: lost), word: 1 - word,
          leastDetour: Self.leastDetour, isNew: true))
    }
    clear = nextClear
    obstructed = nextObstructed
    if update.weight > 0 { returns += returned / update.weight }
    clearTime += step * inSight
    normalise()
    return update.innovation
  }

  private static func tempered(_ probability: Double) -> Double { min(max(probability, 1 - surest), surest) }

  private func sum(_ term: (RangeHypothesis) -> Double) -> Double {
    var sum = 0.0
    clear.each { if $0.weight > 0 { sum += $0.weight * term($0) } }
    obstructed.each { if $0.weight > 0 { sum += $0.weight * term($0) } }
    return sum
  }

  private mutating func normalise() {
    let sum = clear.weight + obstructed.weight
    guard sum > 0 else { return }
    clear.scaleWeights(by: 1 / sum)
    obstructed.scaleWeights(by: 1 / sum)
  }
}
