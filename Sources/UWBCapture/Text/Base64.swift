/// Base64 (RFC 4648, section 4) in a line's bytes.
enum Base64 {
  private static let invalid: UInt8 = 0xFF

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: invalid, count: 256)
    for (value, letter) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8.enumerated() {
      values[Int(letter)] = UInt8(value)
    }
    return values
  }()

  /// Decodes all that follows from `start` on, blanks at the end aside, into `bytes`.
  ///
  /// - Returns: whether it is base64, padded to whole groups of four; else `bytes` are not to be used.
  static func decode(_ line: Span<UInt8>, from start: Int, into bytes: inout [UInt8]) -> Bool {
    var end = line.count
    while end > start, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
    let groupCount = (end - start) / 4
    guard groupCount > 0, groupCount * 4 == end - start else { return false }
    bytes.resize(to: 3 * groupCount)
    let isValid = line.withUnsafeBufferPointer { line in
      values.withUnsafeBufferPointer { values in
        bytes.withUnsafeMutableBufferPointer { bytes in
          for index in 0..<groupCount - 1 {
            guard let group = group(line, at: start + 4 * index, count: 4, values) else { return false }
            store(group, in: bytes, at: 3 * index)
          }
          return true
        }
      }
    }
    guard isValid else { return false }
    var padding = 0
    while padding < 2, line[end - 1 - padding] == UInt8(ascii: "=") { padding += 1 }
    let last = line.withUnsafeBufferPointer { line in
      values.withUnsafeBufferPointer { group(line, at: end - 4, count: 4 - padding, $0) }
    }
    guard let last else { return false }
    bytes.withUnsafeMutableBufferPointer { store(last, in: $0, at: 3 * (groupCount - 1)) }
    bytes.removeLast(padding)
    return true
  }

  /// The 24 bits of a group's first `count` letters; `nil` where one is none.
  @inline(__always)
  private static func group(
    _ line: UnsafeBufferPointer<UInt8>, at position: Int, count: Int, _ values: UnsafeBufferPointer<UInt8>
  ) -> UInt32? {
    var group: UInt32 = 0
    var seen: UInt8 = 0
    for index in 0..<count {
      let value = values[Int(line[position + index])]
      seen |= value
      group |= UInt32(value) << UInt32(18 - 6 * index)
    }
    // Values have six bits.
    return seen < 64 ? group : nil
  }

  @inline(__always)
  private static func store(_ group: UInt32, in bytes: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
    bytes[position] = UInt8(truncatingIfNeeded: group >> 16)
    bytes[position + 1] = UInt8(truncatingIfNeeded: group >> 8)
    bytes[position + 2] = UInt8(truncatingIfNeeded: group)
  }
}

extension [UInt8] {
  fileprivate mutating func resize(to count: Int) {
    if self.count > count { removeLast(self.count - count) }
    if self.count < count { append(contentsOf: repeatElement(0, count: count - self.count)) }
  }
}
