/// How an accessory is to range with one session: 28 bytes, 30 with a clock stability, more in later minor versions.
///
/// Little-endian: 0 version (major, minor) · 4 length of what follows · 5 country, two ASCII letters · 7 session id u32 ·
/// 11 preamble index · 12 channel · 13 slots per round u16 · 15 slot length in RSTU u16 · 17 block length in ms u16 ·
/// 19 round control · 20 STS initial vector, six bytes · 26 destination address u16 · 28 clock stability u16 where the
/// length is 25 or more. Minor versions add fields at the end, which are kept. (Apple, "Nearby Interaction Accessory Protocol Specification"; FiRa names.)
public struct ShareableConfigurationData: Sendable, Hashable {
  /// Six bytes that start the scrambled timestamp sequence; the first on the wire is the highest here.
  public struct InitialVector: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt64

    /// Takes the lowest 48 bits.
    public init(rawValue: UInt64) {
      self.rawValue = rawValue & 0xFFFF_FFFF_FFFF
    }

    var bytes: [UInt8] {
      (0..<6).map { UInt8(truncatingIfNeeded: rawValue >> (40 - 8 * $0)) }
    }
  }

  /// Two ASCII letters, as ISO 3166 has them.
  public struct Country: Sendable, Hashable, CustomStringConvertible {
    let first: UInt8
    let second: UInt8

    /// `nil` for anything but two ASCII letters.
    public init?(_ letters: String) {
      self.init(bytes: [UInt8](letters.utf8))
    }

    init?(bytes: [UInt8]) {
      guard bytes.count == 2, bytes.allSatisfy({ (0x41...0x5A).contains($0 & ~0x20) }) else { return nil }
      first = bytes[0]
      second = bytes[1]
    }

    private init(first: UInt8, second: UInt8) {
      self.first = first
      self.second = second
    }

    /// The United States, “US” in ASCII.
    public static let unitedStates = Country(first: 0x55, second: 0x53)

    public var description: String {
      String(decoding: [first, second], as: UTF8.self)
    }
  }

  static let layout = AccessoryDataLayout(headerLength: 5, shortLength: 23, longLength: 25)

  /// Version of the accessory protocol.
  public var version: AccessoryProtocolVersion
  /// Country whose rules hold.
  public var country: Country
  /// Identifier of the ranging session.
  public var sessionIdentifier: UInt32
  /// Index of the preamble code.
  public var preambleIndex: UInt8
  /// UWB channel: 5 or 9.
  public var channel: UInt8
  /// Slots of a ranging round.
  public var slotsPerRound: UInt16
  /// Ranging scheduling time units: 1200 make 1 ms (IEEE 802.15.4z).
  public var slotRSTU: UInt16
  /// Length of a ranging block, ms.
  public var blockMilliseconds: UInt16
  /// Bit mask of what a ranging round holds.
  public var roundControl: UInt8
  /// Initial vector of the secret sequence (STS).
  public var stsInitialVector: InitialVector
  /// Short MAC address of the app's device.
  public var destinationAddress: UInt16
  /// The last field of the long form (100 and 200 were seen); `nil` in the short form.
  public var clockStability: UInt16?
  /// Fields of a later minor version that the stated length covers, as they came.
  public private(set) var additionalFields: [UInt8] = []
  /// What follows behind the stated length.
  public private(set) var additionalBytes: [UInt8] = []

  /// The version is 1.1 with a clock stability and 1.0 without, unless given.
  public init(
    version: AccessoryProtocolVersion? = nil, country: Country, sessionIdentifier: UInt32, preambleIndex: UInt8,
    channel: UInt8, slotsPerRound: UInt16, slotRSTU: UInt16, blockMilliseconds: UInt16, roundControl: UInt8,
    stsInitialVector: InitialVector, destinationAddress: UInt16, clockStability: UInt16? = nil
  ) {
    self.version = version ?? AccessoryProtocolVersion(major: 1, minor: clockStability == nil ? 0 : 1)
    self.country = country
    self.sessionIdentifier = sessionIdentifier
    self.preambleIndex = preambleIndex
    self.channel = channel
    self.slotsPerRound = slotsPerRound
    self.slotRSTU = slotRSTU
    self.blockMilliseconds = blockMilliseconds
    self.roundControl = roundControl
    self.stsInitialVector = stsInitialVector
    self.destinationAddress = destinationAddress
    self.clockStability = clockStability
  }

  /// Reads the data that follows the message's id byte.
  public init(data: some Sequence<UInt8>) throws(AccessoryMessageError) {
    let bytes = [UInt8](data)
    var reader = ByteReader(bytes)
    version = try Self.layout.readVersion(bytes.count, &reader)
    let end = try Self.layout.readEnd(bytes.count, &reader)
    let letters = reader.read(count: 2)
    guard let country = Country(bytes: letters) else { throw .country(letters, offset: 5) }
    self.country = country
    sessionIdentifier = reader.read()
    preambleIndex = reader.read()
    channel = reader.read()
    slotsPerRound = reader.read()
    slotRSTU = reader.read()
    blockMilliseconds = reader.read()
    roundControl = reader.read()
    stsInitialVector = InitialVector(rawValue: reader.read(count: 6).reduce(0) { $0 << 8 | UInt64($1) })
    destinationAddress = reader.read()
    clockStability = end >= Self.layout.longEnd ? reader.read() : nil
    additionalFields = reader.read(count: end - reader.offset)
    additionalBytes = reader.read(count: bytes.count - end)
  }

  /// The data that follows the message's id byte.
  public var data: [UInt8] {
    var writer = ByteWriter(capacity: 30)
    writer.write(version.major)
    writer.write(version.minor)
    writer.write(Self.layout.statedLength(isLong: clockStability != nil, additional: additionalFields))
    writer.write(country.first)
    writer.write(country.second)
    writer.write(sessionIdentifier)
    writer.write(preambleIndex)
    writer.write(channel)
    writer.write(slotsPerRound)
    writer.write(slotRSTU)
    writer.write(blockMilliseconds)
    writer.write(roundControl)
    writer.write(contentsOf: stsInitialVector.bytes)
    writer.write(destinationAddress)
    if let clockStability { writer.write(clockStability) }
    writer.write(contentsOf: additionalFields)
    writer.write(contentsOf: additionalBytes)
    return writer.bytes
  }
}
