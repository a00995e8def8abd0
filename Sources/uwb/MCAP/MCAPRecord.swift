/// One record of an MCAP file while it is put together: numbers little-endian, strings and lists behind their lengths
/// (https://mcap.dev/spec).
struct MCAPRecord {
  /// The kinds that are written here.
  enum Opcode: UInt8 {
    case header = 0x01
    case footer = 0x02
    case schema = 0x03
    case channel = 0x04
    case message = 0x05
    case chunk = 0x06
    case messageIndex = 0x07
    case chunkIndex = 0x08
    case statistics = 0x0B
    case summaryOffset = 0x0E
    case dataEnd = 0x0F
  }

  static let magic: [UInt8] = [0x89] + Array("MCAP0\r\n".utf8)
  /// Bytes of the opcode and the length.
  static let headSize = 9

  private(set) var bytes: [UInt8] = []

  init(_ opcode: Opcode, _ content: (inout MCAPRecord) -> Void) {
    bytes.append(opcode.rawValue)
    add(UInt64(0))
    content(&self)
    let length = UInt64(bytes.count - Self.headSize).littleEndian
    withUnsafeBytes(of: length) { bytes.replaceSubrange(1..<Self.headSize, with: $0) }
  }

  mutating func add(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func add(_ text: String) {
    add(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Bytes without a length before them.
  mutating func add(raw content: some Sequence<UInt8>) { bytes.append(contentsOf: content) }

  /// A list of pairs behind the number of its bytes.
  mutating func add<Key: FixedWidthInteger, Value: FixedWidthInteger>(pairs: [(Key, Value)]) {
    add(UInt32(pairs.count * (MemoryLayout<Key>.size + MemoryLayout<Value>.size)))
    for (key, value) in pairs {
      add(key)
      add(value)
    }
  }
}
