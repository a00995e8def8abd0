import UWBTypes

/// One running session as the radio sees it: who ranges with whom, under which addresses.
///
/// A source of exchanges ranges a pair only while both ends run with each other's tokens (`isMutual`).
public struct RangingLink: Sendable, Hashable {
  /// Token of the local session.
  public let localToken: DiscoveryToken
  /// Token of the peer.
  public let peerToken: DiscoveryToken
  /// Radio address of the local device.
  public let localAddress: DeviceAddress
  /// Radio address of the peer.
  public let peerAddress: DeviceAddress

  /// Creates one with the given values.
  public init(
    localToken: DiscoveryToken, peerToken: DiscoveryToken, localAddress: DeviceAddress, peerAddress: DeviceAddress
  ) {
    self.localToken = localToken
    self.peerToken = peerToken
    self.localAddress = localAddress
    self.peerAddress = peerAddress
  }

  /// Whether the other end means this end as well.
  public func isMutual(with other: RangingLink) -> Bool {
    localToken == other.peerToken && peerToken == other.localToken
  }
}

/// What a host tells its source of exchanges.
public enum LinkChange: Sendable, Hashable {
  /// Ranging on the link has to begin.
  case started(RangingLink)
  /// The session pauses, is suspended, or lost its peer; it may come back with the same tokens.
  case stopped(RangingLink)
  /// The session with this token is gone for good: its peers are to be told `peerEnded`.
  case ended(DiscoveryToken)
}
