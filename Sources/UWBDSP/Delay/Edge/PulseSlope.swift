import UWBPlatform

/// A pulse's rising slope: where it passes a level, and how well noise lets that be seen.
///
/// For a lone path A·p(t − τ), the magnitude passes the level L at t = τ + q with p(q) = L/A, q < 0. A crossing
/// estimator reads t, and A off the peak. Its delay t − q(L/Â) errs by
///
///     δτ = (p(q)·u(τ) − u(τ + q)) / (A·p'(q)),
///
/// u is the noise in phase with the path. Its variance is σ²/2 and, white over the taps, its autocorrelation sinc. So
///
///     var τ = σ²/(2·A²) · (1 − 2·p(q)·sinc(q) + p(q)²) / p'(q)².
///
/// As q → 0 this is the variance of a peak read off an interpolated magnitude.
struct PulseSlope: Sendable {
  private static let pointsPerTap = 64
  /// Side lobes are looked for so far before a path, taps.
  static let reach = 24

  /// p, −q in taps, and var τ · A²/σ² from the peak downwards; p falls strictly.
  private let levels: [Double]
  private let distances: [Double]
  private let variances: [Double]
  /// Squared bound of the pulse d taps before its peak, over distances of d − ½ and more.
  private let sideLobes: [Float]
  /// The least that a path of amplitude 1 shows on its nearest tap.
  let straddle: Double

  init(_ pulse: PulseShape, tapSpacing: Double) {
    func value(_ taps: Double) -> Double { pulse(taps * tapSpacing) }
    var levels: [Double] = []
    var distances: [Double] = []
    var variances: [Double] = []
    var index = 1
    while index <= 4 * Self.pointsPerTap {
      let distance = Double(index) / Double(Self.pointsPerTap)
      let level = value(-distance)
      let slope = (value(1e-3 - distance) - value(-1e-3 - distance)) / 2e-3
      // Beyond, the pulse is at its null, or the slope a side lobe's.
      guard level > 0.02, slope > 0, level < levels.last ?? 1 else { break }
      let correlation = sin(.pi * distance) / (.pi * distance)
      levels.append(level)
      distances.append(distance)
      variances.append((1 - 2 * level * correlation + level * level) / (2 * slope * slope))
      index += 1
    }
    self.levels = levels
    self.distances = distances
    self.variances = variances
    straddle = min(value(0.5), value(-0.5))

    var bounds = [Float](repeating: 0, count: Self.reach + 1)
    var bound = 0.0
    for distance in stride(from: Self.reach, through: 0, by: -1) {
      for step in 0..<8 {
        bound = max(bound, abs(value(-(Double(distance) - 0.5 + Double(step) / 8))))
      }
      bounds[distance] = Float(bound * bound)
    }
    sideLobes = bounds
  }

  /// Taps from where a lone path passes `level` (relative to its peak) to its peak, and var τ · A²/σ².
  func crossing(at level: Double) -> (distance: Double, variance: Double) {
    guard let highest = levels.first, let lowest = levels.last, let nearest = variances.first,
      let farthest = distances.last, let steepest = variances.last
    else { return (0, 0) }
    if level >= highest {
      // A parabola above the first point.
      let share = max(0, 1 - level) / (1 - highest)
      return (distances[0] * share.squareRoot(), nearest)
    }
    if level <= lowest { return (farthest, steepest) }
    var low = 0
    var high = levels.count - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if levels[middle] > level { low = middle } else { high = middle }
    }
    let share = (levels[low] - level) / (levels[low] - levels[high])
    return (
      distances[low] + share * (distances[high] - distances[low]),
      variances[low] + share * (variances[high] - variances[low])
    )
  }

  /// Whether a peak of `power` near `tap` is no more than `margin` times (in magnitude) what the early side lobes of
  /// a later, stronger path can leave there.
  func isSideLobe(_ power: Float, near tap: Int, of taps: PreparedTaps, margin: Float) -> Bool {
    let squaredMargin = margin * margin
    let powers = taps.powers.pointer
    for distance in 1...Self.reach {
      let later = tap + distance
      guard later >= 0 else { continue }
      guard later < taps.count else { break }
      if power < min(1, squaredMargin * sideLobes[distance]) * powers[later] { return true }
    }
    return false
  }
}
