import Numerics

/// What hints at a further path on one antenna, and makes it worth a fit, noise variances.
enum PathHint {
  static let another = 6.0
  /// For a path that stands for two: one direction is looked at, not a grid of them.
  static let split = 4.0
  /// What is left beyond noise, its standard deviations.
  static let excess = 2.0

  /// γ_A of the same chance: fixed point of γ + ln Σ_{j<A} γ_A^j/j!, reached to 10⁻³ in a few steps.
  static func level(_ single: Double, _ amplitudes: Int) -> Double {
    var level = single
    guard amplitudes > 1 else { return level }
    for _ in 0..<12 {
      var term = 1.0
      var sum = 1.0
      for index in 1..<amplitudes {
        term *= level / Double(index)
        sum += term
      }
      level = single + Double.log(sum)
    }
    return level
  }
}

/// What a further path has to bring, in noise variances.
struct PathLimits {
  /// A figure that depends on how far a further path moves the first one: `near` up to half a tap, `far` from 1.25 on.
  struct Stakes {
    var near: Double
    var far: Double

    func callAsFunction(shift: Double) -> Double {
      near + (far - near) * min(max((shift - 0.5) / 0.75, 0), 1)
    }
  }

  var variance: Double
  /// γ
  var acceptance: Stakes
  /// Before it is as likely there as not: the price of three more unknowns found by a search, which is longer where the
  /// path may be anywhere.
  var evenOdds: Stakes
  /// `PathHint`
  var hint: Double
  var splitHint: Double

  init(variance: Double, logSNR: Double, amplitudes: Int) {
    func level(_ single: Double) -> Double { PathHint.level(single, amplitudes) }
    self.variance = variance
    acceptance = Stakes(near: level(5 + logSNR), far: level(14 + logSNR))
    evenOdds = Stakes(near: level(7), far: level(12))
    hint = level(PathHint.another)
    splitHint = level(PathHint.split)
  }
}
