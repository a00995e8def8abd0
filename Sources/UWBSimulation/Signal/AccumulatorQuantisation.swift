import Numerics
import UWBDSP

/// How a receiver's accumulator holds samples: 16-bit integers at a gain.
///
/// The CIR's `scale` is 1/gain, so its scaled samples are the physical ones again, but for rounding (variance gain⁻²/12 in
/// each part) and saturation at ±32767.
public enum AccumulatorQuantisation: Sendable, Hashable {
  /// A fixed gain: a part of physical value `fullScale` fills the 16 bits.
  case fullScale(Double)
  /// Gain control for each CIR: its largest part becomes `peakCounts`.
  case automaticGain(peakCounts: Int)
  /// An accumulator that adds up symbols: amplitude 1 becomes `countsPerSymbol` for each of `preambleCount` symbols.
  case accumulated(preambleCount: Int, countsPerSymbol: Double)

  /// The counts that a physical amplitude of 1 becomes.
  ///
  /// - Parameter largestPart: the largest real or imaginary part of the CIR, magnitude.
  public func gain(largestPart: Double) -> Double {
    switch self {
    case .fullScale(let value): value > 0 ? 32767 / value : 1
    case .automaticGain(let counts): largestPart > 0 ? Double(counts) / largestPart : 1
    case .accumulated(let count, let countsPerSymbol): Double(count) * countsPerSymbol
    }
  }

  /// Rounds samples, antenna after antenna, to 16-bit integers.
  public func impulseResponse(
    _ samples: [Complex<Float>], antennaCount: Int = 1, tapSpacing: Double = UWB.tap
  ) -> ChannelImpulseResponse {
    let gain = gain(of: samples)
    let storage = TapStorage(byteCount: samples.count * ChannelImpulseResponse.SampleFormat.int16.byteCount)
    storage.withMutableBytes { bytes in
      for (index, sample) in samples.enumerated() {
        let raw = sample.rawStorage
        bytes.storeBytes(of: Self.count(raw.x, gain), toByteOffset: 4 * index, as: Int16.self)
        bytes.storeBytes(of: Self.count(raw.y, gain), toByteOffset: 4 * index + 2, as: Int16.self)
      }
    }
    return ChannelImpulseResponse(
      storage: storage, format: .int16, antennaCount: antennaCount, tapCount: samples.count / antennaCount,
      scale: Float(1 / gain), tapSpacing: tapSpacing)
  }

  /// Does to `samples` what storing and scaling back does.
  public func quantise(_ samples: inout [Complex<Float>]) {
    let gain = gain(of: samples)
    let scale = Float(1 / gain)
    for index in samples.indices {
      let raw = samples[index].rawStorage
      samples[index] = Complex(
        Float(Int16(littleEndian: Self.count(raw.x, gain))) * scale,
        Float(Int16(littleEndian: Self.count(raw.y, gain))) * scale)
    }
  }

  private func gain(of samples: [Complex<Float>]) -> Double {
    var largest: Float = 0
    for sample in samples {
      let raw = sample.rawStorage
      largest = max(largest, abs(raw.x), abs(raw.y))
    }
    return gain(largestPart: Double(largest))
  }

  private static func count(_ value: Float, _ gain: Double) -> Int16 {
    Int16(Int(Double(value) * gain, rounded: .toNearestOrAwayFromZero, within: -32767...32767)).littleEndian
  }
}
