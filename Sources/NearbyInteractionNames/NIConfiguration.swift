import Foundation
import NearbySession

/// What a session runs with: one of the two kinds below.
public class NIConfiguration {
  /// The same for a `NearbySession`.
  public fileprivate(set) var configuration: NearbyConfiguration

  fileprivate init(_ configuration: NearbyConfiguration) {
    self.configuration = configuration
  }
}

/// Ranges with another device's session.
public final class NINearbyPeerConfiguration: NIConfiguration {
  private var peer: NearbyPeerConfiguration {
    didSet { configuration = .peer(peer) }
  }

  /// A configuration for the peer of this token.
  public init(peerToken: NIDiscoveryToken) {
    peer = NearbyPeerConfiguration(peerToken: peerToken.token)
    super.init(.peer(peer))
  }

  /// Token of the session of the peer.
  public var peerDiscoveryToken: NIDiscoveryToken { NIDiscoveryToken(peer.peerDiscoveryToken) }

  /// Whether camera and motion help to find the direction.
  public var isCameraAssistanceEnabled: Bool {
    get { peer.isCameraAssistanceEnabled }
    set { peer.isCameraAssistanceEnabled = newValue }
  }

  /// Whether distances at extended range are asked for.
  public var isExtendedDistanceMeasurementEnabled: Bool {
    get { peer.isExtendedDistanceMeasurementEnabled }
    set { peer.isExtendedDistanceMeasurementEnabled = newValue }
  }
}

/// Ranges with an accessory that has sent its configuration data.
public final class NINearbyAccessoryConfiguration: NIConfiguration {
  private var accessory: NearbyAccessoryConfiguration {
    didSet { configuration = .accessory(accessory) }
  }

  /// - Parameter data: the accessory's message 0x01 without the id byte.
  /// - Throws: `NIError` with `invalidConfiguration` where it is malformed.
  public init(data: Data) throws {
    accessory = try NearbyAccessoryConfiguration(data: data)
    super.init(.accessory(accessory))
  }

  /// With a Bluetooth link that keeps the session alive in the background.
  public init(accessoryData: Data, bluetoothPeerIdentifier: UUID) throws {
    accessory = try NearbyAccessoryConfiguration(
      data: accessoryData, bluetoothPeerIdentifier: bluetoothPeerIdentifier.uuidString)
    super.init(.accessory(accessory))
  }

  /// Names the accessory in updates.
  public var accessoryDiscoveryToken: NIDiscoveryToken { NIDiscoveryToken(accessory.accessoryDiscoveryToken) }

  /// Whether camera and motion help to find the direction.
  public var isCameraAssistanceEnabled: Bool {
    get { accessory.isCameraAssistanceEnabled }
    set { accessory.isCameraAssistanceEnabled = newValue }
  }
}
