import Numerics
import UWBDSP

/// Seeded random numbers (SplitMix64: Steele, Lea & Flood 2014), for trials that repeat bit for bit.
package struct TrialGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// 0 ..< 1
  package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Complex Gaussian of variance 1 (Box & Muller 1958).
  package mutating func complexNormal() -> Complex<Double> {
    Complex(length: (-Double.log(1 - uniform())).squareRoot(), phase: 2 * .pi * uniform())
  }

  /// Gaussian of variance 1.
  package mutating func normal() -> Double { 2.0.squareRoot() * complexNormal().rawStorage.x }
}

/// One path of a trial: taps after the first one, and dB over amplitude 1.
package struct TrialPath: Sendable {
  package var delay: Double
  package var powerdB: Double
  package init(_ delay: Double, _ powerdB: Double) {
    self.delay = delay
    self.powerdB = powerdB
  }
}

/// One simulated CIR with its truth.
package struct PathTrial {
  package var response: ChannelImpulseResponse
  /// Delay of the first path, taps.
  package var truth: Double
  package var amplitudes: [Complex<Double>]
  package var delays: [Double]
  /// E|n|² of a tap.
  package var noiseVariance: Double

  /// Paths of random phase with the first one anywhere between 40 and 60 % of the CIR, in white noise `snrdB` below the
  /// CIR's peak.
  package static func make(
    _ paths: [TrialPath], snrdB: Double, tapCount: Int = 512, pulse: PulseShape = .standard,
    using generator: inout TrialGenerator
  ) -> PathTrial {
    let first = Double(tapCount) * (0.4 + 0.2 * generator.uniform())
    let delays = paths.map { first + $0.delay }
    let amplitudes = paths.map {
      Complex(length: Double.pow(10, $0.powerdB / 20), phase: 2 * .pi * generator.uniform())
    }
    var peak = 0.0
    var taps = (0..<tapCount).map { tap -> Complex<Double> in
      var sum = Complex<Double>.zero
      for (delay, amplitude) in zip(delays, amplitudes) where abs(Double(tap) - delay) < 60 {
        sum += amplitude * Complex(pulse((Double(tap) - delay) * UWB.tap))
      }
      peak = max(peak, sum.lengthSquared)
      return sum
    }
    let variance = peak * Double.pow(10, -snrdB / 10)
    for tap in 0..<tapCount { taps[tap] += generator.complexNormal() * Complex(variance.squareRoot()) }
    return PathTrial(
      response: ChannelImpulseResponse(taps.map { Complex(Float($0.rawStorage.x), Float($0.rawStorage.y)) }),
      truth: first, amplitudes: amplitudes, delays: delays, noiseVariance: variance)
  }

  /// Cramér–Rao bound of the first path's delay, taps², with all delays and amplitudes unknown: the first element of
  /// the inverse of the Fisher information of (τ_i, Re a_i, Im a_i), by Gauss–Jordan elimination.
  package func bound(pulse: PulseShape = .standard) -> Double {
    let count = delays.count
    func value(_ time: Double) -> Complex<Double> { Complex(pulse(time * UWB.tap)) }
    var information = [[Double]](repeating: [Double](repeating: 0, count: 3 * count), count: 3 * count)
    for tap in Int(delays[0]) - 40...Int(delays[0]) + 60 {
      var slopes: [Complex<Double>] = []
      var values: [Complex<Double>] = []
      for (delay, amplitude) in zip(delays, amplitudes) {
        let time = Double(tap) - delay
        slopes.append(amplitude * (value(time - 1e-4) - value(time + 1e-4)) / Complex(2e-4))
        values.append(value(time))
      }
      let gradient = slopes + values + values.map { $0 * Complex(0, 1) }
      for row in 0..<3 * count {
        for column in 0..<3 * count {
          let product = gradient[row].conjugate * gradient[column]
          information[row][column] += 2 / noiseVariance * product.rawStorage.x
        }
      }
    }
    var inverse = [1.0] + [Double](repeating: 0, count: 3 * count - 1)
    for pivot in 0..<3 * count {
      for row in 0..<3 * count where row != pivot {
        let factor = information[row][pivot] / information[pivot][pivot]
        for column in pivot..<3 * count { information[row][column] -= factor * information[pivot][column] }
        inverse[row] -= factor * inverse[pivot]
      }
    }
    return inverse[0] / information[0][0]
  }
}

/// How an estimator did over many trials.
package struct PathScore: CustomStringConvertible {
  package var trials = 0
  /// No path at all.
  package var missed = 0
  /// More than 0.75 tap early.
  package var early = 0
  package var errors: [Double] = []
  /// Error over the stated deviation.
  package var normalised: [Double] = []
  private var bounds: [Double] = []

  /// Runs `estimator` on trials drawn from `seed`.
  package init<Estimator: DelayEstimator>(
    _ estimator: Estimator, _ paths: [TrialPath], snrdB: Double, trials: Int, seed: UInt64,
    pulse: PulseShape = .standard, withBound: Bool = true
  ) {
    self.trials = trials
    var generator = TrialGenerator(seed: seed)
    let workspace = estimator.makeWorkspace(tapCount: 512)
    let taps = PreparedTaps(tapCount: 512)
    var estimate = DelayEstimate()
    for _ in 0..<trials {
      let trial = PathTrial.make(paths, snrdB: snrdB, pulse: pulse, using: &generator)
      taps.load(trial.response, antenna: 0)
      estimator.estimate(taps, into: &estimate, using: workspace)
      guard let path = estimate.firstPath else {
        missed += 1
        continue
      }
      let error = path.delayTaps - trial.truth
      errors.append(error)
      normalised.append(error / path.deviationTaps)
      if error < -0.75 { early += 1 }
      if withBound { bounds.append(trial.bound(pulse: pulse)) }
    }
  }

  package var bias: Double { errors.reduce(0, +) / Double(max(1, errors.count)) }
  package var rmse: Double { Self.meanSquare(errors).squareRoot() }
  /// RMSE over the root of the mean bound.
  package var ratio: Double { rmse / (bounds.reduce(0, +) / Double(max(1, bounds.count))).squareRoot() }
  package var normalisedVariance: Double { Self.meanSquare(normalised) }

  private static func meanSquare(_ values: [Double]) -> Double {
    values.reduce(0) { $0 + $1 * $1 } / Double(max(1, values.count))
  }

  package var description: String {
    "rmse \(rmse), ratio \(ratio), bias \(bias), normalised variance \(normalisedVariance), missed \(missed), "
      + "early \(early) of \(trials)"
  }
}
