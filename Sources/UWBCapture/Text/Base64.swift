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
  /// - Returns: whether it is base64, padded to whole groups of four.
  static func decode(_ line: Span<UInt8>, from start: Int, into bytes: inout [UInt8]) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    var end = line.count
    while end > start, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
    guard end > start, (end - start) % 4 == 0 else { return false }
    var padding = 0
    while padding < 2, line[end - 1 - padding] == UInt8(ascii: "=") { padding += 1 }
    return values.withUnsafeBufferPointer { values in
      var position = start
      while position < end {
        let isLast = position + 4 == end
        var group: UInt32 = 0
        for index in 0..<4 {
          var value = values[Int(line[position + index])]
          if isLast, index >= 4 - padding { value = 0 }
          guard value != invalid else { return false }
          group = group << 6 | UInt32(value)
        }
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        if !isLast || padding < 2 { bytes.append(UInt8(truncatingIfNeeded: group >> 8)) }
        if !isLast || padding < 1 { bytes.append(UInt8(truncatingIfNeeded: group)) }
        position += 4
      }
      return true
    }
  }
}
