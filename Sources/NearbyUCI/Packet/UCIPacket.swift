/// What a packet is: its first nibble.
public enum UCIMessageType: UInt8, Sendable, Hashable, CaseIterable {
  /// Data.
  case data = 0
  /// A command of the host.
  case command = 1
  /// The response of the chip to a command.
  case response = 2
  /// A notification of the chip.
  case notification = 3
  /// Test messages, with lengths of two bytes.
  case test = 4
  /// The second type of test messages.
  case secondTest = 5
}

/// Names a message: its type, group (GID; a data packet's format) and opcode (OID).
public struct UCIMessageKind: Sendable, Hashable {
  /// Type of the content.
  public var type: UCIMessageType
  /// 0 … 15
  public var group: UInt8
  /// 0 … 63
  public var opcode: UInt8

  /// Creates one with the given values.
  public init(_ type: UCIMessageType, group: UInt8, opcode: UInt8) {
    self.type = type
    self.group = group & 0x0F
    self.opcode = opcode & 0x3F
  }

  /// A response has its command's group and opcode.
  public var response: UCIMessageKind { UCIMessageKind(.response, group: group, opcode: opcode) }
}

extension UCIMessageKind: CustomStringConvertible {
  public var description: String {
    "\(type) \(String(group, radix: 16, uppercase: true)) \(String(opcode, radix: 16, uppercase: true))"
  }
}

/// One packet: four header octets and a payload. It may be a segment of a longer message.
///
/// Octet 0: type (bits 7–5), more segments follow (4), group (3–0). Octet 1: opcode (5–0), bit 7 for a length of two bytes. Octets 2–3:
/// a zero and the length; with data packets, test messages and bit 7 the length, low byte first.
public struct UCIPacket: Sendable, Hashable {
  /// Bytes of a header.
  public static let headerLength = 4

  /// Message type, group and opcode.
  public var kind: UCIMessageKind
  /// Whether another segment of the same message follows.
  public var isContinued: Bool
  /// Whether a control packet states its length in two bytes.
  public var hasLongLength: Bool
  /// Payload after the header.
  public var payload: [UInt8]

  /// Creates one with the given values.
  public init(_ kind: UCIMessageKind, isContinued: Bool = false, hasLongLength: Bool = false, payload: [UInt8]) {
    self.kind = kind
    self.isContinued = isContinued
    self.hasLongLength = hasLongLength
    self.payload = payload
  }

  /// The packet at the start of `bytes`; `nil` where they end inside it.
  ///
  /// - Throws: `UCIError.invalid` where no packet can begin with these bytes.
  public init?(bytes: ArraySlice<UInt8>) throws(UCIError) { try self.init(bytes.span) }

  /// The same.
  public init?(bytes: [UInt8]) throws(UCIError) { try self.init(bytes.span) }

  /// The same.
  package init?(_ bytes: Span<UInt8>) throws(UCIError) {
    guard bytes.count > 0 else { return nil }
    let first = bytes[0]
    guard let type = UCIMessageType(rawValue: first >> 5) else {
      throw .invalid(field: "message type", offset: 0, value: UInt64(first >> 5))
    }
    guard bytes.count > 1 else { return nil }
    let second = bytes[1]
    guard second & 0x40 == 0 else { throw .invalid(field: "opcode octet", offset: 1, value: UInt64(second)) }
    guard bytes.count >= Self.headerLength else { return nil }
    let (third, fourth) = (bytes[2], bytes[3])
    let isControl = type == .command || type == .response || type == .notification
    hasLongLength = isControl && second & 0x80 != 0
    let length: Int
    if isControl, !hasLongLength {
      guard third == 0 else { throw .invalid(field: "reserved octet", offset: 2, value: UInt64(third)) }
      length = Int(fourth)
    } else {
      length = Int(third) | Int(fourth) << 8
    }
    kind = UCIMessageKind(type, group: first, opcode: second)
    isContinued = first & 0x10 != 0
    guard bytes.count >= Self.headerLength + length else { return nil }
    payload = bytes.extracting(Self.headerLength..<(Self.headerLength + length)).withUnsafeBufferPointer { Array($0) }
  }

  /// What goes over the wire.
  ///
  /// - Throws: `UCIError.tooLong` where the length has no room in the header; `segments` divides such a message.
  public var bytes: [UInt8] {
    get throws(UCIError) {
      let isControl = kind.type == .command || kind.type == .response || kind.type == .notification
      let isLong = !isControl || hasLongLength
      let limit = isLong ? 0xFFFF : 0xFF
      guard payload.count <= limit else { throw .tooLong(field: "payload", count: payload.count, limit: limit) }
      let count = UInt16(payload.count)
      let first = kind.type.rawValue << 5 | (isContinued ? 0x10 : 0) | kind.group
      let second = kind.opcode | (isControl && hasLongLength ? 0x80 : 0)
      let low = UInt8(truncatingIfNeeded: count)
      let high = UInt8(truncatingIfNeeded: count >> 8)
      return [first, second] + (isLong ? [low, high] : [0, low]) + payload
    }
  }

  /// Bytes of the packet.
  public var length: Int { Self.headerLength + payload.count }

  /// A message as packets of at most `limit` payload bytes each.
  public static func segments(_ kind: UCIMessageKind, payload: [UInt8], limit: Int = 255) -> [UCIPacket] {
    let limit = max(1, limit)
    guard payload.count > limit else { return [UCIPacket(kind, payload: payload)] }
    return stride(from: 0, to: payload.count, by: limit).map { start in
      let end = min(start + limit, payload.count)
      return UCIPacket(kind, isContinued: end < payload.count, payload: Array(payload[start..<end]))
    }
  }
}
