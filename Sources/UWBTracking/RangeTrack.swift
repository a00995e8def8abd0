import UWBPlatform
import UWBTypes

/// One peer's distance over time: up to eight hypotheses on what the measurements are off by, and how the peer turned.
///
/// Each measurement branches each hypothesis: it follows, after a corner or none; its offset ends; an offset begins, or another. The
/// likeliest eight are kept, close ones merged (multiple hypotheses: Reid, IEEE Trans. Autom. Control 24, 1979). An offset that outlives
/// bursts of outliers may be the distance instead (`adopt`).
struct RangeTrack: Sendable, Hashable {
  struct Innovation {
    /// Of the measurement, less the predicted mean, m, and its variance.
    var value: Double
    var variance: Double
    /// How likely a smaller measurement was.
    var probability: Double
  }

  /// Outliers are off by b with the density 1 / (2 ln(1 + R) (|b| + 1 m)), R = 20 in m.
  private static let outlierScale = 0.5 / log(21.0)
  /// Probability that a burst of outliers ends with the next measurement.
  private static let burstEnd = 1.0 / 3
  /// Odds, by those of a burst, that an offset which has outlived bursts is the distance; and most of its weight that goes there.
  private static let adopted = (odds: 0.1, most: 0.9)
  /// By how much a distance may be negative: delays that are not calibrated, m.
  private static let negative = 0.3
  /// Silences longer than this may hold corners, s; so may measurements further off than a deviation.
  private static let shortStep = 0.5
  /// Time for which an acceleration lasts at most, s: a walker's speed has bounds.
  private static let accelerating = 0.2
  /// Measurements closer in time than this (s) count as one together, and share an error of so many stated deviations.
  private static let shared = (time: 0.1, deviations: 2.0)

  private static let mostChildren = 16 * RangeMixture.maximumCount

  private(set) var time: Double
  private var mixture = RangeMixture()
  private var children: [RangeHypothesis] = []
  private var noise = RangeNoise()
  /// Probability that all measurements so far were a burst of outliers.
  private var burstFromStart = 0.0
  private var classifier = ClassifierEvidence()
  /// Mean time between measurements, s.
  private var interval = shared.time
  /// Deviation stated with the last measurement, m.
  private var stated: Double

  init(
    _ value: Double, deviation: Double, time: Double, lineOfSightProbability: Double?, _ c: PeerTracker.Configuration
  ) {
    self.time = time
    stated = deviation
    noise.add(value, deviation: deviation, time: time)
    begin(value, deviation * deviation, lineOfSightProbability, c)
  }

  /// Starts from one measurement, in the clear or obstructed.
  private mutating func begin(
    _ value: Double, _ noise: Double, _ probability: Double?, _ c: PeerTracker.Configuration
  ) {
    let clear = probability.map(ClassifierEvidence.limited) ?? 1 - c.outliers
    var one = RangeHypothesis(
      weight: clear, distance: max(value, -3 * Self.negative), variance: noise, rateVariance: c.speed * c.speed)
    children.append(one)
    one.weight = 1 - clear
    one.distance -= c.nonLineOfSightBias
    one.dd += c.nonLineOfSightBias * c.nonLineOfSightBias
    one.beginNonLineOfSight(
      mean: c.nonLineOfSightBias, variance: c.nonLineOfSightBias * c.nonLineOfSightBias, age: c.burstLength + 1,
      time: time)
    one.db = -one.bb
    children.append(one)
    weighNegativeDistances()
    let burst = min(c.outliers / Self.burstEnd, 0.5)
    burstFromStart = burst / (burst + (1 - burst) * children.reduce(0) { $0 + $1.weight })
    mixture.keepLikeliest(of: &children)
  }

  /// The device has moved towards the peer by `-shift`, m.
  mutating func shift(by shift: Double) {
    mixture.changeEach { $0.distance += shift }
  }

  // MARK: Update

  mutating func update(
    _ value: Double, deviation: Double, time newTime: Double, lineOfSightProbability: Double?,
    _ c: PeerTracker.Configuration
  ) -> Innovation {
    // Not before: a peer that is met once needs none of it.
    if children.capacity < Self.mostChildren { children.reserveCapacity(Self.mostChildren) }
    let step = max(0, newTime - time)
    time = newTime
    stated = deviation
    interval += (step - interval) / 8
    let sharing = max(1, Self.shared.time / max(interval, 1e-3))
    let m = Measurement(value, noise: deviation * deviation * noise.factor * sharing, step: step, c)
    noise.add(value, deviation: deviation, time: newTime)
    mixture.changeEach { $0.predict(step, acceleration: m.acceleration) }
    var innovation = mixture.innovation(value, noise: m.noise)
    let outlier = 0.5 + (innovation.value < 0 ? -1 : 1) * Self.outlierScale * log(1 + abs(innovation.value))
    innovation.probability += c.outliers * (min(max(outlier, 0), 1) - innovation.probability)
    for parent in mixture.hypotheses { branch(parent, m, c) }
    startAnew(m, c)
    weighNegativeDistances()
    if let lineOfSightProbability { classify(lineOfSightProbability, step) }
    mixture.keepLikeliest(of: &children)
    // Nothing explains it, not even an outlier.
    if mixture.hypotheses.isEmpty { begin(value, m.noise, lineOfSightProbability, c) }
    adopt(c)
    return innovation
  }

  private struct Measurement {
    var value: Double
    var noise: Double
    var step: Double
    /// Power of the white acceleration over the step, m²/s³.
    var acceleration: Double
    /// Probabilities over the step: of a corner, of losing line of sight, of its return, of a burst's end.
    var turning: Double
    var losing: Double
    var regaining: Double
    var ending: Double

    init(_ value: Double, noise: Double, step: Double, _ c: PeerTracker.Configuration) {
      (self.value, self.noise, self.step) = (value, noise, step)
      acceleration = c.acceleration * c.acceleration * min(1, RangeTrack.accelerating / max(step, 1e-3))
      turning = 1 - exp(-step / c.straightTime)
      losing = 1 - exp(-step / c.clearTime)
      regaining = 1 - exp(-step / c.obstructedTime)
      ending = max(RangeTrack.burstEnd, 1 - exp(-step / c.burstTime))
    }
  }

  private mutating func branch(_ parent: RangeHypothesis, _ m: Measurement, _ c: PeerTracker.Configuration) {
    let lasting = 1 - min(c.outliers + m.losing, 0.5)
    let burst = parent.burst * (1 - m.ending)
    let remaining = parent.isOffset ? burst + (1 - parent.burst) * (1 - m.regaining) : 1
    var same = parent
    same.burst = remaining > 0 ? burst / remaining : 0
    follow(same, parent.weight * remaining * lasting, m, c)
    if parent.isOffset {
      // An offset of which little is known brings the distance back when it ends, not further.
      if parent.bb < 9 * m.noise || (m.value - parent.distance - parent.offset) * parent.offset < 0 {
        var clear = parent
        clear.endOffset()
        follow(clear, parent.weight * (1 - remaining) * lasting, m, c)
      }
      // A single outlier within the offset.
      var aside = parent
      aside.weight *= Self.outlierDensity(m.value - parent.predicted.value, c) * Self.burstEnd
      children.append(aside)
    }
    beginOffset(parent, m, c)
  }

  /// Of a measurement that is off by so much (m), 1/m.
  private static func outlierDensity(_ offset: Double, _ c: PeerTracker.Configuration) -> Double {
    c.outliers * outlierScale / (abs(offset) + 1)
  }

  /// Follows the measurement, straight on and after a corner.
  private mutating func follow(
    _ hypothesis: RangeHypothesis, _ weight: Double, _ m: Measurement, _ c: PeerTracker.Configuration
  ) {
    let (value, variance) = hypothesis.predicted
    let innovation = m.value - value
    let mayTurn = innovation * innovation > variance + m.noise || m.step > Self.shortStep
    var straight = hypothesis
    straight.weight = mayTurn ? weight * (1 - m.turning) : weight
    straight.correct(m.value, noise: m.noise)
    children.append(straight)
    guard mayTurn else { return }
    var turned = hypothesis
    turned.weight = weight * m.turning
    turned.turn(m.step, acceleration: m.acceleration, speed: c.speed)
    turned.correct(m.value, noise: m.noise)
    children.append(turned)
  }

  /// The measurement is an outlier, or line of sight was lost.
  private mutating func beginOffset(_ parent: RangeHypothesis, _ m: Measurement, _ c: PeerTracker.Configuration) {
    var off = parent
    off.endOffset()
    if m.step > Self.shortStep {
      var turned = off
      turned.turn(m.step, acceleration: m.acceleration, speed: c.speed)
      off.weight *= 1 - m.turning
      turned.weight *= m.turning
      off.merge(turned)
    }
    let gap = m.value - off.distance
    let outlying = Self.outlierDensity(gap, c)
    var density = outlying
    if off.dd < c.nonLineOfSightBias * c.nonLineOfSightBias / 2 {
      if gap > 0 {
        density += m.losing * gap * exp(-gap / c.nonLineOfSightBias) / (c.nonLineOfSightBias * c.nonLineOfSightBias)
      }
    } else {
      // Where the distance is open, too, the measurement determines both.
      var obstructed = off
      obstructed.beginNonLineOfSight(
        mean: c.nonLineOfSightBias, variance: c.nonLineOfSightBias * c.nonLineOfSightBias, age: c.burstLength + 1,
        time: time - c.burstTime)
      obstructed.weight = parent.weight * m.losing
      obstructed.correct(m.value, noise: m.noise)
      children.append(obstructed)
    }
    off.weight = parent.weight * density * (parent.isOffset ? Self.burstEnd : 1)
    off.beginOffset(m.value, noise: m.noise, time: time, burst: outlying / density)
    children.append(off)
  }

  /// All measurements before this one may have been a burst.
  private mutating func startAnew(_ m: Measurement, _ c: PeerTracker.Configuration) {
    guard burstFromStart > 1e-3 else { return }
    let offset = mixture.hypotheses[0].distance - m.value
    let weight = burstFromStart * Self.burstEnd * Self.outlierDensity(offset, c) / c.outliers
    children.append(
      RangeHypothesis(weight: weight, distance: m.value, variance: m.noise, rateVariance: c.speed * c.speed))
    burstFromStart *= 1 - Self.burstEnd
  }

  private mutating func weighNegativeDistances() {
    for index in children.indices where children[index].distance < 0 {
      let one = children[index]
      children[index].weight *= exp(-one.distance * one.distance / (2 * (one.dd + Self.negative * Self.negative)))
    }
  }

  /// Outliers say nothing of line of sight: only a non-line-of-sight bias takes the classifier's other side.
  private mutating func classify(_ probability: Double, _ step: Double) {
    let (clear, obstructed) = classifier.likelihoods(probability, step: step)
    for index in children.indices {
      let one = children[index]
      let likelihood = clear + one.obstructed * (obstructed - clear)
      children[index].weight *= likelihood
      if one.obstructed > 0 { children[index].burst *= clear / likelihood }
    }
  }

  /// Splits offsets that have just outlived bursts: the offset remains, or is the distance.
  private mutating func adopt(_ c: PeerTracker.Configuration) {
    mixture.adoptOffsets { one in
      guard one.age == c.burstLength else { return nil }
      guard time - one.since >= c.burstTime else {
        one.age -= 1
        return nil
      }
      one.age += 1
      let (adopted, biased) = (Self.adopted.odds * one.burst, 1 - one.burst)
      one.burst = 0
      return min(adopted / (adopted + biased), Self.adopted.most)
    }
  }

  // MARK: Results

  /// Posterior median, m.
  var median: Double { mixture.quantile(0.5) }

  /// Variance of a Gaussian whose quantiles are as far apart as the posterior's of 16 % and 84 %, and of the error that measurements share
  /// that come faster than `shared.time`.
  var variance: Double {
    let deviation = (mixture.quantile(0.8413) - mixture.quantile(0.1587)) / 2
    let common = Self.shared.deviations * stated
    return deviation * deviation + max(0, 1 - interval / Self.shared.time) * common * common
  }

  /// How likely the distance is below this.
  func probability(below distance: Double) -> Double { mixture.probability(below: distance) }

  var lineOfSightProbability: Double { 1 - mixture.mean { $0.obstructed } }

  /// How likely the last measurement is off by what is no non-line-of-sight bias.
  var outlierProbability: Double { mixture.mean { $0.burst } }
}
