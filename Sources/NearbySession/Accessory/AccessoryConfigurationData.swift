import UWBTypes

/// What an accessory says of itself before ranging: 35 bytes, 37 with its clock drift, more in later minor versions.
///
/// Little-endian: 0 version (major, minor) · 4 preferred update rate · 5 ten reserved bytes · 15 length of the UWB part ·
/// 16 UWB version (major, minor) · 20 manufacturer u32 · 24 model u32 · 28 middleware u32 · 32 role · 33 short address
/// u16 · 35 clock drift u16 where the length is 21 or more. Minor versions add fields at the end, which are kept. (Apple, "Nearby Interaction Accessory Protocol Specification".)
public struct AccessoryConfigurationData: Sendable, Hashable {
  /// How often the accessory likes to range. Other values than these are kept as they are.
  public struct UpdateRate: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The accessory leaves the rate to the app.
    public static let automatic = UpdateRate(rawValue: 0)
    /// About 1.3 Hz.
    public static let infrequent = UpdateRate(rawValue: 10)
    /// About 5.5 Hz.
    public static let userInteractive = UpdateRate(rawValue: 20)
  }

  /// Role of the accessory in ranging.
  public enum Role: UInt8, Sendable, Hashable, CaseIterable {
    /// The accessory responds to the app's device.
    case controleeResponder = 0
    /// The accessory controls the session and begins each round.
    case controllerInitiator = 1
  }

  static let layout = AccessoryDataLayout(headerLength: 16, shortLength: 19, longLength: 21)

  /// Version of the accessory protocol.
  public var version: AccessoryProtocolVersion
  /// Rate at which the accessory wants updates.
  public var preferredUpdateRate: UpdateRate
  /// Ten bytes, kept so that data is written back as it was read.
  public let reserved: [UInt8]
  /// Version of the accessory's UWB configuration.
  public var uwbVersion: AccessoryProtocolVersion
  /// Identifier of the manufacturer.
  public var manufacturer: UInt32
  /// Identifier of the model.
  public var model: UInt32
  /// Version of the accessory's firmware.
  public var middleware: UInt32
  /// Role of the accessory in ranging.
  public var role: Role
  /// Short MAC address of the accessory.
  public var shortAddress: UInt16
  /// Parts per million; `nil` in the short form.
  public var clockDriftppm: UInt16?
  /// Fields of a later minor version at the end of the UWB part, as they came.
  public private(set) var additionalUWBBytes: [UInt8] = []
  /// The same behind the UWB part.
  public private(set) var additionalBytes: [UInt8] = []

  /// - Precondition: `reserved` has ten bytes.
  public init(
    version: AccessoryProtocolVersion = AccessoryProtocolVersion(major: 1, minor: 0),
    preferredUpdateRate: UpdateRate = .automatic, reserved: [UInt8] = [UInt8](repeating: 0, count: 10),
    uwbVersion: AccessoryProtocolVersion, manufacturer: UInt32, model: UInt32, middleware: UInt32, role: Role,
    shortAddress: UInt16, clockDriftppm: UInt16? = nil
  ) {
    precondition(reserved.count == 10, "\(reserved.count) reserved bytes, expected 10")
    self.version = version
    self.preferredUpdateRate = preferredUpdateRate
    self.reserved = reserved
    self.uwbVersion = uwbVersion
    self.manufacturer = manufacturer
    self.model = model
    self.middleware = middleware
    self.role = role
    self.shortAddress = shortAddress
    self.clockDriftppm = clockDriftppm
  }

  /// Reads the data that follows the message's id byte.
  public init(data: some Sequence<UInt8>) throws(AccessoryMessageError) {
    let bytes = [UInt8](data)
    var reader = ByteReader(bytes)
    version = try Self.layout.readVersion(bytes.count, &reader)
    preferredUpdateRate = UpdateRate(rawValue: reader.read())
    reserved = reader.read(count: 10)
    let end = try Self.layout.readEnd(bytes.count, &reader)
    uwbVersion = AccessoryProtocolVersion(major: reader.read(), minor: reader.read())
    manufacturer = reader.read()
    model = reader.read()
    middleware = reader.read()
    let roleByte: UInt8 = reader.read()
    guard let role = Role(rawValue: roleByte) else { throw .unknownRole(roleByte, offset: 32) }
    self.role = role
    shortAddress = reader.read()
    clockDriftppm = end >= Self.layout.longEnd ? reader.read() : nil
    additionalUWBBytes = reader.read(count: end - reader.offset)
    additionalBytes = reader.read(count: bytes.count - end)
  }

  /// The data that follows the message's id byte.
  public var data: [UInt8] {
    var writer = ByteWriter(capacity: 37)
    writer.write(version.major)
    writer.write(version.minor)
    writer.write(preferredUpdateRate.rawValue)
    writer.write(contentsOf: reserved)
    writer.write(Self.layout.statedLength(isLong: clockDriftppm != nil, additional: additionalUWBBytes))
    writer.write(uwbVersion.major)
    writer.write(uwbVersion.minor)
    writer.write(manufacturer)
    writer.write(model)
    writer.write(middleware)
    writer.write(role.rawValue)
    writer.write(shortAddress)
    if let clockDriftppm { writer.write(clockDriftppm) }
    writer.write(contentsOf: additionalUWBBytes)
    writer.write(contentsOf: additionalBytes)
    return writer.bytes
  }

  /// The address under which the accessory ranges; `nil` where it states none of its own (0xFFFE: no short address,
  /// 0xFFFF: broadcast, IEEE 802.15.4-2020, 7.3).
  public var address: DeviceAddress? {
    shortAddress >= 0xFFFE ? nil : DeviceAddress(rawValue: UInt64(shortAddress))
  }
}
