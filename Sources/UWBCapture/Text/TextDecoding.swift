import Foundation

extension ByteSource {
  /// The source as readers want it: not empty, nothing that has to be unpacked first, text in UTF-8 without a byte-order mark.
  ///
  /// UTF-16 is told by its byte-order mark, or by the zeros between the characters of the first two.
  ///
  /// - Throws: `CaptureError` for an empty stream, and for files of which it says what they are and what to do with them.
  func prepared() throws -> ByteSource {
    while buffered.count < 4, try fill() {}
    guard !buffered.isEmpty else {
      throw CaptureError(
        file: name, problem: "is empty", remedy: "Check that the recording was started and its output kept.")
    }
    // A packed file is told by its first bytes; a live stream is not held up for more.
    if let packed = ForeignContent.packed(buffered) { throw packed.error(name) }
    let start = Array(buffered.prefix(4))
    if start.starts(with: [0xEF, 0xBB, 0xBF]) {
      consume(3)
    } else if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
      consume(2)
      return UTF16Text(self, isLittleEndian: start[0] == 0xFF).source
    } else if start.count == 4, start[1] == 0, start[3] == 0, start[0] >= 0x20, start[2] >= 0x20 {
      return UTF16Text(self, isLittleEndian: true).source
    } else if start.count == 4, start[0] == 0, start[2] == 0, start[1] >= 0x20, start[3] >= 0x20 {
      return UTF16Text(self, isLittleEndian: false).source
    }
    return self
  }
}

/// Turns UTF-16 into UTF-8 while it is read. What is no character becomes U+FFFD.
private final class UTF16Text {
  private static let blockSize = 16 * 1024
  private let input: ByteSource
  private let isLittleEndian: Bool
  private var output: [UInt8] = []
  /// The first half of a pair whose second has not come yet.
  private var highSurrogate: UInt16?

  init(_ input: ByteSource, isLittleEndian: Bool) {
    self.input = input
    self.isLittleEndian = isLittleEndian
  }

  var source: ByteSource { ByteSource(name: input.name, making: { try self.next() }) }

  private func next() throws -> [UInt8]? {
    while input.buffered.count < 2 {
      guard try input.fill() else { return nil }
    }
    output.removeAll(keepingCapacity: true)
    let bytes = input.buffered
    let count = min(bytes.count, Self.blockSize) & ~1
    for index in stride(from: 0, to: count, by: 2) {
      let (one, other) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      append(isLittleEndian ? one | other << 8 : one << 8 | other)
    }
    input.consume(count)
    return output
  }

  private func append(_ unit: UInt16) {
    if let high = highSurrogate {
      highSurrogate = nil
      if UTF16.isTrailSurrogate(unit) {
        return append(UTF16.decode(UTF16.EncodedScalar([high, unit])))
      }
      append("\u{FFFD}")
    }
    if UTF16.isLeadSurrogate(unit) {
      highSurrogate = unit
    } else {
      append(Unicode.Scalar(unit) ?? "\u{FFFD}")
    }
  }

  private func append(_ scalar: Unicode.Scalar) {
    if scalar.isASCII {
      output.append(UInt8(truncatingIfNeeded: scalar.value))
    } else {
      output.append(contentsOf: Character(scalar).utf8)
    }
  }
}
