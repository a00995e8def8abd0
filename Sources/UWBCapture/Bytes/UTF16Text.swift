/// Turns UTF-16 into UTF-8 while it is read. What is no character becomes U+FFFD.
final class UTF16Text {
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
