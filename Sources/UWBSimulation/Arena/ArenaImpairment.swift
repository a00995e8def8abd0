import Numerics
import UWBDSP
import UWBPlatform

/// What a radio and its surroundings do to a CIR. Levels are relative to the strongest noiseless tap.
public enum ArenaImpairment: Sendable, Hashable {
  /// Side lobes of the preamble code before the first path; the largest is at the level.
  case clutter(leveldB: ClosedRange<Double> = -26 ... -22)
  /// An interference burst of 8 … 120 taps anywhere in the accumulator, rms at the level.
  case burst(leveldB: ClosedRange<Double> = -26 ... -14)
  /// Another tag's response, its largest tap at the level, that many taps later; this share of them has but one path.
  case otherTag(
    leveldB: ClosedRange<Double> = -12...6, laterTaps: ClosedRange<Double> = 20...250, onePathShare: Double = 0)
  /// An additive pattern of this period, 0.3 … 1 times the noise.
  case pattern(periodTaps: Int)
  /// A constant of −35 … −25 dB.
  case offset
  /// Noise through the receive filter, which is drawn for each CIR.
  case colouredNoise
  /// Gain that drifts by up to ±4 dB along the accumulator, with a ripple of up to 1 dB.
  case gainDrift
  /// Real and imaginary parts clipped at 0.4 … 0.85 of the largest.
  case clipping
  /// Integers, the largest part at 60 counts.
  case quantisation

  static let burstTaps = 8.0...120.0
  static let patternShare = 0.3...1.0
  static let offsetdB = -35.0 ... -25.0
  static let clippingShare = 0.4...0.85
  static let quantisationCounts = 60
}

extension ArenaImpairment {
  /// A signal that is added to the CIR, and what its level refers to.
  struct Addition {
    var paths: [Path]
    /// Where delay 0 of `paths` lies, taps.
    var onsetTaps: Double
    var leveldB: Double
    /// The taps whose rms is at the level; `nil` where the largest tap is.
    var rmsTaps: Range<Int>?
  }

  /// Whether it is a signal that an antenna receives beside the tag's.
  var addsSignal: Bool {
    switch self {
    case .clutter, .burst, .otherTag: true
    default: false
    }
  }

  /// `nil` for impairments that add no signal.
  func addition(firstPathTaps: Double, tapCount: Int, using generator: inout SeededGenerator) -> Addition? {
    switch self {
    case .clutter(let leveldB):
      let length = generator.uniform(in: 40...400)
      let density = generator.uniform(in: 0.05...0.5)
      let paths = Self.rays(count: generator.poisson(mean: length * density) + 1, &generator) { generator in
        -generator.uniform(in: 6...length)
      }
      return Addition(
        paths: paths, onsetTaps: firstPathTaps, leveldB: generator.uniform(in: leveldB), rmsTaps: nil)
    case .burst(let leveldB):
      let length = generator.uniform(in: Self.burstTaps)
      let start = generator.uniform(in: 0...Double(tapCount) - length)
      let paths = Self.rays(count: Int(2 * length), &generator) { $0.uniform(in: 0...length) }
      return Addition(
        paths: paths, onsetTaps: start, leveldB: generator.uniform(in: leveldB),
        rmsTaps: Int(start)..<Int(start + length))
    case .otherTag(let leveldB, let laterTaps, let onePathShare):
      // Families without such tags keep their draws.
      let hasOnePath = onePathShare > 0 && generator.uniform() < onePathShare
      let channel = hasOnePath ? ArenaChannel.onePath : .salehValenzuela(lineOfSight: generator.uniform() < 0.5)
      return Addition(
        paths: channel.draw(using: &generator), onsetTaps: firstPathTaps + generator.uniform(in: laterTaps),
        leveldB: generator.uniform(in: leveldB), rmsTaps: nil)
    default: return nil
    }
  }

  private static func rays(
    count: Int, _ generator: inout SeededGenerator, _ tap: (inout SeededGenerator) -> Double
  ) -> [Path] {
    (0..<count).map { _ in
      let delay = tap(&generator) * UWB.tap
      return Path(delay: delay, amplitude: generator.complexNormal())
    }
  }

  /// Changes the received samples, noise included; nothing for impairments that add a signal or colour the noise.
  func apply(
    to samples: inout [Complex<Float>], peak: Double, noiseVariance: Double, using generator: inout SeededGenerator
  ) {
    switch self {
    case .pattern(let period):
      let size = generator.uniform(in: Self.patternShare)
      let pattern = (0..<period).map { _ in generator.complexNormal(variance: size * size * noiseVariance) }
      for tap in samples.indices { samples[tap] += Complex<Float>(pattern[tap % period]) }
    case .offset:
      let size = peak * pow(10, generator.uniform(in: Self.offsetdB) / 20)
      let offset = Complex<Float>(generator.unitPhasor() * Complex(size))
      for tap in samples.indices { samples[tap] += offset }
    case .gainDrift:
      let slope = generator.uniform(in: -8...8)
      let (ripple, cycles, phase) = (generator.uniform(in: 0...1), generator.uniform(in: 1...12), generator.phase())
      for tap in samples.indices {
        let part = Double(tap) / Double(samples.count)
        let decibels = slope * (part - 0.5) + ripple * sin(2 * .pi * cycles * part + phase)
        samples[tap] *= Complex(Float(pow(10, decibels / 20)))
      }
    case .clipping:
      let limit = Float(generator.uniform(in: Self.clippingShare)) * Self.largestPart(samples)
      for tap in samples.indices {
        let raw = samples[tap].rawStorage
        samples[tap] = Complex(min(max(raw.x, -limit), limit), min(max(raw.y, -limit), limit))
      }
    case .clutter, .burst, .otherTag, .colouredNoise, .quantisation: break
    }
  }

  private static func largestPart(_ samples: [Complex<Float>]) -> Float {
    samples.reduce(0) { max($0, abs($1.rawStorage.x), abs($1.rawStorage.y)) }
  }

  /// How a random receive filter correlates the noise of neighbouring taps.
  static func noiseCorrelation(using generator: inout SeededGenerator) -> NoiseCorrelation {
    let filter = PulseShape.raisedCosine(
      rolloff: generator.uniform(in: 0.3...0.7), period: generator.uniform(in: 0.8...1.2) / UWB.chipRate)
    return .matchedFilter(filter, whiteShare: generator.uniform(in: 0.02...0.1)) ?? .white
  }
}

extension Complex where RealType == Float {
  fileprivate init(_ value: Complex<Double>) {
    self.init(Float(value.rawStorage.x), Float(value.rawStorage.y))
  }
}
