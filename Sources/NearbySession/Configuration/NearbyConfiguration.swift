import UWBTypes

/// Says whether a session's peer is a device or an accessory.
public enum NearbyConfiguration: Sendable, Hashable {
  /// Ranging with a device that runs a session of its own.
  case peer(NearbyPeerConfiguration)
  /// Ranging with an accessory.
  case accessory(NearbyAccessoryConfiguration)

  /// The token that updates echo.
  public var peerToken: DiscoveryToken {
    switch self {
    case .peer(let configuration): configuration.peerDiscoveryToken
    case .accessory(let configuration): configuration.accessoryDiscoveryToken
    }
  }

  /// The address under which the peer ranges.
  public var peerAddress: DeviceAddress {
    switch self {
    case .peer(let configuration): configuration.peerAddress
    case .accessory(let configuration): configuration.accessoryDiscoveryToken.address
    }
  }

  /// Whether camera and motion help to find the direction.
  public var isCameraAssistanceEnabled: Bool {
    switch self {
    case .peer(let configuration): configuration.isCameraAssistanceEnabled
    case .accessory(let configuration): configuration.isCameraAssistanceEnabled
    }
  }

  var isExtendedDistanceMeasurementEnabled: Bool {
    switch self {
    case .peer(let configuration): configuration.isExtendedDistanceMeasurementEnabled
    case .accessory: false
    }
  }

  /// A Bluetooth link keeps an accessory's session alive where the app is in the background.
  var bluetoothPeerIdentifier: String? {
    switch self {
    case .peer: nil
    case .accessory(let configuration): configuration.bluetoothPeerIdentifier
    }
  }
}

/// Ranges with another device's session.
public struct NearbyPeerConfiguration: Sendable, Hashable {
  /// Token of the peer's session.
  public let peerDiscoveryToken: DiscoveryToken
  /// The address under which the peer ranges: the token's, unless the radio in use has another.
  public var peerAddress: DeviceAddress
  /// Use the device's pose to give a direction beyond the field of view.
  public var isCameraAssistanceEnabled = false
  /// Range beyond the usual reach; both devices must be able to.
  public var isExtendedDistanceMeasurementEnabled = false

  /// A configuration for the peer of this token.
  public init(peerToken: DiscoveryToken, peerAddress: DeviceAddress? = nil) {
    peerDiscoveryToken = peerToken
    self.peerAddress = peerAddress ?? peerToken.address
  }
}

/// Ranges with an accessory that has sent its configuration data.
public struct NearbyAccessoryConfiguration: Sendable, Hashable {
  /// Configuration data that the accessory sent.
  public let accessoryData: AccessoryConfigurationData
  /// Names the accessory in updates.
  public let accessoryDiscoveryToken: DiscoveryToken
  /// The platform's name of the accessory's Bluetooth link (a UUID on Apple's systems, an address elsewhere); with
  /// one, the session goes on in the background.
  public var bluetoothPeerIdentifier: String?
  /// Whether camera and motion help to find the direction.
  public var isCameraAssistanceEnabled = false

  /// Takes the data of the accessory's message 0x01, without the id byte.
  ///
  /// Throws `invalidConfiguration` where the data is malformed (`accessoryMessageError` says how) or names no address
  /// of the accessory's own, so that no token follows from it.
  public init(data: some Sequence<UInt8>, bluetoothPeerIdentifier: String? = nil) throws(NearbyError) {
    let bytes = [UInt8](data)
    let parsed: AccessoryConfigurationData
    do {
      parsed = try AccessoryConfigurationData(data: bytes)
    } catch {
      throw NearbyError(.invalidConfiguration, "accessory data: \(error)", accessoryMessageError: error)
    }
    guard let address = parsed.address else {
      throw NearbyError(.invalidConfiguration, "the accessory's data gives no token: it has no short address")
    }
    accessoryData = parsed
    accessoryDiscoveryToken = DiscoveryToken(accessoryData: bytes, address: address)
    self.bluetoothPeerIdentifier = bluetoothPeerIdentifier
  }
}
