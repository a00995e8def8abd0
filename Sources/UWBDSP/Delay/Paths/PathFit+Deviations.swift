import Numerics

/// How well delays and phases are known at the delays of the last `solve`, over σ²/2: the Cramér–Rao bound there.
extension PathFit {
  /// Makes H⁻¹; `differentiate` has to have succeeded.
  func invertCurvature(count: Int) {
    for column in 0..<count {
      let target = covariance.pointer + column * Self.mostPaths
      for row in 0..<count { target[row] = row == column ? 1 : 0 }
      solver.solve(target, count)
    }
  }

  /// Takes the place of `invertCurvature` where other data constrain the delays, too.
  func setDelayCovariance(_ first: Int, _ second: Int, _ value: Double) {
    covariance.pointer[first * Self.mostPaths + second] = value
  }

  /// Covariance of two delays over σ²/2, taps².
  func delayCovariance(_ first: Int, _ second: Int) -> Double {
    covariance.pointer[first * Self.mostPaths + second]
  }

  /// Variance of the phase of one amplitude over σ²/2: its own, and what it takes up of the delays' errors,
  /// ∂a_i/∂τ_j = −(G⁻¹Bᵀs_j)_i·a_j.
  func phaseVariance(_ index: Int, count: Int) -> Double {
    let own = amplitude(index)
    let power = max(own.lengthSquared, .leastNormalMagnitude)
    let unit = step.pointer
    for other in 0..<count { unit[other] = other == index ? 1 : 0 }
    gram.solve(unit, order: count)
    var variance = unit[index] / power
    for path in 0..<count {
      // (G⁻¹·C)_ip: G⁻¹ is symmetric.
      var leakage = 0.0
      for other in 0..<count { leakage += unit[other] * overlaps.pointer[other * Self.mostPaths + path] }
      leakages.pointer[path] = -leakage * (own.conjugate * amplitude(path)).rawStorage.y / power
    }
    for first in 0..<count {
      for second in 0..<count {
        variance += leakages.pointer[first] * delayCovariance(first, second) * leakages.pointer[second]
      }
    }
    return variance
  }
}
