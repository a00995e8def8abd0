import Numerics
import UWBDSP
import UWBPlatform

/// Seeded CIRs for the onset estimators' tests: 256 taps, standard pulse, white noise of variance 1.
package struct OnsetTrials {
  package static let tapCount = 256
  private var random: TrialGenerator

  package init(seed: UInt64) { random = TrialGenerator(seed: seed) }

  package mutating func uniform() -> Double { random.uniform() }

  /// A complex Gaussian draw of variance `variance`.
  package mutating func gaussian(variance: Double) -> Complex<Double> {
    let radius = (-variance * log(1 - uniform())).squareRoot()
    let angle = 2 * .pi * uniform()
    return Complex(radius * cos(angle), radius * sin(angle))
  }

  /// Paths (delay in taps after `onset`, power in dB over the noise) at random phases, in noise.
  package mutating func paths(_ list: [(delay: Double, powerdB: Double)], onset: Double) -> ChannelImpulseResponse {
    let drawn = list.map { path in
      let angle = 2 * .pi * uniform()
      let size = pow(10, path.powerdB / 20)
      return (delay: onset + path.delay, amplitude: Complex(size * cos(angle), size * sin(angle)))
    }
    return response(drawn)
  }

  /// A continuum from `onset` on, four rays a tap, mean power falling by e in 8 taps from `powerdB` over the noise.
  package mutating func continuum(onset: Double, powerdB: Double) -> ChannelImpulseResponse {
    response(rays(onset: onset, powerdB: powerdB))
  }

  /// A path of any phase and, `gap` taps behind it, such a continuum.
  package mutating func rice(
    onset: Double, pathdB: Double, gap: Double, powerdB: Double
  ) -> ChannelImpulseResponse {
    let angle = 2 * .pi * uniform()
    let size = pow(10, pathdB / 20)
    return response(
      [(delay: onset, amplitude: Complex(size * cos(angle), size * sin(angle)))]
        + rays(onset: onset + gap, powerdB: powerdB))
  }

  private mutating func rays(onset: Double, powerdB: Double) -> [(delay: Double, amplitude: Complex<Double>)] {
    var drawn: [(delay: Double, amplitude: Complex<Double>)] = []
    for index in 0..<200 {
      let time = (Double(index) + 0.5) / 4
      drawn.append((onset + time, gaussian(variance: pow(10, powerdB / 10) / 4 * exp(-time / 8))))
    }
    return drawn
  }

  private mutating func response(
    _ paths: [(delay: Double, amplitude: Complex<Double>)]
  ) -> ChannelImpulseResponse {
    var samples: [Complex<Float>] = []
    for tap in 0..<Self.tapCount {
      var sum = gaussian(variance: 1)
      for path in paths {
        let pulse = PulseShape.standard((Double(tap) - path.delay) * UWB.tap)
        sum += path.amplitude * Complex(pulse)
      }
      samples.append(Complex(Float(sum.real), Float(sum.imaginary)))
    }
    return ChannelImpulseResponse(samples)
  }
}

/// What a run of trials gave: estimates less truth, and stated deviations.
package struct OnsetErrors {
  package var errors: [Double] = []
  package var deviations: [Double] = []
  package var pathCounts: [Int] = []

  /// Runs `estimator` over `count` CIRs that `draw` makes for an onset.
  package init<Estimator: DelayEstimator>(
    _ estimator: Estimator, count: Int, seed: UInt64, draw: (inout OnsetTrials, Double) -> ChannelImpulseResponse
  ) {
    var trials = OnsetTrials(seed: seed)
    let taps = PreparedTaps(tapCount: OnsetTrials.tapCount)
    let workspace = estimator.makeWorkspace(tapCount: OnsetTrials.tapCount)
    var estimate = DelayEstimate()
    for _ in 0..<count {
      let onset = 160 + trials.uniform()
      taps.load(draw(&trials, onset), antenna: 0)
      estimator.estimate(taps, into: &estimate, using: workspace)
      pathCounts.append(estimate.paths.count)
      errors.append((estimate.firstPath?.delayTaps ?? .infinity) - onset)
      deviations.append(estimate.firstPath?.deviationTaps ?? 0)
    }
  }

  package var median: Double { errors.sorted()[errors.count / 2] }

  /// 90th percentile of |error − median|.
  package var spread: Double {
    let centre = median
    return errors.map { abs($0 - centre) }.sorted()[errors.count * 9 / 10]
  }

  /// Share of the errors within one stated deviation.
  package var coverage: Double {
    Double(zip(errors, deviations).filter { abs($0) < $1 }.count) / Double(errors.count)
  }
}
