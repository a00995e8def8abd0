import Numerics
import TestSupport

@testable import UWBDSP

/// A CIR of several paths under white noise of variance 1, with what an efficient estimator makes of it to first order.
///
/// With the noise n, the linearised model n = Σ_i (b_i·δa_i + a_i·s_i·δτ_i) solved by least squares gives the error
/// δτ_1 of the maximum-likelihood delay up to terms of second order. As a control variate it takes nearly all sampling
/// scatter out of a comparison with the bound: mean(e²) is estimated by bound² + mean(e² − δτ_1²).
struct LinearisedPaths {
  let samples: [Complex<Float>]
  /// δτ_1, taps.
  let linearError: Double
  /// Cramér–Rao bound on the first delay's variance, taps².
  let boundSquared: Double

  init?(_ paths: [NaivePath], tapCount: Int, using random: inout StatisticsRandom) {
    guard let first = paths.first, let last = paths.last else { return nil }
    let bound = DelayBound()
    let noise = (0..<tapCount).map { _ in random.complexGaussian() }
    let near = max(0, Int(first.delayTaps) - 20)..<min(tapCount, Int(last.delayTaps) + 21)
    samples = noise.enumerated().map { tap, noise in
      let value = paths.reduce(noise) { $0 + $1.amplitude * Complex(bound.value(Double(tap) - $1.delayTaps)) }
      return Complex(Float(value.real), Float(value.imaginary))
    }
    var columns: [[Double]] = []
    for path in paths {
      let slopes = near.map { path.amplitude * Complex(-bound.slope(Double($0) - path.delayTaps)) }
      columns.append(slopes.map(\.real) + slopes.map(\.imaginary))
    }
    for path in paths {
      let pulse = near.map { bound.value(Double($0) - path.delayTaps) }
      let zeroes = pulse.map { _ in 0.0 }
      columns += [pulse + zeroes, zeroes + pulse]
    }
    let problem = LeastSquares(rows: 2 * near.count, columns: columns.count)
    var solution = [Double](repeating: 0, count: columns.count)
    let side = near.map { noise[$0].real } + near.map { noise[$0].imaginary }
    guard
      problem.solve(columns.flatMap { $0 }, side, into: &solution, using: problem.makeWorkspace()) != nil,
      let covariance = bound.pathsTapsSquared(
        delaysTaps: paths.map(\.delayTaps), amplitudes: paths.map(\.amplitude), taps: near,
        noise: .white(variance: 1))
    else { return nil }
    linearError = solution[0]
    boundSquared = covariance[0]
  }
}
