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
/// - the peer turns a corner, and its rate is another one from there on;
/// - the track itself was wrong: born of an outlier, or of a detour that nobody noticed. It jumps. Or what looked like a detour was
///   the end of such an error;
/// - the measurement is an outlier. That is no account of its own: its share is mixed into each, spread counted (probabilistic
///   data association, Bar-Shalom & Tse, Automatica 11, 1975).
///
/// Accounts are merged after the measurement, not before (generalised pseudo-Bayes of second order, Bar-Shalom, Li & Kirubarajan
/// 2001, 11.6.4): a jump back by the detour tells its end only as long as "before" is not blurred. The distance delivered is the mean over
/// all accounts, its variance that of all of them: while it is open whether line of sight was lost, the variance says so.
///
/// How often line of sight is lost, how often a measurement is an outlier and how much the rate is pushed about are learned as it goes
/// (`RangeHabits`): a peer in the open earns its small deviations within half a minute. While it stands, nothing is learned of what
/// happens to those who walk, and a classifier's verdicts are one witness, not many (`PlaceMemory`).
///
/// Cost: some eleven Kalman updates of three states a measurement, no allocation.
struct RangeTrack: Sendable, Hashable {
  /// Outliers: anywhere within 25 m, of which a Gaussian makes 3 m at birth, m⁻¹ and m.
  private static let outlierDensity = 0.04
  private static let outlierDeviation = 3.0
  /// How far a wrong track jumps, m, and how much its rate with it, m/s.
  private static let jump = (distance: 0.7, rate: 1.0)
  /// A measurement that told so much may have been an outlier and the track with it, m².
  private static let hearsay = 1.0
  /// One that told more than this begins anew what others then confirm, m²; and so many of these make it certain.
  private static let news = 0.1
  private static let enoughConfirmations = 3
  /// Shorter detours are motion, for all that can be told, m.
  private static let leastDetour = 0.05
  /// No room has longer ones, m.
  private static let longestDetour = 10.0
  /// How well the mean detour is known: Pareto's exponent.
  private static let detourShape = 3.0
  /// A classifier is never surer than 49 : 1 here: it is wrong now and then, and for a stretch.
  private static let surest = 0.98

  private(set) var time: Double
  private(set) var clear = RangeHypotheses(hasDetour: false)
  private(set) var obstructed = RangeHypotheses(hasDetour: true)
  private var habits = RangeHabits()
  private var place: PlaceMemory
  /// By how much the last measurement made the distance surer, m²: after a gap the track is its word alone.
  private var told = 0.0
  /// Measurements since then that fitted.
  private var confirmations = 0

  /// Born of one measurement, which is taken to be clear unless it says otherwise.
  ///
  /// - Parameter outliers: how likely it is an outlier.
  init(
    _ value: Double, deviation: Double, time: Double, lineOfSightProbability: Double?, outliers: Double,
    _ c: PeerTracker.Configuration
  ) {
    self.time = time
    place = PlaceMemory(value)
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
    if let lineOfSightProbability { _ = place.news(Self.tempered(lineOfSightProbability), step: 0) }
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

  /// Born where another track did not expect it: that one may have been right, and what is measured now be a detour.
  ///
  /// - Parameters:
  ///   - before: the other track, at the same time
  ///   - value: what was measured, m, with `deviation`
  mutating func recall(
    _ before: RangeTrack, _ value: Double, deviation: Double, lineOfSightProbability: Double?,
    _ c: PeerTracker.Configuration
  ) {
    var past = before.clear.heavier
    let detour = value - past.state.x
    // What a track knows that was born of an outlier, at the start or after a gap, is no reason to doubt others.
    guard before.confirmations >= Self.enoughConfirmations, past.weight > 0, c.detour > 0,
      detour > 0, detour < Self.longestDetour
    else { return }
    // A loss of line of sight with a detour so long, or an error of the track as long as any. How long detours are is known from the
    // configuration alone: exponential with a mean that isn't known is Pareto's distribution (Lomax, J. Am. Statistical Association 49, 1954).
    let tail = pow(1 + detour / (Self.detourShape * c.detour), -Self.detourShape - 1) / c.detour
    let lost = before.habits.lossRate(c, obstructed: before.obstructed.weight) * tail
    let wrong = Self.outlierDensity / c.jumpTime
    let word = lineOfSightProbability.map(Self.tempered) ?? 0.5
    let weights = (lost: lost * (1 - word), wrong: wrong * word)
    guard weights.lost > 0 else { return }
    let part = weights.lost / (weights.lost + weights.wrong)
    clear.scaleWeights(by: 1 - part)
    obstructed.scaleWeights(by: 1 - part)
    past = past.withoutDetour.weighted(by: part / past.weight)
    past.state.z = detour
    past.covariance.x.z = -past.covariance.x.x
    past.covariance.z.x = -past.covariance.x.x
    past.covariance.y.z = -past.covariance.x.y
    past.covariance.z.y = -past.covariance.x.y
    past.covariance.z.z = past.covariance.x.x + deviation * deviation
    obstructed.add(past)
  }

  /// The distance moved by what the device's own motion makes of it.
  mutating func shift(by distance: Double) {
    clear.shift(by: distance)
    obstructed.shift(by: distance)
    place.shift(by: distance)
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
    let motion = RangeMotion(step: step, acceleration: habits.acceleration(c), speed: c.speed)
    clear.move(motion, drift: 0)
    // Line of sight is lost and found by those who walk, and detours wander with them.
    let share = place.share(over: step)
    let walked = step * share
    obstructed.move(motion, drift: c.detourDrift * c.detourDrift * walked)
    let lost = mayLose && c.detour > 0 ? -expm1(-walked * habits.lossRate(c, obstructed: obstructed.weight)) : 0
    let found = -expm1(-walked / c.obstructedTime)
    let jumped =
      1 - exp(-walked / c.jumpTime) * (1 - share * c.outliers * told / (told + Self.hearsay))
    let corner = RangeCorner(step: step, straightTime: c.straightTime, turn: c.turn)
    let foreseen = clear.heavier.covariance.x.x + corner.variance
    let inSight = clear.weight

    let word = lineOfSightProbability.map { place.news(Self.tempered($0), step: step) } ?? 0.5
    var update = RangeUpdate(
      measured: measured, noise: deviation * deviation, outliers: habits.outliers(c),
      outlierDensity: Self.outlierDensity)
    var nextClear = RangeHypotheses(hasDetour: false)
    var nextObstructed = RangeHypotheses(hasDetour: true)
    // Still in sight, or again; or the track was wrong.
    clear.each {
      corner.walk(
        $0.weighted(by: (1 - lost) * (1 - jumped)), &update, into: &nextClear, word: word, isMotion: true)
    }
    let before = update.weight
    obstructed.each {
      let back = $0.withoutDetour.weighted(by: found)
      for index in 0..<corner.ways { nextClear.add(update.apply(to: corner.way(index, back), word: word)) }
    }
    let returned = update.weight - before
    var wrong = clear.heavier
    wrong.weight = inSight * (1 - lost) * jumped
    wrong.covariance.x.x += Self.jump.distance * Self.jump.distance + told
    wrong.covariance.y.y += Self.jump.rate * Self.jump.rate
    nextClear.add(update.apply(to: wrong, word: word))
    let mistaken = -expm1(-walked / c.jumpTime)
    var noDetour = obstructed.heavier.withPathAsDistance
    noDetour.weight = (1 - inSight) * (1 - found) * mistaken
    nextClear.add(update.apply(to: noDetour, word: word))
    // Still lost, or now.
    obstructed.each {
      corner.walk(
        $0.weighted(by: (1 - found) * (1 - mistaken)), &update, into: &nextObstructed, word: 1 - word,
        leastDetour: Self.leastDetour)
    }
    clear.each {
      let behind = $0.weighted(by: lost)
      for index in 0..<corner.ways {
        nextObstructed.add(update.beginDetour(corner.way(index, behind), word: 1 - word, mean: c.detour))
      }
    }
    clear = nextClear
    obstructed = nextObstructed
    if c.isAdaptive { habits.learn(from: update, returned: returned, clearTime: walked * inSight) }
    told = max(0, foreseen - clear.heavier.covariance.x.x)
    let innovation = update.innovation
    if told > Self.news {
      confirmations = 0
    } else if !innovation.isOutlier {
      confirmations += 1
    }
    normalise()
    let likeliest = clear.heavier.weight >= obstructed.heavier.weight ? clear.heavier : obstructed.heavier
    place.follow(likeliest.path, variance: likeliest.pathVariance, step: step)
    return innovation
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
