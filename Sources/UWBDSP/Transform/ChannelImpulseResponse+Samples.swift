import Numerics
import UWBTypes

extension ChannelImpulseResponse {
  /// Copies samples, antenna after antenna, into storage of its own.
  ///
  /// - Precondition: `samples.count` is a multiple of `antennaCount`.
  public init(
    _ samples: [Complex<Float>], antennaCount: Int = 1, scale: Float = 1, tapSpacing: Double = UWB.tap
  ) {
    precondition(
      antennaCount >= 1 && !samples.isEmpty && samples.count % antennaCount == 0,
      "\(samples.count) samples do not divide over \(antennaCount) antennas")
    let storage = TapStorage(byteCount: samples.count * SampleFormat.float32.byteCount)
    storage.withMutableBytes { bytes in
      samples.withUnsafeBytes { bytes.copyMemory(from: $0) }
    }
    self.init(
      storage: storage, format: .float32, antennaCount: antennaCount, tapCount: samples.count / antennaCount,
      scale: scale, tapSpacing: tapSpacing)
  }

  /// The scaled samples of taps `range` of one antenna, copied out: a convenience for pictures and tests, not for
  /// the engine's path.
  ///
  /// - Precondition: `antenna` and `range` exist.
  public func samples(antenna: Int = 0, taps range: Range<Int>? = nil) -> [Complex<Float>] {
    let range = range ?? 0..<tapCount
    precondition(
      (0..<antennaCount).contains(antenna) && range.lowerBound >= 0 && range.upperBound <= tapCount,
      "antenna \(antenna), taps \(range) of a CIR of \(antennaCount) antennas × \(tapCount) taps")
    return storage.withBytes { bytes in
      range.map { tap in
        let start = byteOffset(antenna: antenna, tap: tap)
        switch format {
        case .int16:
          return Complex(
            Float(bytes.loadUnaligned(fromByteOffset: start, as: Int16.self)) * scale,
            Float(bytes.loadUnaligned(fromByteOffset: start + 2, as: Int16.self)) * scale)
        case .float32:
          return Complex(
            bytes.loadUnaligned(fromByteOffset: start, as: Float.self) * scale,
            bytes.loadUnaligned(fromByteOffset: start + 4, as: Float.self) * scale)
        }
      }
    }
  }
}
