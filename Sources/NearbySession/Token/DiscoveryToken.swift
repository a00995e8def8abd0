import UWBTypes

/// Names one session to its peer: random, unique to its session, and dead when its session is.
///
/// The app carries it to the peer over a transport of its own. A token holds the address under which its session's
/// device ranges, so that measurements find their way to the session that runs with it.
public struct DiscoveryToken: Sendable, Hashable {
  /// What a token names.
  public enum Kind: UInt8, Sendable, Hashable {
    /// A session of an app.
    case session = 1
    /// An accessory.
    case accessory = 2
  }

  /// What the token stands for.
  public let kind: Kind
  /// What the device that made the token can do.
  public let deviceCapabilities: DeviceCapabilities
  /// The address under which the named device ranges: for a session its radio's own, or a random, locally administered EUI-64 (IEEE
  /// 802-2014, 8.2: second lowest bit of the first octet set, lowest clear); the short address for an accessory.
  public let address: DeviceAddress
  /// The rest of the randomness.
  let salt: UInt64

  init(kind: Kind, deviceCapabilities: DeviceCapabilities, address: DeviceAddress, salt: UInt64) {
    self.kind = kind
    self.deviceCapabilities = deviceCapabilities
    self.address = address
    self.salt = salt
  }

  /// Draws a session's token: 126 random bits, or 64 behind a radio's own address.
  init(
    deviceCapabilities: DeviceCapabilities, address: DeviceAddress? = nil,
    using generator: inout some RandomNumberGenerator
  ) {
    let random: UInt64 = generator.next()
    let locallyAdministered = (random | 0x0200_0000_0000_0000) & ~0x0100_0000_0000_0000
    self.init(
      kind: .session, deviceCapabilities: deviceCapabilities,
      address: address ?? DeviceAddress(rawValue: locallyAdministered), salt: generator.next())
  }

  /// An accessory's token follows from its configuration data, so that equal data names the same accessory.
  init(accessoryData: [UInt8], address: DeviceAddress) {
    // FNV-1a, 64 bits: tells accessories apart, hides nothing.
    let salt = accessoryData.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    self.init(
      kind: .accessory, deviceCapabilities: DeviceCapabilities(supportsPreciseDistanceMeasurement: true),
      address: address, salt: salt)
  }
}

extension DiscoveryToken: CustomStringConvertible {
  public var description: String {
    let digits = String(salt, radix: 16)
    return "\(address)-" + String(repeating: "0", count: 16 - digits.count) + digits
  }
}
