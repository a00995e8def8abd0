/// Appends little-endian numbers to bytes.
package struct ByteWriter {
  package private(set) var bytes: [UInt8] = []

  package init(capacity: Int) {
    bytes.reserveCapacity(capacity)
  }

  package mutating func write(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func write(contentsOf more: some Sequence<UInt8>) {
    bytes.append(contentsOf: more)
  }
}

/// Takes little-endian numbers from bytes whose count the caller has checked against the format's.
package struct ByteReader {
  private let bytes: [UInt8]
  package private(set) var offset = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package mutating func read<Value: FixedWidthInteger & UnsignedInteger>() -> Value {
    var value: Value = 0
    for index in 0..<(Value.bitWidth / 8) {
      value |= Value(bytes[offset + index]) << Value(8 * index)
    }
    offset += Value.bitWidth / 8
    return value
  }

  package mutating func read(count: Int) -> [UInt8] {
    defer { offset += count }
    return [UInt8](bytes[offset..<(offset + count)])
  }
}
