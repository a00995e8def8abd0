import Foundation
import UWBTypes

/// Fields of a blob's bytes, little-endian.
struct ETHBlob {
  /// What a line `BLOB / <title> / v<version> / <bytes>` announces.
  enum Kind: Hashable {
    case timeOfArrival
    case analysis(segment: Int)
    case accumulator, ranging

    /// `nil` for what has no layout here, and for other versions and lengths of what has.
    init?(title: String, version: Int, byteCount: Int) {
      switch (title, version, byteCount) {
      case ("toa", 3, 43): self = .timeOfArrival
      case ("cir analysis ip", 1, 24): self = .analysis(segment: 0)
      case ("cir analysis sts1", 1, 24): self = .analysis(segment: 1)
      case ("cir analysis sts2", 1, 24): self = .analysis(segment: 2)
      case ("cir", 1, ETHAccumulator.byteCount): self = .accumulator
      case ("twr", 2, 40): self = .ranging
      default: return nil
      }
    }
  }

  let bytes: [UInt8]

  func unsigned(at offset: Int, count: Int) -> UInt64 {
    bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func signed16(at offset: Int) -> Int16 { Int16(truncatingIfNeeded: unsigned(at: offset, count: 2)) }
}

/// What the chip made of a segment's accumulator: registers of 24 octets.
struct ETHAnalysis {
  var power: Double
  var amplitudes: SIMD3<Double>
  var firstPathTaps: Double
  var preambleCount: Int?

  /// Peak u32, power u32, F1, F2, F3 u32 with two fraction bits, first path u16 in 1/64 tap, accumulated symbols u16.
  init(_ blob: ETHBlob) {
    power = Double(blob.unsigned(at: 4, count: 4))
    amplitudes = SIMD3(
      Double(blob.unsigned(at: 8, count: 4)), Double(blob.unsigned(at: 12, count: 4)),
      Double(blob.unsigned(at: 16, count: 4)))
    amplitudes /= 4
    firstPathTaps = Double(blob.unsigned(at: 20, count: 2)) / 64
    let count = Int(blob.unsigned(at: 22, count: 2))
    preambleCount = count > 0 ? count : nil
  }

  /// dBm (DW3000 User Manual, 4.7.2); `nil` where nothing was received.
  ///
  /// - Parameter gain: the chip's digital gain setting, 6 dB a step
  func powers(gain: Int) -> (received: Double?, firstPath: Double?) {
    guard let count = preambleCount.map(Double.init) else { return (nil, nil) }
    func level(_ ratio: Double) -> Double? {
      ratio > 0 ? 10 * log10(ratio / (count * count)) + 6 * Double(gain) - 121.7 : nil
    }
    return (level(power * Double(1 << 21)), level((amplitudes * amplitudes).sum()))
  }
}
