#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One account of what a peer did: state (distance, its rate, detour), Gaussian, with the weight that it has among others.
struct RangeHypothesis: Sendable, Hashable {
  /// 0: nothing.
  var weight: Double
  /// m, m/s, m
  var state: SIMD3<Double>
  var covariance: SymmetricMatrix3

  /// Nothing is surer than this where hypotheses are told apart: a micrometre, and a millimetre of detour; m².
  private static let surest = 1e-12
  private static let surestDetour = 1e-6

  static let none = RangeHypothesis(weight: 0, state: .zero, covariance: .diagonal(0, 0, 0))

  /// Length of the path that is measured, m, and its variance, m²: distance and detour.
  var path: Double { state.x + state.z }
  var pathVariance: Double { covariance.x.x + 2 * covariance.x.z + covariance.z.z }

  func weighted(by factor: Double) -> RangeHypothesis {
    RangeHypothesis(weight: factor * weight, state: state, covariance: covariance)
  }

  /// The same with no detour: line of sight is back.
  var withoutDetour: RangeHypothesis {
    RangeHypothesis(
      weight: weight, state: SIMD3(state.x, state.y, 0),
      covariance: SymmetricMatrix3(
        x: SIMD3(covariance.x.x, covariance.x.y, 0), y: SIMD3(covariance.y.x, covariance.y.y, 0), z: .zero))
  }

  /// The same where what was taken for a detour is none: the path is the distance.
  var withPathAsDistance: RangeHypothesis {
    let rate = covariance.x.y + covariance.y.z
    return RangeHypothesis(
      weight: weight, state: SIMD3(path, state.y, 0),
      covariance: SymmetricMatrix3(
        x: SIMD3(pathVariance, rate, 0), y: SIMD3(rate, covariance.y.y, 0), z: .zero))
  }

  /// Moves the state over a step of time; a detour wanders by `drift` (m²) meanwhile.
  mutating func move(_ motion: RangeMotion, drift: Double) {
    let (h, g, p) = (motion.hold, motion.carry, covariance)
    state.x += g * state.y
    state.y *= h
    let xx = p.x.x + g * (2 * p.x.y + g * p.y.y) + motion.xx
    let xy = h * (p.x.y + g * p.y.y) + motion.xy
    let xz = p.x.z + g * p.y.z
    let yz = h * p.y.z
    covariance = SymmetricMatrix3(
      x: SIMD3(xx, xy, xz), y: SIMD3(xy, h * h * p.y.y + motion.yy, yz), z: SIMD3(xz, yz, p.z.z + drift))
  }

  /// The same after a corner at any time within the step that is over: the rate changed by `deviation`, m/s.
  func turned(by deviation: Double, step: Double) -> RangeHypothesis {
    let square = deviation * deviation
    var next = self
    next.covariance.x.x += square * step * step / 3
    next.covariance.x.y += square * step / 2
    next.covariance.y.x += square * step / 2
    next.covariance.y.y += square
    return next
  }

  /// Both in one: mean, and covariance with the distance between the means.
  static func merged(_ a: RangeHypothesis, _ b: RangeHypothesis) -> RangeHypothesis {
    let sum = a.weight + b.weight
    guard sum > 0 else { return .none }
    let (p, q) = (a.weight / sum, b.weight / sum)
    return RangeHypothesis(
      weight: sum, state: p * a.state + q * b.state,
      covariance: p * a.covariance + q * b.covariance + (p * q) * SymmetricMatrix3.square(a.state - b.state))
  }

  /// ln of the covariance's determinant, of distance and rate, and of the detour where one is asked for.
  func logVolume(withDetour: Bool) -> Double {
    Self.logVolume(covariance.x, covariance.y.y, covariance.y.z, covariance.z.z, withDetour)
  }

  /// The same of `merged(a, b)`.
  static func logVolume(merging a: RangeHypothesis, _ b: RangeHypothesis, withDetour: Bool) -> Double {
    let sum = a.weight + b.weight
    let (p, q) = (a.weight / sum, b.weight / sum)
    let apart = a.state - b.state
    let (pq, m, n) = (p * q, a.covariance, b.covariance)
    return logVolume(
      p * m.x + q * n.x + (pq * apart.x) * apart, p * m.y.y + q * n.y.y + pq * apart.y * apart.y,
      p * m.y.z + q * n.y.z + pq * apart.y * apart.z, p * m.z.z + q * n.z.z + pq * apart.z * apart.z, withDetour)
  }

  private static func logVolume(
    _ x: SIMD3<Double>, _ yy: Double, _ yz: Double, _ zz: Double, _ withDetour: Bool
  ) -> Double {
    let (xx, yy, zz) = (x.x + surest, yy + surest, zz + surestDetour)
    let plane = xx * yy - x.y * x.y
    let volume = withDetour ? zz * plane - yz * (xx * yz - x.y * x.z) + x.z * (x.y * yz - yy * x.z) : plane
    return log(max(volume, .leastNormalMagnitude))
  }
}

/// At most two hypotheses of a kind; a third makes those two one whose merger tells least.
///
/// What a merger loses is at most w·ln|P| − (w₁·ln|P₁| + w₂·ln|P₂|), twice the bound of Runnalls (IEEE Trans. Aerospace and
/// Electronic Systems 43, 2007) on the Kullback–Leibler distance between the mixtures before and after.
struct RangeHypotheses: Sendable, Hashable {
  private(set) var first = RangeHypothesis.none
  private(set) var second = RangeHypothesis.none
  private let hasDetour: Bool
  /// ln|P| of either.
  private var volumes = (first: 0.0, second: 0.0)

  /// - Parameter hasDetour: whether the detour counts when hypotheses are told apart.
  init(hasDetour: Bool) { self.hasDetour = hasDetour }

  static func == (one: RangeHypotheses, other: RangeHypotheses) -> Bool {
    one.first == other.first && one.second == other.second
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(first)
    hasher.combine(second)
  }

  var weight: Double { first.weight + second.weight }

  var heavier: RangeHypothesis { first.weight >= second.weight ? first : second }

  mutating func add(_ new: RangeHypothesis) {
    guard new.weight > 0 else { return }
    guard first.weight > 0 else {
      first = new
      volumes.first = new.logVolume(withDetour: hasDetour)
      return
    }
    guard second.weight > 0 else {
      second = new
      volumes.second = new.logVolume(withDetour: hasDetour)
      return
    }
    let volume = new.logVolume(withDetour: hasDetour)
    let merged = (
      old: RangeHypothesis.logVolume(merging: first, second, withDetour: hasDetour),
      one: RangeHypothesis.logVolume(merging: first, new, withDetour: hasDetour),
      other: RangeHypothesis.logVolume(merging: second, new, withDetour: hasDetour)
    )
    let own = (first: first.weight * volumes.first, second: second.weight * volumes.second, new: new.weight * volume)
    let lost = (
      old: (first.weight + second.weight) * merged.old - own.first - own.second,
      one: (first.weight + new.weight) * merged.one - own.first - own.new,
      other: (second.weight + new.weight) * merged.other - own.second - own.new
    )
    if lost.old <= lost.one, lost.old <= lost.other {
      first = .merged(first, second)
      second = new
      volumes = (merged.old, volume)
    } else if lost.one <= lost.other {
      first = .merged(first, new)
      volumes.first = merged.one
    } else {
      second = .merged(second, new)
      volumes.second = merged.other
    }
  }

  func each(_ body: (RangeHypothesis) -> Void) {
    body(first)
    body(second)
  }

  mutating func move(_ motion: RangeMotion, drift: Double) {
    first.move(motion, drift: drift)
    second.move(motion, drift: drift)
  }

  mutating func shift(by distance: Double) {
    first.state.x += distance
    second.state.x += distance
  }

  mutating func scaleWeights(by factor: Double) {
    first.weight *= factor
    second.weight *= factor
  }
}
