import UWBPlatform
import UWBTypes

/// One explanation of a peer's distances: a Kalman filter over distance d, rate r and the offset b of what is measured.
///
///     z = d + b + noise,   d' = r,   r' = white acceleration,   b constant, 0 in the clear
///
/// (Bar-Shalom, Li & Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001, section 6.2.2.) A non-line-of-sight bias and a burst of
/// outliers are both offsets: the distance keeps moving as the offset measurements do.
struct RangeHypothesis: Sendable, Hashable {
  /// Not normalised while measurements are taken.
  var weight: Double
  /// m, m/s, m
  var distance: Double
  var rate = 0.0
  var offset = 0.0
  /// Covariance of distance (d), rate (r) and offset (b).
  var dd: Double
  var dr = 0.0
  var rr: Double
  var db = 0.0
  var rb = 0.0
  var bb = 0.0
  /// Measurements with this offset, 0 in the clear; and when the first came, s.
  var age = 0
  var since = 0.0
  /// Probability that an offset is a burst of outliers and not a non-line-of-sight bias.
  var burst = 0.0

  init(weight: Double, distance: Double, variance: Double, rateVariance: Double) {
    self.weight = weight
    self.distance = distance
    dd = variance
    rr = rateVariance
  }

  var isOffset: Bool { age > 0 }

  /// Probability that line of sight is lost: the offset is a bias, which makes measurements too long.
  var obstructed: Double { isOffset && offset > 0 ? 1 - burst : 0 }

  /// Expected measurement, and its variance without the noise.
  var predicted: (value: Double, variance: Double) {
    isOffset ? (distance + offset, dd + 2 * db + bb) : (distance, dd)
  }

  /// - Parameter acceleration: power of the white acceleration, m²/s³
  mutating func predict(_ step: Double, acceleration: Double) {
    distance += rate * step
    dd += step * (2 * dr + step * (rr + acceleration * step / 3))
    dr += step * (rr + acceleration * step / 2)
    rr += acceleration * step
    db += step * rb
  }

  /// Replaces the step just predicted by one with a corner: at any time of it the rate became another, independent of what it was.
  ///
  /// - Parameter speed: standard deviation of the new rate, m/s; half the old rate where that is larger
  mutating func turn(_ step: Double, acceleration: Double, speed: Double) {
    let square = max(speed * speed, rate * rate / 4)
    rr -= acceleration * step
    dr -= step * (rr + acceleration * step / 2)
    dd -= step * (dr + step * (rr * (2.0 / 3) + acceleration * step / 3 - rate * rate / 12 - square / 3))
    db -= step * rb / 2
    distance -= rate * step / 2
    (rate, dr, rr, rb) = (0, square * step / 2, square, 0)
  }

  /// Takes a measurement and multiplies the weight by its likelihood.
  mutating func correct(_ measured: Double, noise: Double) {
    let (value, variance) = predicted
    let innovation = measured - value
    let expected = variance + noise
    weight *= exp(-innovation * innovation / (2 * expected)) / (2 * Double.pi * expected).squareRoot()
    let (d, r, b) = isOffset ? (dd + db, dr + rb, db + bb) : (dd, dr, 0)
    let scale = 1 / expected
    distance += d * innovation * scale
    rate += r * innovation * scale
    offset += b * innovation * scale
    dd -= d * d * scale
    dr -= d * r * scale
    rr -= r * r * scale
    db -= d * b * scale
    rb -= r * b * scale
    bb -= b * b * scale
    if isOffset { age += 1 }
  }

  /// Begins an offset of which nothing was known: the measurement alone determines it.
  mutating func beginOffset(_ measured: Double, noise: Double, time: Double, burst newBurst: Double) {
    offset = measured - distance
    (db, rb, bb) = (-dd, -dr, dd + noise)
    (age, since, burst) = (1, time, newBurst)
  }

  /// Begins a non-line-of-sight bias of known mean and variance.
  mutating func beginNonLineOfSight(mean: Double, variance: Double, age newAge: Int, time: Double) {
    (offset, db, rb, bb) = (mean, 0, 0, variance)
    (age, since, burst) = (newAge, time, 0)
  }

  /// The offset is gone; the distance is what it was.
  mutating func endOffset() {
    (offset, db, rb, bb, age, burst) = (0, 0, 0, 0, 0, 0)
  }

  /// What was taken for an offset is the distance.
  mutating func adoptOffset() {
    distance += offset
    dd += 2 * db + bb
    dr += rb
    endOffset()
  }

  /// Whether another differs by less than `part` of the smaller deviations, in all three.
  func isClose(to other: RangeHypothesis, part: Double) -> Bool {
    func near(_ one: Double, _ another: Double, _ variance: Double) -> Bool {
      (one - another) * (one - another) <= 2 * part * part * variance
    }
    return isOffset == other.isOffset && max(dd, other.dd) < 4 * min(dd, other.dd)
      && near(distance, other.distance, min(dd, other.dd)) && near(rate, other.rate, min(rr, other.rr))
      && near(offset, other.offset, min(bb, other.bb))
  }

  /// Both as one Gaussian of the same mean and covariance.
  mutating func merge(_ other: RangeHypothesis) {
    let sum = weight + other.weight
    let (one, two) = (weight / sum, other.weight / sum)
    let (d, r, b) = (other.distance - distance, other.rate - rate, other.offset - offset)
    let both = one * two
    dd = one * dd + two * other.dd + both * d * d
    dr = one * dr + two * other.dr + both * d * r
    rr = one * rr + two * other.rr + both * r * r
    db = one * db + two * other.db + both * d * b
    rb = one * rb + two * other.rb + both * r * b
    bb = one * bb + two * other.bb + both * b * b
    distance += two * d
    rate += two * r
    offset += two * b
    burst = one * burst + two * other.burst
    if other.weight > weight { (age, since) = (other.age, other.since) }
    weight = sum
  }
}
