import UWBTypes

/// Why bytes are no discovery token.
public enum DiscoveryTokenError: Error, Sendable, Hashable {
  /// Fewer or more bytes than a token has.
  case length(actual: Int, expected: Int)
  /// The token has another version of the format.
  case unsupportedVersion(UInt8)
  /// The length that the bytes state is not that of their version.
  case statedLength(actual: UInt8, expected: UInt8)
  /// The check does not fit the bytes: they were damaged.
  case check
  /// The token stands for an unknown kind of peer.
  case unknownKind(UInt8)
}

/// 24 bytes: version 1 · length 18 of what follows up to the check · kind · capabilities · address u64 · salt u64 ·
/// CRC-32 of all before it. Numbers are little-endian.
extension DiscoveryToken {
  static let encodedVersion: UInt8 = 1
  static let payloadLength: UInt8 = 18
  /// Bytes in an encoded token.
  public static let encodedLength = 24

  /// The token as bytes, for the app's transport.
  public var encoded: [UInt8] {
    var writer = ByteWriter(capacity: Self.encodedLength)
    writer.write(Self.encodedVersion)
    writer.write(Self.payloadLength)
    writer.write(kind.rawValue)
    writer.write(deviceCapabilities.bits)
    writer.write(address.rawValue)
    writer.write(salt)
    writer.write(CyclicRedundancyCheck.checksum(of: writer.bytes))
    return writer.bytes
  }

  /// Reads what `encoded` gave; any other bytes throw.
  public init(encoded: some Sequence<UInt8>) throws(DiscoveryTokenError) {
    let bytes = [UInt8](encoded)
    guard bytes.count == Self.encodedLength else {
      throw .length(actual: bytes.count, expected: Self.encodedLength)
    }
    var reader = ByteReader(bytes)
    let version: UInt8 = reader.read()
    guard version == Self.encodedVersion else { throw .unsupportedVersion(version) }
    let length: UInt8 = reader.read()
    guard length == Self.payloadLength else {
      throw .statedLength(actual: length, expected: Self.payloadLength)
    }
    let kindByte: UInt8 = reader.read()
    let capabilities: UInt8 = reader.read()
    let address: UInt64 = reader.read()
    let salt: UInt64 = reader.read()
    let check: UInt32 = reader.read()
    guard check == CyclicRedundancyCheck.checksum(of: bytes.dropLast(4)) else { throw .check }
    guard let kind = Kind(rawValue: kindByte) else { throw .unknownKind(kindByte) }
    self.init(
      kind: kind, deviceCapabilities: DeviceCapabilities(bits: capabilities),
      address: DeviceAddress(rawValue: address), salt: salt)
  }
}

extension DiscoveryToken: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(encoded)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let bytes = try container.decode([UInt8].self)
    do {
      try self.init(encoded: bytes)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no discovery token: \(error)")
    }
  }
}
