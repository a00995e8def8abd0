import NearbyUCI
import UWBTypes

/// Recorded UCI traffic: pcapng with the link type of FiRa UCI (299, or 293, which some programs write).
///
/// Packets are as on the wire, or have the longer headers of Android's recordings. Blocks of other kinds and interfaces of other link types
/// are passed over. Cost: linear, one packet in memory. (IETF draft-ietf-opsawg-pcapng; Android's `uci_logger_pcapng.rs`.)
public struct UCIRecording: CaptureReader {
  static let sectionHeader: UInt32 = 0x0A0D_0D0A
  static let byteOrder: UInt32 = 0x1A2B_3C4D
  static let linkType: UInt16 = 299
  private static let linkTypes: Set<UInt16> = [linkType, 293]
  private static let blockLimit = 1 << 20

  private struct Interface {
    var isUCI: Bool
    /// Of one count, µs
    var microseconds = 1.0
  }

  public let header = UCIExchanges.header
  private let source: ByteSource
  private var isBigEndian = false
  private var interfaces: [Interface] = []
  private var traffic = UCITraffic()

  /// A reader of these bytes.
  public init(_ source: ByteSource) { self.source = source }

  public var bytesRead: Int { source.bytesConsumed }

  public var skipped: SkippedInput { traffic.skipped }

  static func recognise(_ bytes: Span<UInt8>) -> CaptureFormat.Recognition {
    let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
    for index in 0..<min(bytes.count, magic.count) where bytes[index] != magic[index] { return .no }
    return bytes.count < magic.count ? .undecided : .yes
  }

  public mutating func next() throws -> RangingExchange? {
    while traffic.isEmpty {
      guard let block = try nextBlock() else {
        traffic.finish()
        break
      }
      takeBlock(block)
      source.consume(block.length)
    }
    return traffic.next()
  }

  // MARK: Blocks

  private struct Block {
    var type: UInt32
    var length: Int
    /// Valid until the source is used again.
    var body: UnsafeRawBufferPointer
  }

  /// - Returns: `nil` at the end, where a block is cut off, or where its length can't be: nothing says where the next one would begin.
  private mutating func nextBlock() throws -> Block? {
    let place = source.bytesConsumed
    guard try fill(12) else {
      if !source.buffered.isEmpty { traffic.passedOver.add("truncatedBlock", at: "byte \(place)") }
      source.consume(source.buffered.count)
      return nil
    }
    let type = number(source.buffered, 0, as: UInt32.self)
    // The same in either order of bytes.
    if type == Self.sectionHeader {
      isBigEndian = source.buffered[8] == 0x1A
      interfaces.removeAll()
    }
    let length = Int(number(source.buffered, 4, as: UInt32.self))
    guard length >= 12, length % 4 == 0, length <= Self.blockLimit else {
      traffic.passedOver.add("badBlock", at: "byte \(place)")
      source.consume(source.buffered.count)
      while try source.fill() { source.consume(source.buffered.count) }
      return nil
    }
    guard try fill(length) else {
      traffic.passedOver.add("truncatedBlock", at: "byte \(place)")
      source.consume(source.buffered.count)
      return nil
    }
    return Block(
      type: type, length: length, body: UnsafeRawBufferPointer(rebasing: source.buffered[8..<(length - 4)]))
  }

  private func fill(_ count: Int) throws -> Bool {
    source.reserve(count)
    while source.buffered.count < count { guard try source.fill() else { return false } }
    return true
  }

  private func number<Value: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: UnsafeRawBufferPointer, _ offset: Int, as type: Value.Type
  ) -> Value {
    let value = bytes.loadUnaligned(fromByteOffset: offset, as: type)
    return isBigEndian ? Value(bigEndian: value) : Value(littleEndian: value)
  }

  private mutating func takeBlock(_ block: Block) {
    switch block.type {
    case 1 where block.body.count >= 8: interfaces.append(interface(block.body))
    case 6 where block.body.count >= 20: takePacket(block.body)
    case 1, 6: traffic.passedOver.add("badBlock")
    default: break
    }
  }

  /// Interface description: link type u16, reserved u16, most bytes of a packet u32, options.
  private func interface(_ body: UnsafeRawBufferPointer) -> Interface {
    var interface = Interface(isUCI: Self.linkTypes.contains(number(body, 0, as: UInt16.self)))
    var offset = 8
    while offset + 4 <= body.count {
      let (code, length) = (number(body, offset, as: UInt16.self), Int(number(body, offset + 2, as: UInt16.self)))
      // Resolution of times: a power of ten, or of two with the highest bit.
      if code == 9, length == 1, offset + 4 < body.count {
        let exponent = body[offset + 4]
        let base = exponent & 0x80 == 0 ? 10.0 : 2.0
        interface.microseconds = 1e6 * (0..<Int(exponent & 0x7F)).reduce(1.0) { value, _ in value / base }
      }
      if code == 0 { break }
      offset += 4 + (length + 3) / 4 * 4
    }
    return interface
  }

  /// Enhanced packet: interface u32, time high u32, low u32, captured u32, original u32, packet, options.
  private mutating func takePacket(_ body: UnsafeRawBufferPointer) {
    let index = Int(number(body, 0, as: UInt32.self))
    guard interfaces.indices.contains(index) else { return traffic.passedOver.add("badBlock") }
    guard interfaces[index].isUCI else { return traffic.passedOver.add("otherLinkType") }
    let count = UInt64(number(body, 4, as: UInt32.self)) << 32 | UInt64(number(body, 8, as: UInt32.self))
    let captured = Int(number(body, 12, as: UInt32.self))
    guard captured <= body.count - 20 else { return traffic.passedOver.add("badBlock") }
    // Android marks the opening of the chip so.
    guard captured > 0 else { return }
    guard let packet = Self.packet(body.bindMemory(to: UInt8.self).span.extracting(20..<(20 + captured))) else {
      return traffic.passedOver.add("badPacket")
    }
    let time = UInt64(min(Double(UInt64.max / 2), Double(count) * interfaces[index].microseconds))
    let exact = interfaces[index].microseconds == 1 ? count : time
    traffic.push(packet, microseconds: exact)
  }

  /// A packet as on the wire, or with Android's header: a length of four bytes in place of the reserved octet and one, or of two.
  static func packet(_ bytes: Span<UInt8>) -> UCIPacket? {
    if let packet = try? UCIPacket(bytes), packet.length == bytes.count { return packet }
    guard bytes.count > 1, let type = UCIMessageType(rawValue: bytes[0] >> 5) else { return nil }
    let header = (type == .data ? 2 : 3) + 4
    guard bytes.count >= header else { return nil }
    let length = (1...4).reduce(0) { $0 << 8 | Int(bytes[header - $1]) }
    guard bytes.count - header == length else { return nil }
    return UCIPacket(
      UCIMessageKind(type, group: bytes[0], opcode: bytes[1]), isContinued: bytes[0] & 0x10 != 0,
      payload: bytes.extracting(header...).withUnsafeBufferPointer { Array($0) })
  }
}
