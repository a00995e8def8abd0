import Numerics
import UWBDSP
import UWBPlatform

/// Turns propagation paths into the CIR that a receiver would accumulate.
///
/// Antenna m at p_m answers to a plane wave from unit vector u as `AntennaArray.response` says, and its pulse comes
/// p_m·u/c sooner than at the array's origin: an antenna on the peer's side hears it first. Delays and the first path's
/// position refer to the origin of the antenna positions.
///
/// The pulse is drawn from a table: its error is below 3·10⁻⁷ of the path's amplitude, and what is cut off far from the
/// peak is below `truncation` (see `PolyphasePulse`). SNR of a path is |a|²/σ².
public struct ImpulseResponseSynthesizer: Sendable {
  /// The pulse of one path.
  public let pulse: PulseShape
  /// The receiver's antennas; `nil` for a single one at the origin.
  public let array: AntennaArray?
  /// Taps of an antenna's CIR.
  public let tapCount: Int
  /// Seconds from one tap to the next.
  public let tapSpacing: Double
  /// m/s
  public let propagationSpeed: Double
  /// How much of a pulse's peak may be cut off far from it.
  public let truncation: Double
  /// How the channel distorts the pulse of every path; `nil` for not at all.
  public let frequencyDependence: FrequencyDependence?
  private let table: PolyphasePulse

  /// - Precondition: at least one tap; positive spacing, speed and truncation.
  public init(
    pulse: PulseShape = .standard, array: AntennaArray? = nil, tapCount: Int = 1016, tapSpacing: Double = UWB.tap,
    propagationSpeed: Double = UWB.speedOfLightInAir, truncation: Double = 1e-5,
    frequencyDependence: FrequencyDependence? = nil
  ) {
    precondition(
      tapCount > 0 && tapSpacing > 0 && propagationSpeed > 0 && truncation > 0,
      "\(tapCount) taps, \(tapSpacing) s apart, at \(propagationSpeed) m/s, truncated at \(truncation): no receiver")
    self.pulse = pulse
    self.array = array
    self.tapCount = tapCount
    self.tapSpacing = tapSpacing
    self.propagationSpeed = propagationSpeed
    self.truncation = truncation
    self.frequencyDependence = frequencyDependence
    table = PolyphasePulse(
      pulse: pulse, tapSpacing: tapSpacing, truncation: truncation, frequencyDependence: frequencyDependence)
  }

  /// Number of antennas.
  public var antennaCount: Int { array?.positions.count ?? 1 }

  /// Complex samples of a whole CIR: antennas × taps.
  public var sampleCount: Int { antennaCount * tapCount }

  /// Taps on each side of a path's peak that its pulse is drawn over.
  public var pulseHalfWidthTaps: Int { table.halfWidth }

  /// The CIR without noise, antenna after antenna.
  ///
  /// - Parameter onsetTaps: where delay 0 lies, taps from the start of the accumulator; fractional.
  public func noiseless(_ paths: [Path], onsetTaps: Double) -> [Complex<Float>] {
    var samples: [Complex<Float>] = []
    synthesizeNoiseless(paths, onsetTaps: onsetTaps, into: &samples)
    return samples
  }

  /// Overwrites `samples` with the CIR without noise. Allocates only where `samples` has another size.
  public func synthesizeNoiseless(_ paths: [Path], onsetTaps: Double, into samples: inout [Complex<Float>]) {
    if samples.count != sampleCount {
      samples = [Complex<Float>](repeating: .zero, count: sampleCount)
    }
    samples.withUnsafeMutableBufferPointer { samples in
      samples.update(repeating: .zero)
      add(paths, onsetTaps: onsetTaps, to: samples)
    }
  }

  /// Overwrites `samples` with the CIR of `paths` in white circular noise of variance `noiseVariance` a tap.
  ///
  /// Draws nothing where the variance is 0. Allocates only where `samples` has another size.
  public func synthesize(
    _ paths: [Path], onsetTaps: Double, noiseVariance: Double, using generator: inout SeededGenerator,
    into samples: inout [Complex<Float>]
  ) {
    synthesizeNoiseless(paths, onsetTaps: onsetTaps, into: &samples)
    generator.addNoise(variance: noiseVariance, to: &samples)
  }

  /// A CIR in memory of its own, ready for the engine.
  public func impulseResponse(
    _ paths: [Path], onsetTaps: Double, noiseVariance: Double, quantisation: AccumulatorQuantisation? = nil,
    using generator: inout SeededGenerator
  ) -> ChannelImpulseResponse {
    var samples: [Complex<Float>] = []
    synthesize(paths, onsetTaps: onsetTaps, noiseVariance: noiseVariance, using: &generator, into: &samples)
    guard let quantisation else {
      return ChannelImpulseResponse(samples, antennaCount: antennaCount, tapSpacing: tapSpacing)
    }
    return quantisation.impulseResponse(samples, antennaCount: antennaCount, tapSpacing: tapSpacing)
  }

  private func add(_ paths: [Path], onsetTaps: Double, to samples: UnsafeMutableBufferPointer<Complex<Float>>) {
    guard let base = samples.baseAddress else { return }
    base.withMemoryRebound(to: Float.self, capacity: 2 * samples.count) { floats in
      for antenna in 0..<antennaCount {
        let row = UnsafeMutableBufferPointer(start: floats + 2 * antenna * tapCount, count: 2 * tapCount)
        for path in paths {
          let seen = response(of: path, antenna: antenna)
          let raw = seen.amplitude.rawStorage
          table.add(
            real: raw.x, imaginary: raw.y, position: onsetTaps + seen.delay / tapSpacing, to: row)
        }
      }
    }
  }

  /// The delay and amplitude of `path` as one antenna sees it.
  func response(of path: Path, antenna: Int) -> (delay: Double, amplitude: Complex<Double>) {
    guard let array, let direction = path.direction else { return (path.delay, path.amplitude) }
    let advance = (array.positions[antenna] * direction).sum() / propagationSpeed
    let angle = 2 * .pi * array.carrier * advance
    let own = array.ownResponse(of: antenna, to: direction)
    return (path.delay - advance, path.amplitude * Complex(cos(angle), sin(angle)) * own)
  }
}
