import UWBTypes

/// How two devices range, as a radio needs to know it. Both ends of a session have the same, but for role and addresses.
public struct RangingParameters: Sendable, Hashable {
  /// Identifier of the ranging session.
  public var sessionIdentifier: UInt32
  /// Which end leads: the controller begins each round.
  public var isController: Bool
  /// Short addresses on the air.
  public var localAddress: UInt16
  /// Short MAC address of the peer.
  public var peerAddress: UInt16
  /// UWB channel: 5 or 9.
  public var channel: UInt8
  /// Index of the preamble code.
  public var preambleIndex: UInt8
  /// Slots of a ranging round.
  public var slotsPerRound: UInt16
  /// Ranging scheduling time units: 1200 make 1 ms.
  public var slotRSTU: UInt16
  /// Length of a ranging block, ms.
  public var blockMilliseconds: UInt16
  /// Bit mask of what a ranging round holds.
  public var roundControl: UInt8
  /// Initial vector of the secret sequence (STS).
  public var stsInitialVector: ShareableConfigurationData.InitialVector

  /// As another radio or a message states them.
  public init(
    sessionIdentifier: UInt32, isController: Bool, localAddress: UInt16, peerAddress: UInt16, channel: UInt8,
    preambleIndex: UInt8, slotsPerRound: UInt16, slotRSTU: UInt16, blockMilliseconds: UInt16, roundControl: UInt8,
    stsInitialVector: ShareableConfigurationData.InitialVector
  ) {
    self.sessionIdentifier = sessionIdentifier
    self.isController = isController
    self.localAddress = localAddress
    self.peerAddress = peerAddress
    self.channel = channel
    self.preambleIndex = preambleIndex
    self.slotsPerRound = slotsPerRound
    self.slotRSTU = slotRSTU
    self.blockMilliseconds = blockMilliseconds
    self.roundControl = roundControl
    self.stsInitialVector = stsInitialVector
  }

  /// What the other end has, where both derived the same.
  package var mirrored: RangingParameters {
    var other = self
    other.isController.toggle()
    (other.localAddress, other.peerAddress) = (peerAddress, localAddress)
    return other
  }

  /// Of a session with an accessory: what the accessory was told. It has chosen its role, and this end has the other one.
  init(_ shared: ShareableConfigurationData, accessory: AccessoryConfigurationData) {
    sessionIdentifier = shared.sessionIdentifier
    isController = accessory.role == .controleeResponder
    localAddress = shared.destinationAddress
    peerAddress = accessory.shortAddress
    channel = shared.channel
    preambleIndex = shared.preambleIndex
    slotsPerRound = shared.slotsPerRound
    slotRSTU = shared.slotRSTU
    blockMilliseconds = shared.blockMilliseconds
    roundControl = shared.roundControl
    stsInitialVector = shared.stsInitialVector
  }

  /// Of a session between two devices: both derive the same from the two tokens, and another token on either side gives other keys. The
  /// device whose encoded token is the lower one leads. Where they have the same settings, nothing needs to be agreed.
  init(local: DiscoveryToken, peer: DiscoveryToken, settings: AccessoryRangingSettings) {
    let (ours, theirs) = (local.encoded, peer.encoded)
    isController = ours.lexicographicallyPrecedes(theirs)
    var generator = TokenGenerator.seeded(Self.hash(isController ? ours + theirs : theirs + ours))
    sessionIdentifier = UInt32.random(in: 1...UInt32.max, using: &generator)
    stsInitialVector = ShareableConfigurationData.InitialVector(rawValue: generator.next())
    localAddress = Self.shortAddress(of: local)
    peerAddress = Self.shortAddress(of: peer)
    if localAddress == peerAddress {
      // One time in 65 533. The controlee's gives way at both ends.
      let other = localAddress == 0xFFFD ? 1 : localAddress + 1
      if isController { peerAddress = other } else { localAddress = other }
    }
    channel = settings.channel
    preambleIndex = settings.preambleIndex
    slotsPerRound = settings.slotsPerRound
    slotRSTU = settings.slotRSTU
    blockMilliseconds = settings.blockMilliseconds
    roundControl = settings.roundControl
  }

  /// A radio's own short address is in its tokens; others have one drawn from each token.
  private static func shortAddress(of token: DiscoveryToken) -> UInt16 {
    if let own = UInt16(exactly: token.address.rawValue) { return own }
    var generator = TokenGenerator.seeded(hash(token.encoded))
    return UInt16.random(in: 1...0xFFFD, using: &generator)
  }

  /// FNV-1a, 64 bits.
  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }
}
