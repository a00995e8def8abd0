import NearbySession

/// One accessory message as the fields of a JSON object, both ways.
///
/// Numbers are numbers; what people know in hexadecimal (addresses, the session's identifier, the vector, bytes) are strings
/// of hexadecimal digits. Data without the id byte of a message has no `id`.
struct AccessoryText: Codable, Equatable {
  enum Kind: String, Codable {
    case configurationData = "configuration_data"
    case started
    case stopped
    case initialize
    case configureAndStart = "configure_and_start"
    case stop
    case other
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  var message: Kind
  /// `nil` for data alone
  var id: UInt8?
  var data: String?

  var version: String?
  // Configuration data.
  var preferredUpdateRate: UInt8?
  var reserved: String?
  var uwbVersion: String?
  var manufacturer: UInt32?
  var model: UInt32?
  var middleware: UInt32?
  var role: UInt8?
  var shortAddress: String?
  var clockDriftppm: UInt16?
  // Shareable configuration data.
  var country: String?
  var sessionID: String?
  var preambleIndex: UInt8?
  var channel: UInt8?
  var slotsPerRound: UInt16?
  var slotRSTU: UInt16?
  var blockMilliseconds: UInt16?
  var roundControl: UInt8?
  var stsIV: String?
  var destinationAddress: String?
  var clockStability: UInt16?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case message, id, data, version, reserved, manufacturer, model, middleware, role, country, channel
    case preferredUpdateRate = "preferred_update_rate"
    case uwbVersion = "uwb_version"
    case shortAddress = "short_address"
    case clockDriftppm = "clock_drift_ppm"
    case sessionID = "session_id"
    case preambleIndex = "preamble_index"
    case slotsPerRound = "slots_per_round"
    case slotRSTU = "slot_rstu"
    case blockMilliseconds = "block_ms"
    case roundControl = "round_control"
    case stsIV = "sts_iv"
    case destinationAddress = "destination_address"
    case clockStability = "clock_stability"
  }

  // MARK: From bytes

  /// Reads a message, or the data of one. Data starts with its version 1.x, little-endian, which as a message would be
  /// configuration data of an unknown major version: the two can't be mistaken for each other.
  init(bytes: [UInt8]) throws(AccessoryMessageError) {
    guard bytes.count >= 2, bytes[0] == 1, bytes[1] == 0 else {
      self.init(try AccessoryMessage(bytes: bytes))
      return
    }
    // Shareable data has its length at 4, where configuration data has an update rate of 0, 10 or 20.
    if bytes.count > 4, bytes[4] == 23 || bytes[4] == 25, bytes.count < 35 {
      self.init(.configureAndStart(try ShareableConfigurationData(data: bytes)))
    } else {
      self.init(.configurationData(try AccessoryConfigurationData(data: bytes)))
    }
    id = nil
  }

  init(_ message: AccessoryMessage) {
    id = message.id
    switch message {
    case .started: self.message = .started
    case .stopped: self.message = .stopped
    case .initialize: self.message = .initialize
    case .stop: self.message = .stop
    case .other(_, let bytes):
      self.message = .other
      data = HexText.string(bytes)
    case .configurationData(let fields):
      self.message = .configurationData
      version = "\(fields.version)"
      preferredUpdateRate = fields.preferredUpdateRate.rawValue
      reserved = HexText.string(fields.reserved)
      uwbVersion = "\(fields.uwbVersion)"
      manufacturer = fields.manufacturer
      model = fields.model
      middleware = fields.middleware
      role = fields.role.rawValue
      shortAddress = HexText.string(fields.shortAddress)
      clockDriftppm = fields.clockDriftppm
    case .configureAndStart(let fields):
      self.message = .configureAndStart
      version = "\(fields.version)"
      country = "\(fields.country)"
      sessionID = HexText.string(fields.sessionIdentifier)
      preambleIndex = fields.preambleIndex
      channel = fields.channel
      slotsPerRound = fields.slotsPerRound
      slotRSTU = fields.slotRSTU
      blockMilliseconds = fields.blockMilliseconds
      roundControl = fields.roundControl
      stsIV = HexText.string(
        (0..<6).map { UInt8(truncatingIfNeeded: fields.stsInitialVector.rawValue >> (40 - 8 * $0)) })
      destinationAddress = HexText.string(fields.destinationAddress)
      clockStability = fields.clockStability
    }
  }

  // MARK: To bytes

  /// The message's bytes, its data alone where there is no `id`.
  func bytes() throws(Failure) -> [UInt8] {
    let built = try self.built()
    if message == .configurationData || message == .configureAndStart {
      guard let id else { return [UInt8](built.bytes.dropFirst()) }
      guard id == built.id else { throw Failure(description: "id \(id) is not \(message.rawValue)'s \(built.id)") }
    } else if message != .other, let id, id != built.id {
      throw Failure(description: "id \(id) is not \(message.rawValue)'s \(built.id)")
    }
    return built.bytes
  }

  private func built() throws(Failure) -> AccessoryMessage {
    switch message {
    case .started: return .started
    case .stopped: return .stopped
    case .initialize: return .initialize
    case .stop: return .stop
    case .other: return .other(id: try need(id, .id), data: try hex(data ?? "", .data, count: nil))
    case .configurationData:
      guard let role = AccessoryConfigurationData.Role(rawValue: try need(role, .role)) else {
        throw Failure(description: "role is neither 0 nor 1")
      }
      return .configurationData(
        AccessoryConfigurationData(
          version: try version(version, .version),
          preferredUpdateRate: AccessoryConfigurationData.UpdateRate(
            rawValue: try need(preferredUpdateRate, .preferredUpdateRate)),
          reserved: try hex(reserved ?? String(repeating: "0", count: 20), .reserved, count: 10),
          uwbVersion: try version(uwbVersion, .uwbVersion), manufacturer: try need(manufacturer, .manufacturer),
          model: try need(model, .model), middleware: try need(middleware, .middleware), role: role,
          shortAddress: try number(shortAddress, .shortAddress), clockDriftppm: clockDriftppm))
    case .configureAndStart:
      guard let country = ShareableConfigurationData.Country(try need(country, .country)) else {
        throw Failure(description: "country is not two ASCII letters")
      }
      let vector = try hex(try need(stsIV, .stsIV), .stsIV, count: 6).reduce(0) { $0 << 8 | UInt64($1) }
      return .configureAndStart(
        ShareableConfigurationData(
          version: try version(version, .version), country: country,
          sessionIdentifier: try number(sessionID, .sessionID),
          preambleIndex: try need(preambleIndex, .preambleIndex), channel: try need(channel, .channel),
          slotsPerRound: try need(slotsPerRound, .slotsPerRound), slotRSTU: try need(slotRSTU, .slotRSTU),
          blockMilliseconds: try need(blockMilliseconds, .blockMilliseconds),
          roundControl: try need(roundControl, .roundControl),
          stsInitialVector: ShareableConfigurationData.InitialVector(rawValue: vector),
          destinationAddress: try number(destinationAddress, .destinationAddress), clockStability: clockStability))
    }
  }

  private func need<Value>(_ value: Value?, _ key: CodingKeys) throws(Failure) -> Value {
    guard let value else { throw Failure(description: "\(key.rawValue) is missing") }
    return value
  }

  private func hex(_ text: String, _ key: CodingKeys, count: Int?) throws(Failure) -> [UInt8] {
    guard let bytes = HexText.bytes(text), count == nil || bytes.count == count else {
      let expected = count.map { "\($0) bytes in hexadecimal" } ?? "bytes in hexadecimal"
      throw Failure(description: "\(key.rawValue) “\(text)” is not \(expected)")
    }
    return bytes
  }

  private func number<Value: FixedWidthInteger & UnsignedInteger>(
    _ text: String?, _ key: CodingKeys
  ) throws(Failure) -> Value {
    let text = try need(text, key)
    let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
    guard digits.allSatisfy(\.isHexDigit), let value = Value(digits, radix: 16) else {
      throw Failure(
        description: "\(key.rawValue) “\(text)” is not a number of \(Value.bitWidth / 4) hexadecimal digits")
    }
    return value
  }

  private func version(_ text: String?, _ key: CodingKeys) throws(Failure) -> AccessoryProtocolVersion {
    let text = try need(text, key)
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt16($0) }
    guard parts.count == 2 else { throw Failure(description: "\(key.rawValue) “\(text)” is not like 1.0") }
    return AccessoryProtocolVersion(major: parts[0], minor: parts[1])
  }
}
