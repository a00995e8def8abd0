import UWBTypes

extension ChannelImpulseResponse {
  /// Half a sample as it lies in memory, without the scale.
  enum StoredPart {
    case int16(Int16)
    case float32(Float)
  }

  /// Calls `body` with each tap's real (`part` 0) or imaginary (1) part: the stored one times the scale.
  ///
  /// - Precondition: the antenna exists.
  func forEachPart(_ part: Int, antenna: Int, _ body: (Int, Float) -> Void) {
    forEachStoredPart(part, antenna: antenna) { tap, stored in
      switch stored {
      case .int16(let sample): body(tap, Float(sample) * scale)
      case .float32(let sample): body(tap, sample * scale)
      }
    }
  }

  /// Calls `body` with each tap's stored real (`part` 0) or imaginary (1) part.
  ///
  /// - Precondition: the antenna exists.
  func forEachStoredPart(_ part: Int, antenna: Int, _ body: (Int, StoredPart) -> Void) {
    precondition(
      (0..<antennaCount).contains(antenna) && (0...1).contains(part),
      "part \(part) of antenna \(antenna) of \(antennaCount)")
    storage.withBytes { bytes in
      for tap in 0..<tapCount {
        let start = byteOffset(antenna: antenna, tap: tap)
        switch format {
        case .int16:
          let sample = bytes.loadUnaligned(fromByteOffset: start + 2 * part, as: Int16.self)
          body(tap, .int16(Int16(littleEndian: sample)))
        case .float32: body(tap, .float32(bytes.loadUnaligned(fromByteOffset: start + 4 * part, as: Float.self)))
        }
      }
    }
  }
}
