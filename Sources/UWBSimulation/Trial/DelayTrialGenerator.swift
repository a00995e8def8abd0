import Numerics
import UWBDSP
import UWBPlatform

/// What is true of one trial of a delay estimator.
public struct DelayTrial: Sendable {
  /// Which trial of the run.
  public let index: Int
  /// The true first path, taps from the start of the accumulator; fractional.
  public let firstPathTaps: Double
  /// The channel; delays count from the first path.
  public let paths: [Path]
  /// Complex noise variance of a tap.
  public let noiseVariance: Double
  /// The power that the asked SNR refers to (`SNRReference`).
  public let peakPower: Double
  /// SNR of the first path alone, |a|²/σ², dB; −∞ where its ray has no power (the soft onset of CM8).
  public var firstPathSNRdB: Double {
    10 * log10((paths.first?.power ?? 0) / noiseVariance)
  }
}

/// Trials for a delay estimator: trial i is the same whichever thread asks for it, in whatever order.
///
/// A trial draws a channel, puts its first path anywhere in a range of taps, and sets the noise so that the SNR is as asked.
public struct DelayTrialGenerator: Sendable {
  /// Which power is the signal's.
  public enum SNRReference: Sendable, Hashable {
    /// That of the strongest tap of the noiseless CIR: up to 1 dB below the pulse's peak, as taps miss it.
    case strongestTap
    /// The noiseless CIR's peak between the taps too (to 0.01 dB): for one path |a|².
    case continuousPeak
    /// That of the first path, |a|².
    case firstPath
  }

  /// The channel that CIRs are drawn from.
  public let channel: Channel
  /// Signal-to-noise ratio, dB.
  public let snrdB: Double
  /// What the signal-to-noise ratio refers to.
  public let reference: SNRReference
  /// Where the first path may lie, taps; uniform.
  public let onsetTaps: ClosedRange<Double>
  /// How samples are rounded; `nil` keeps them in single precision.
  public let quantisation: AccumulatorQuantisation?
  /// Of the taps' noise.
  public let noise: NoiseCorrelation
  /// Seed of the random draws.
  public let seed: UInt64
  /// Makes CIRs of paths.
  public let synthesizer: ImpulseResponseSynthesizer
  private let colouring: NoiseColouring?

  /// - Parameters:
  ///   - carrier: where the channel's frequency dependence is taken, Hz; UWB channel 5 by default.
  ///   - onsetTaps: by default 100 taps from both ends of the accumulator (a tenth of it where it is short).
  public init(
    channel: Channel, snrdB: Double, reference: SNRReference = .strongestTap, pulse: PulseShape = .standard,
    tapCount: Int = 1016, onsetTaps: ClosedRange<Double>? = nil, carrier: Double = 6489.6e6,
    noise: NoiseCorrelation = .white, quantisation: AccumulatorQuantisation? = nil, seed: UInt64
  ) {
    self.channel = channel
    self.snrdB = snrdB
    self.reference = reference
    self.quantisation = quantisation
    self.noise = noise
    colouring = noise.isWhite ? nil : NoiseColouring(noise)
    self.seed = seed
    let margin = Double(min(100, tapCount / 10))
    self.onsetTaps = onsetTaps ?? margin...max(margin, Double(tapCount) - margin)
    let exponent = channel.frequencyExponent
    synthesizer = ImpulseResponseSynthesizer(
      pulse: pulse, tapCount: tapCount,
      frequencyDependence: exponent == 0 ? nil : FrequencyDependence(exponent: exponent, carrier: carrier))
  }

  /// Overwrites `samples` with the CIR of trial `index` and says what is true of it. Allocates for the path list, and for
  /// `samples` where its size is another.
  public func trial(_ index: Int, into samples: inout [Complex<Float>]) -> DelayTrial {
    var generator = SeededGenerator(seed: seed, stream: UInt64(bitPattern: Int64(index)))
    let onset = generator.uniform(in: onsetTaps)
    let paths = channel.draw(using: &generator)
    let power = signalPower(paths, onset: onset, scratch: &samples)
    if reference != .strongestTap {
      synthesizer.synthesizeNoiseless(paths, onsetTaps: onset, into: &samples)
    }
    let variance = power * pow(10, -snrdB / 10)
    if let colouring {
      colouring.addNoise(variance: variance, to: &samples, using: &generator)
    } else {
      generator.addNoise(variance: variance, to: &samples)
    }
    quantisation?.quantise(&samples)
    return DelayTrial(
      index: index, firstPathTaps: onset, paths: paths, noiseVariance: variance, peakPower: power)
  }

  /// Leaves the noiseless CIR in `samples` where that is what it looks at: with `.strongestTap`.
  private func signalPower(
    _ paths: [Path], onset: Double, scratch samples: inout [Complex<Float>]
  ) -> Double {
    if reference == .firstPath || (reference == .continuousPeak && paths.count == 1) {
      return paths.first?.power ?? 0
    }
    let shifts = reference == .continuousPeak ? 8 : 1
    // Interleaved in the end: powers[tap · shifts + shift] lies shift/8 of a tap after the tap.
    var powers = [Double](repeating: 0, count: synthesizer.tapCount * shifts)
    for shift in 0..<shifts {
      synthesizer.synthesizeNoiseless(paths, onsetTaps: onset - Double(shift) / Double(shifts), into: &samples)
      for tap in 0..<synthesizer.tapCount {
        let raw = samples[tap].rawStorage
        powers[tap * shifts + shift] = Double(raw.x * raw.x + raw.y * raw.y)
      }
    }
    guard let best = powers.indices.max(by: { powers[$0] < powers[$1] }) else { return 0 }
    guard shifts > 1, best > 0, best < powers.count - 1 else { return powers[best] }
    // The parabola through the three points round the peak.
    let (left, here, right) = (powers[best - 1], powers[best], powers[best + 1])
    let curvature = left - 2 * here + right
    return curvature < 0 ? here - (right - left) * (right - left) / (8 * curvature) : here
  }
}
