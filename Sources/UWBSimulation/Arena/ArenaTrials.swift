import Numerics
import UWBDSP
import UWBPlatform

/// The CIRs of an arena family and their true first paths: trial i is the same whichever thread asks for it.
public struct ArenaTrials: Sendable {
  /// The family that the trials belong to.
  public let family: ArenaFamily
  /// Seed of the random draws.
  public let seed: UInt64
  /// Of each radio that the family's CIRs come from.
  public let pulses: [PulseShape]
  private let synthesizers: [ImpulseResponseSynthesizer]
  let random: SeededGenerator

  /// One CIR and what is true of it.
  public struct Trial: Sendable {
    /// The CIR.
    public var response: ChannelImpulseResponse
    /// Where the first path's pulse peaks, taps from the start of `response`.
    public var firstPathTaps: Double
    /// Which radio received it, an index of `pulses`.
    public var radio: Int
  }

  /// The trials of a family.
  public init(family: ArenaFamily, seed: UInt64) {
    self.family = family
    self.seed = seed
    // FNV-1a: the draws of one family do not depend on what other families there are.
    let name = family.draws.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    random = SeededGenerator(seed: seed, stream: name)
    var radios = random.substream(0)
    pulses = (0..<family.pulse.radioCount).map { _ in family.pulse.draw(using: &radios) }
    synthesizers = pulses.map { ImpulseResponseSynthesizer(pulse: $0, tapCount: ArenaFamily.tapCount) }
  }

  /// Taps of each CIR.
  public var tapCount: Int { family.windowTaps ?? ArenaFamily.tapCount }

  /// Makes trial `index`; the same index gives the same CIR.
  ///
  /// - Parameter reception: receptions of one trial differ in their noise alone, where the family has no impairments.
  public func trial(_ index: Int, reception: Int = 0) -> Trial {
    trial(radio: index % pulses.count, stream: 3 * index + 1, reception: reception)
  }

  /// A CIR of radio `radio` in other places of the family, to measure its pulse on.
  public func surveyTrial(_ index: Int, radio: Int) -> Trial {
    trial(radio: radio, stream: 3 * (index * pulses.count + radio) + 3)
  }

  private func trial(radio: Int, stream: Int, reception: Int = 0) -> Trial {
    var generator = random.substream(UInt64(stream))
    let paths = family.channel.draw(using: &generator)
    return receive(paths, radio: radio, family.impairments, reception: reception, using: &generator)
  }

  /// A CIR of one path alone on radio `radio`, to calibrate an estimator's constant error on.
  public func calibrationTrial(_ index: Int, radio: Int) -> Trial {
    var generator = random.substream(3 * UInt64(index * pulses.count + radio) + 2)
    return receive(ArenaChannel.onePath.draw(using: &generator), radio: radio, [], using: &generator)
  }

  private func receive(
    _ paths: [Path], radio: Int, _ impairments: [ArenaImpairment], reception: Int = 0,
    using generator: inout SeededGenerator
  ) -> Trial {
    let synthesizer = synthesizers[radio]
    let onset = generator.uniform(in: ArenaFamily.firstPathTaps)
    let snr = pow(10, generator.uniform(in: family.snrdB) / 10)
    var samples = synthesizer.noiseless(paths, onsetTaps: onset)
    let peak = Self.largest(samples)
    for impairment in impairments {
      guard
        let addition = impairment.addition(firstPathTaps: onset, tapCount: samples.count, using: &generator)
      else { continue }
      Self.add(addition, peak: peak, synthesizer, to: &samples)
    }
    let variance = peak * peak / snr
    if reception > 0 { generator = generator.substream(UInt64(reception)) }
    if impairments.contains(.colouredNoise) {
      let correlation = ArenaImpairment.noiseCorrelation(using: &generator)
      NoiseColouring(correlation).addNoise(variance: variance, to: &samples, using: &generator)
    } else {
      generator.addNoise(variance: variance, to: &samples)
    }
    for impairment in impairments {
      impairment.apply(to: &samples, peak: peak, noiseVariance: variance, using: &generator)
    }
    let start = windowStart(onset, using: &generator)
    let window = Array(samples[start..<start + tapCount])
    let quantisation = AccumulatorQuantisation.automaticGain(peakCounts: ArenaImpairment.quantisationCounts)
    return Trial(
      response: impairments.contains(.quantisation)
        ? quantisation.impulseResponse(window) : ChannelImpulseResponse(window),
      firstPathTaps: onset - Double(start), radio: radio)
  }

  /// Adds a signal to the samples of the synthesizer's antennas, one after the other; its level is that on the first.
  static func add(
    _ addition: ArenaImpairment.Addition, peak: Double, _ synthesizer: ImpulseResponseSynthesizer,
    to samples: inout [Complex<Float>]
  ) {
    let signal = synthesizer.noiseless(addition.paths, onsetTaps: addition.onsetTaps)
    let level = addition.rmsTaps.map { rms(signal[$0]) } ?? largest(signal)
    guard level > 0 else { return }
    let gain = Complex(Float(peak * pow(10, addition.leveldB / 20) / level))
    for tap in samples.indices { samples[tap] += gain * signal[tap] }
  }

  /// The first tap of the window that an estimator sees.
  private func windowStart(_ onset: Double, using generator: inout SeededGenerator) -> Int {
    guard let window = family.windowTaps else { return 0 }
    let before = generator.uniform(in: family.windowShare) * Double(window)
    return Int(onset - before)
  }

  private static func largest(_ samples: [Complex<Float>]) -> Double {
    Double(samples.reduce(0) { max($0, $1.lengthSquared) }.squareRoot())
  }

  private static func rms(_ samples: ArraySlice<Complex<Float>>) -> Double {
    Double((samples.reduce(0) { $0 + $1.lengthSquared } / Float(max(samples.count, 1))).squareRoot())
  }
}
