/// One account of what a peer did: state (distance, its rate, detour), Gaussian, with the weight that it has among others.
struct RangeHypothesis: Sendable, Hashable {
  /// 0: nothing.
  var weight: Double
  /// m, m/s, m
  var state: SIMD3<Double>
  var covariance: SymmetricMatrix3

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

  /// The same with a detour of which nothing is known but its mean and variance.
  func withDetour(_ mean: Double, variance: Double) -> RangeHypothesis {
    var next = withoutDetour
    next.state.z = mean
    next.covariance.z.z = variance
    return next
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

  /// What a merger would blur, m²: how far apart in place and width, by weight (Ward, J. Am. Statistical Association 58, 1963).
  static func blur(_ a: RangeHypothesis, _ b: RangeHypothesis) -> Double {
    let sum = a.weight + b.weight
    guard sum > 0 else { return 0 }
    let apart = a.state.x - b.state.x
    let width = max(0, a.covariance.x.x).squareRoot() - max(0, b.covariance.x.x).squareRoot()
    return a.weight * b.weight / sum * (apart * apart + width * width)
  }
}

/// At most two hypotheses of a kind; a third makes the two that are most alike one.
struct RangeHypotheses: Sendable, Hashable {
  private(set) var first = RangeHypothesis.none
  private(set) var second = RangeHypothesis.none

  var weight: Double { first.weight + second.weight }

  var heavier: RangeHypothesis { first.weight >= second.weight ? first : second }

  mutating func add(_ new: RangeHypothesis) {
    guard new.weight > 0 else { return }
    guard first.weight > 0 else {
      first = new
      return
    }
    guard second.weight > 0 else {
      second = new
      return
    }
    let (together, one, other) = (
      RangeHypothesis.blur(first, second), RangeHypothesis.blur(first, new), RangeHypothesis.blur(second, new)
    )
    if together <= one, together <= other {
      first = .merged(first, second)
      second = new
    } else if one <= other {
      first = .merged(first, new)
    } else {
      second = .merged(second, new)
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
