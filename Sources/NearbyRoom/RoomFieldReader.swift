import NearbySession
import UWBTypes

/// Takes a message's fields from its bytes. Numbers are little-endian, texts UTF-8 behind their length in one byte.
struct RoomFieldReader {
  private var reader: ByteReader
  private let count: Int

  /// - Parameter message: the whole message; its kind, the first byte, is passed over.
  init(_ message: [UInt8]) {
    reader = ByteReader(message)
    count = message.count
    let _: UInt8 = reader.read()
  }

  mutating func integer<Value: FixedWidthInteger & UnsignedInteger>() throws(RoomMessageError) -> Value {
    try need(Value.bitWidth / 8)
    return reader.read()
  }

  mutating func flag() throws(RoomMessageError) -> Bool {
    let value: UInt8 = try integer()
    guard value < 2 else { throw invalid(1) }
    return value == 1
  }

  mutating func number(in range: ClosedRange<Double>) throws(RoomMessageError) -> Double {
    let value = Double(bitPattern: try integer())
    guard range.contains(value) else { throw invalid(8) }
    return value
  }

  mutating func text() throws(RoomMessageError) -> String {
    let length: UInt8 = try integer()
    try need(Int(length))
    guard let text = String(validating: reader.read(count: Int(length)), as: UTF8.self) else {
      throw invalid(Int(length))
    }
    return text
  }

  mutating func link() throws(RoomMessageError) -> RangingLink {
    RangingLink(
      localToken: try token(), peerToken: try token(), localAddress: DeviceAddress(rawValue: try integer()),
      peerAddress: DeviceAddress(rawValue: try integer()))
  }

  private mutating func token() throws(RoomMessageError) -> DiscoveryToken {
    try need(DiscoveryToken.encodedLength)
    let offset = reader.offset
    do {
      return try DiscoveryToken(encoded: reader.read(count: DiscoveryToken.encodedLength))
    } catch {
      throw .token(error, offset: offset)
    }
  }

  mutating func optional<Value>(
    _ read: (inout RoomFieldReader) throws(RoomMessageError) -> Value
  ) throws(RoomMessageError) -> Value? {
    try flag() ? try read(&self) : nil
  }

  /// Nothing follows the last field.
  func end() throws(RoomMessageError) {
    if reader.offset < count { throw .excess(count: count - reader.offset) }
  }

  /// The field of so many bytes that was just read has no such value.
  func invalid(_ length: Int) -> RoomMessageError { .value(offset: reader.offset - length) }

  private func need(_ length: Int) throws(RoomMessageError) {
    if count - reader.offset < length { throw .truncated(offset: reader.offset) }
  }
}

extension ByteWriter {
  mutating func write(_ flag: Bool) { write(UInt8(flag ? 1 : 0)) }

  mutating func write(_ number: Double) { write(number.bitPattern) }

  /// Cut to what a length of one byte can say.
  mutating func write(_ text: String) {
    var text = text
    while text.utf8.count > Int(UInt8.max) { text.removeLast() }
    write(UInt8(text.utf8.count))
    write(contentsOf: text.utf8)
  }

  mutating func write(_ link: RangingLink) {
    write(contentsOf: link.localToken.encoded)
    write(contentsOf: link.peerToken.encoded)
    write(link.localAddress.rawValue)
    write(link.peerAddress.rawValue)
  }

  mutating func write<Value>(_ value: Value?, _ body: (inout ByteWriter, Value) -> Void) {
    write(value != nil)
    if let value { body(&self, value) }
  }
}
