import Numerics
import UWBDSP

/// One estimator with everything it needs, filled again for each CIR, as the engine does it.
package final class DelayBench<Estimator: DelayEstimator> {
  package let estimator: Estimator
  package let taps: PreparedTaps
  package let workspace: Estimator.Workspace
  package private(set) var estimate = DelayEstimate()

  package init(_ estimator: Estimator, tapCount: Int) {
    self.estimator = estimator
    taps = PreparedTaps(tapCount: tapCount)
    workspace = estimator.makeWorkspace(tapCount: tapCount)
  }

  @discardableResult
  package func run(_ response: ChannelImpulseResponse) -> DelayEstimate {
    taps.load(response, antenna: 0)
    estimator.estimate(taps, into: &estimate, using: workspace)
    return estimate
  }

  @discardableResult
  package func run(_ samples: [Complex<Float>]) -> DelayEstimate { run(ChannelImpulseResponse(samples)) }
}

/// A lone path under white noise of variance 1, as the first-order error analysis sees it.
package struct LonePath {
  package let path: NaivePath
  package let samples: [Complex<Float>]
  /// What an efficient estimator errs by to first order, Re(a*·Σ p'·n)/(|a|²·Σ p'²), taps: delays of the noise itself.
  package let linearError: Double
  /// σ/√(2·|a|²·Σ p'²), taps.
  package let bound: Double

  package static func make(
    delay: ClosedRange<Double>, tapCount: Int, snrdB: Double, pulse: PulseShape = .standard,
    using random: inout StatisticsRandom
  ) -> LonePath {
    let path = NaivePath(
      delayTaps: random.uniform(delay), powerdB: snrdB, phase: random.uniform(0...2 * .pi))
    var samples: [Complex<Float>] = []
    samples.reserveCapacity(tapCount)
    var inner = 0.0
    var energy = 0.0
    for tap in 0..<tapCount {
      let noise = random.complexGaussian()
      let position = Double(tap) - path.delayTaps
      var value = noise
      if abs(position) < 40 {
        value += path.amplitude * Complex(pulse(position * UWB.tap))
        let slope = (pulse((position - 1e-3) * UWB.tap) - pulse((position + 1e-3) * UWB.tap)) / 2e-3
        let along = path.amplitude.conjugate * noise
        inner += slope * along.real
        energy += slope * slope
      }
      samples.append(Complex(Float(value.real), Float(value.imaginary)))
    }
    let information = path.amplitude.lengthSquared * energy
    return LonePath(
      path: path, samples: samples, linearError: inner / information, bound: (1 / (2 * information)).squareRoot())
  }
}
