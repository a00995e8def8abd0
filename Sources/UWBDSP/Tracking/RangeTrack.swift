#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One peer's distance over time: up to eight hypotheses on what the measurements are off by, and how the peer turned.
///
/// Each measurement branches each hypothesis: it follows, after a corner or none; its offset ends; an offset begins, or another. The
/// likeliest eight are kept, close ones merged (multiple hypotheses: Reid, IEEE Trans. Autom. Control 24, 1979). An offset that outlives bursts
/// of outliers may be the distance instead (`adopt`). Weights that hypotheses lose this way to each other are the only memory of outliers.
struct RangeTrack: Sendable, Hashable {
  struct Innovation {
    /// Of the measurement, less the predicted mean, m, and its variance.
    var value: Double
    var variance: Double
    /// How likely a smaller measurement was.
    var probability: Double
  }

  private static let count = 8
  /// Outliers are anywhere within this, m.
  private static let outlierRange = 20.0
  /// Probability that an offset ends with the next measurement, before it has outlived bursts.
  private static let burstEnd = 0.25
  /// Part of an offset's weight that goes to its being the distance: too short, like a detour, too long for one.
  private static let adopted = (shorter: 0.9, detour: 0.005, longer: 0.5)
  /// Offsets up to so many mean detours may be detours.
  private static let longestDetour = 6.0
  /// A classifier counts once in this time, s, and with no more than this probability.
  private static let classifier = (time: 0.4, limit: 0.8)
  /// By how much a distance may be negative: delays that are not calibrated, m.
  private static let negative = 0.3
  /// Hypotheses closer than this part of their deviations are one; those below this part of the likeliest are dropped.
  private static let closeness = 0.7
  private static let leastWeight = 1e-7
  /// Variance of a distance of which nothing is known, m².
  private static let anywhere = 25.0
  /// Silences longer than this may hold corners, s; so may measurements further off than a deviation.
  private static let shortStep = 0.5
  /// Measurements closer in time than this share their errors, s.
  private static let coherenceTime = 0.1

  private(set) var time: Double
  private var hypotheses: [RangeHypothesis] = []
  private var children: [RangeHypothesis] = []
  private var noise = RangeNoise()
  /// Mean time between measurements, s.
  private var interval = coherenceTime

  init(
    _ value: Double, deviation: Double, time: Double, lineOfSightProbability: Double?, _ c: PeerTracker.Configuration
  ) {
    self.time = time
    hypotheses.reserveCapacity(2 * Self.count)
    children.reserveCapacity(8 * Self.count)
    noise.add(value, deviation: deviation, time: time)
    begin(value, deviation * deviation, lineOfSightProbability, c)
  }

  /// Starts from one measurement: in the clear, obstructed, or an outlier.
  private mutating func begin(
    _ value: Double, _ noise: Double, _ probability: Double?, _ c: PeerTracker.Configuration
  ) {
    let clear = probability.map(Self.limited) ?? 1 - c.outliers
    let rate = c.speed * c.speed
    children.removeAll(keepingCapacity: true)
    var one = RangeHypothesis(
      weight: (1 - c.outliers) * clear, distance: value, variance: noise, rateVariance: rate)
    children.append(one)
    one = RangeHypothesis(
      weight: (1 - c.outliers) * (1 - clear), distance: value - c.detour, variance: noise + c.detour * c.detour,
      rateVariance: rate)
    one.begin(mean: c.detour, variance: c.detour * c.detour, age: c.burstLength + 1, time: time)
    one.db = -one.bb
    children.append(one)
    one = RangeHypothesis(
      weight: c.outliers, distance: max(value, 0), variance: Self.anywhere, rateVariance: rate)
    one.begin(value, noise: noise, time: time)
    children.append(one)
    doubtNegativeDistances()
    keepLikeliest()
  }

  /// The device has moved towards the peer by `-shift`, m.
  mutating func shift(by shift: Double) {
    for index in hypotheses.indices { hypotheses[index].distance += shift }
  }

  // MARK: Update

  mutating func update(
    _ value: Double, deviation: Double, time newTime: Double, lineOfSightProbability: Double?,
    _ c: PeerTracker.Configuration
  ) -> Innovation {
    let step = max(0, newTime - time)
    time = newTime
    interval += (step - interval) / 8
    let variance = deviation * deviation * noise.factor
    noise.add(value, deviation: deviation, time: newTime)
    for index in hypotheses.indices {
      hypotheses[index].predict(step, acceleration: c.acceleration * c.acceleration)
    }
    let innovation = predicted(value, variance)
    children.removeAll(keepingCapacity: true)
    let measurement = Measurement(
      value: value, noise: variance, step: step, turning: 1 - exp(-step / c.straightTime),
      losing: 1 - exp(-step / c.clearTime), regaining: 1 - exp(-step / c.obstructedTime))
    for parent in hypotheses { branch(parent, measurement, c) }
    doubtNegativeDistances()
    if let lineOfSightProbability { classify(lineOfSightProbability, step) }
    keepLikeliest()
    // Nothing explains it, not even an outlier.
    if hypotheses.isEmpty { begin(value, variance, lineOfSightProbability, c) }
    adopt(c)
    return innovation
  }

  private struct Measurement {
    var value: Double
    var noise: Double
    var step: Double
    /// Probabilities over the step: of a corner, of losing line of sight, of its return.
    var turning: Double
    var losing: Double
    var regaining: Double
  }

  private mutating func branch(_ parent: RangeHypothesis, _ m: Measurement, _ c: PeerTracker.Configuration) {
    let lasting = 1 - min(c.outliers + m.losing, 0.5)
    let ending = parent.isOffset ? (parent.age < c.burstLength ? Self.burstEnd : m.regaining) : 0
    follow(parent, parent.weight * (1 - ending) * lasting, m, c)
    if parent.isOffset {
      // An offset of which little is known brings the distance back when it ends, not further.
      if parent.bb < 9 * m.noise || (m.value - parent.distance - parent.offset) * parent.offset < 0 {
        var clear = parent
        clear.endOffset()
        follow(clear, parent.weight * ending * lasting, m, c)
      }
      // A single outlier within the offset.
      var aside = parent
      aside.weight *= c.outliers / Self.outlierRange * Self.burstEnd
      children.append(aside)
    }
    beginOffset(parent, m, c)
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
    turned.turn(m.step, by: c.turn)
    turned.correct(m.value, noise: m.noise)
    children.append(turned)
  }

  /// The measurement is an outlier, or line of sight was lost.
  private mutating func beginOffset(_ parent: RangeHypothesis, _ m: Measurement, _ c: PeerTracker.Configuration) {
    var off = parent
    off.endOffset()
    if m.step > Self.shortStep { off.turn(m.step, by: c.turn * m.turning.squareRoot()) }
    let gap = m.value - off.distance
    var density = c.outliers / Self.outlierRange
    if off.dd < c.detour * c.detour / 2 {
      if gap > 0 { density += m.losing * exp(-gap / c.detour) / c.detour }
    } else {
      // Where the distance is open, too, the measurement tells of both.
      var obstructed = parent
      obstructed.begin(mean: c.detour, variance: c.detour * c.detour, age: c.burstLength, time: time - c.burstTime)
      obstructed.weight = parent.weight * m.losing
      obstructed.correct(m.value, noise: m.noise)
      children.append(obstructed)
    }
    off.weight = parent.weight * density
    off.begin(m.value, noise: m.noise, time: time)
    children.append(off)
  }

  private mutating func doubtNegativeDistances() {
    for index in children.indices where children[index].distance < 0 {
      let one = children[index]
      children[index].weight *= exp(-one.distance * one.distance / (2 * (one.dd + Self.negative * Self.negative)))
    }
  }

  private static func limited(_ probability: Double) -> Double {
    min(max(probability, 1 - classifier.limit), classifier.limit)
  }

  private mutating func classify(_ probability: Double, _ step: Double) {
    let part = min(1, step / Self.classifier.time)
    let p = Self.limited(probability)
    let (clear, obstructed, either) = (exp(part * log(p)), exp(part * log(1 - p)), exp(part * log(0.5)))
    for index in children.indices {
      let one = children[index]
      children[index].weight *= one.isObstructed ? obstructed : one.isOffset ? either : clear
    }
  }

  /// Keeps the likeliest, close ones merged, their weights adding up to 1.
  private mutating func keepLikeliest() {
    hypotheses.removeAll(keepingCapacity: true)
    let threshold = Self.leastWeight * children.reduce(0) { max($0, $1.weight) }
    while hypotheses.count < Self.count {
      var (best, weight) = (-1, threshold)
      for index in children.indices where children[index].weight > weight {
        (best, weight) = (index, children[index].weight)
      }
      guard best >= 0 else { break }
      let one = children[best]
      children[best].weight = 0
      if let same = hypotheses.firstIndex(where: { $0.isClose(to: one, part: Self.closeness) }) {
        hypotheses[same].merge(one)
      } else {
        hypotheses.append(one)
      }
    }
    normalise()
  }

  private mutating func normalise() {
    let sum = hypotheses.reduce(0) { $0 + $1.weight }
    for index in hypotheses.indices { hypotheses[index].weight /= sum }
  }

  /// Splits offsets that have just outlived bursts: the offset remains, or is the distance.
  private mutating func adopt(_ c: PeerTracker.Configuration) {
    for index in hypotheses.indices where hypotheses[index].age == c.burstLength {
      guard time - hypotheses[index].since >= c.burstTime else {
        hypotheses[index].age -= 1
        continue
      }
      hypotheses[index].age += 1
      let offset = hypotheses[index].offset
      let isDetour = offset < Self.longestDetour * c.detour
      let part = offset < 0 ? Self.adopted.shorter : isDetour ? Self.adopted.detour : Self.adopted.longer
      var other = hypotheses[index]
      other.adoptOffset()
      other.weight *= part
      hypotheses[index].weight *= 1 - part
      hypotheses.append(other)
    }
  }

  // MARK: Results

  /// Posterior median, m.
  var median: Double {
    var (low, high) = (Double.infinity, -Double.infinity)
    var best = (weight: 0.0, distance: 0.0)
    for one in hypotheses {
      let reach = 4 * max(one.dd, 0).squareRoot()
      low = min(low, one.distance - reach)
      high = max(high, one.distance + reach)
      if one.weight > best.weight { best = (one.weight, one.distance) }
    }
    // Newton's method inside a bracket.
    var x = best.distance
    for _ in 0..<12 {
      var (sum, slope) = (0.0, 0.0)
      for one in hypotheses {
        let deviation = max(one.dd, 1e-12).squareRoot()
        let score = (x - one.distance) / deviation
        sum += one.weight * Self.probability(below: score)
        slope += one.weight * exp(-score * score / 2) / deviation
      }
      let error = sum - 0.5
      if abs(error) < 1e-3 { break }
      if error > 0 { high = min(high, x) } else { low = max(low, x) }
      let next = x - error / slope * (2 * Double.pi).squareRoot()
      x = next > low && next < high ? next : (low + high) / 2
    }
    return x
  }

  /// Mean variance of the hypotheses. Errors that measurements share in time don't average out.
  var variance: Double {
    let mean = hypotheses.reduce(0) { $0 + $1.weight * max($1.dd, 0) }
    return mean * min(max(1, Self.coherenceTime / max(interval, 1e-3)), 10)
  }

  /// How likely the distance is below this.
  func probability(below distance: Double) -> Double {
    hypotheses.reduce(0) {
      $0 + $1.weight * Self.probability(below: (distance - $1.distance) / max($1.dd, 1e-12).squareRoot())
    }
  }

  var lineOfSightProbability: Double { 1 - hypotheses.reduce(0) { $0 + ($1.isObstructed ? $1.weight : 0) } }

  /// How likely the last measurement is off by what no detour is known to be: an offset that has not outlived bursts.
  func outlierProbability(_ c: PeerTracker.Configuration) -> Double {
    hypotheses.reduce(0) { $0 + ($1.isOffset && $1.age <= c.burstLength ? $1.weight : 0) }
  }

  private func predicted(_ value: Double, _ noise: Double) -> Innovation {
    var (mean, square, below) = (0.0, 0.0, 0.0)
    for one in hypotheses {
      let (expected, variance) = one.predicted
      let difference = expected - value
      mean += one.weight * difference
      square += one.weight * (variance + noise + difference * difference)
      below += one.weight * Self.probability(below: -difference / max(variance + noise, 1e-12).squareRoot())
    }
    return Innovation(value: -mean, variance: max(0, square - mean * mean), probability: below)
  }

  private static func probability(below score: Double) -> Double { 0.5 * erfc(-score * 0.5.squareRoot()) }
}
