import UWBTypes

/// The accumulator memory of a DW3000 with STS in two segments: a dummy octet of the reading, then six octets a tap. Taps 0–1015 are the
/// preamble's, 512 from 1024 on the first segment's, 512 from 1536 on the second's, of which the last lacks an octet and is left out.
enum ETHAccumulator {
  static let byteCount = 12_288
  private static let tapCount = 2047
  private static let segments = [0..<1016, 1024..<1536, 1536..<tapCount]

  /// Copies all taps, in single precision.
  static func store(_ bytes: [UInt8], in pool: inout TapStoragePool) -> TapStorage {
    precondition(bytes.count == byteCount, "an accumulator of \(bytes.count) octets")
    let storage = pool.storage(byteCount: 8 * tapCount)
    storage.withMutableBytes { target in
      bytes.withUnsafeBytes { bytes in
        for part in 0..<2 * tapCount {
          let octets = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 1 + 3 * part, as: UInt32.self))
          let value = Float(DW3000Sample.value(octets))
          target.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: 4 * part, as: UInt32.self)
        }
      }
    }
    return storage
  }

  /// The CIR of a segment: 0 for the preamble's, 1 and 2 for those of the STS.
  static func response(_ segment: Int, of storage: TapStorage, preambleCount: Int?) -> ChannelImpulseResponse {
    let taps = segments[segment]
    return ChannelImpulseResponse(
      storage: storage, byteOffset: 8 * taps.lowerBound, format: .float32, tapCount: taps.count,
      scale: 1 / Float(preambleCount ?? 1))
  }
}
