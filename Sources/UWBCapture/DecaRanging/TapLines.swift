/// Reads many accumulator lines `re, im` at once: nine in ten bytes of a log are such lines.
///
/// It takes only the exact shape that DecaRanging writes (optional minus, one to five digits, comma, one blank, the
/// same again, CR LF or LF, both numbers within 16 bits) and stops before the first line that differs, which the line
/// parser then judges. Digits are converted eight at a time inside one 64-bit word, free of branches on how many there
/// are.
enum TapLines {
  /// The longest line, `-32768, -32768` CR LF, and the eight bytes that a word read at its last number may touch.
  private static let margin = 24

  /// Reads lines from the start of `bytes` into `samples` (real and imaginary parts in turn) from sample `tap` on, up
  /// to `tapCount` taps.
  ///
  /// - Returns: bytes and lines used; every line is one tap.
  /// - Precondition: `samples` holds `2 · tapCount` numbers.
  static func read(
    _ bytes: UnsafeBufferPointer<UInt8>, into samples: inout [Int16], from tap: Int, tapCount: Int
  ) -> (byteCount: Int, lineCount: Int) {
    precondition(samples.count >= 2 * tapCount && tap >= 0, "\(samples.count) numbers can't hold \(tapCount) taps")
    guard let base = UnsafeRawPointer(bytes.baseAddress) else { return (0, 0) }
    let lastStart = bytes.count - margin
    var position = 0
    var count = 0
    samples.withUnsafeMutableBufferPointer { samples in
      while position <= lastStart, tap + count < tapCount {
        var cursor = position
        guard let real = number(base, &cursor), byte(base, cursor) == 0x2C, byte(base, cursor + 1) == 0x20 else {
          return
        }
        cursor += 2
        guard let imaginary = number(base, &cursor) else { return }
        if byte(base, cursor) == 0x0D { cursor += 1 }
        guard byte(base, cursor) == 0x0A else { return }
        samples[2 * (tap + count)] = real
        samples[2 * (tap + count) + 1] = imaginary
        position = cursor + 1
        count += 1
      }
    }
    return (position, count)
  }

  private static func byte(_ base: UnsafeRawPointer, _ offset: Int) -> UInt8 {
    base.load(fromByteOffset: offset, as: UInt8.self)
  }

  // Reads at most nine bytes from `cursor`.
  private static func number(_ base: UnsafeRawPointer, _ cursor: inout Int) -> Int16? {
    let isNegative = byte(base, cursor) == 0x2D
    cursor += isNegative ? 1 : 0
    let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: cursor, as: UInt64.self))
    // A digit becomes 0…9; adding 0x76 sets the top bit of anything above. A carry only reaches bytes after the first
    // one that is no digit.
    let digits = word ^ 0x3030_3030_3030_3030
    let others = (digits &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080
    let count = others.trailingZeroBitCount >> 3
    guard count >= 1, count <= 5 else { return nil }
    var value = digits << UInt64(64 - 8 * count)
    value = (value &* 10 &+ value >> 8) & 0x00FF_00FF_00FF_00FF
    value = (value &* 100 &+ value >> 16) & 0x0000_FFFF_0000_FFFF
    value = (value &* 10000 &+ value >> 32) & 0xFFFF_FFFF
    cursor += count
    let magnitude = Int(truncatingIfNeeded: value)
    return Int16(exactly: isNegative ? -magnitude : magnitude)
  }
}
