/// How two devices range: what both ends must agree in, and who is who.
///
/// The defaults are those of a Nearby Interaction accessory's session: static STS with Apple's vendor identifier, deferred double-sided
/// ranging, SP3 frames.
public struct UCIRangingParameters: Sendable, Hashable {
  /// A radio parameter too: it must be equal at both ends.
  public var sessionID: UInt32
  /// Whether the device controls the session, else it is a controlee.
  public var isController: Bool
  /// MAC address of the device.
  public var address: UInt16
  /// One controlee or, as a controlee, the controller.
  public var peers: [UInt16]
  /// UWB channel: 5 or 9.
  public var channel: UInt8 = 9
  /// Index of the preamble code.
  public var preambleCode: UInt8 = 11
  /// Slots of a ranging round.
  public var slotsPerRound: UInt8 = 6
  /// Ranging scheduling time units: 1200 make 1 ms.
  public var slotRSTU: UInt16 = 3600
  /// Length of a ranging block, ms.
  public var blockMilliseconds: UInt32 = 180
  /// Bit mask of what a ranging round holds.
  public var roundControl: UInt8 = 3
  /// Vendor bytes that the STS is made with.
  public var vendorID: [UInt8] = [0x4C, 0x00]
  /// Six bytes, in the order of the wire.
  public var staticInitialVector: [UInt8]

  /// Creates one with the given values.
  public init(
    sessionID: UInt32, isController: Bool, address: UInt16, peers: [UInt16], staticInitialVector: [UInt8]
  ) {
    self.sessionID = sessionID
    self.isController = isController
    self.address = address
    self.peers = peers
    self.staticInitialVector = staticInitialVector
  }

  /// The application configuration. What others depend on comes first: address mode and number of controlees before addresses.
  public var parameters: [UCIParameter] {
    let role: UInt8 = isController ? 1 : 0
    return [
      UCIParameter(.deviceType, role), UCIParameter(.deviceRole, role),
      UCIParameter(.multiNodeMode, UInt8(peers.count > 1 ? 1 : 0)), UCIParameter(.rangingRoundUsage, UInt8(2)),
      UCIParameter(.scheduleMode, UInt8(1)), UCIParameter(.addressMode, UInt8(0)),
      UCIParameter(.controleeCount, UInt8(truncatingIfNeeded: isController ? peers.count : 1)),
      UCIParameter(.deviceAddress, address),
      UCIParameter(
        .destinationAddresses,
        peers.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }),
      UCIParameter(.channel, channel), UCIParameter(.stsConfiguration, UInt8(0)),
      UCIParameter(.frameFormat, UInt8(3)), UCIParameter(.preambleCode, preambleCode),
      UCIParameter(.startOfFrameDelimiter, UInt8(2)), UCIParameter(.slotDuration, slotRSTU),
      UCIParameter(.rangingInterval, blockMilliseconds), UCIParameter(.slotsPerRound, slotsPerRound),
      UCIParameter(.roundControl, roundControl), UCIParameter(.vendorID, vendorID),
      UCIParameter(.staticInitialVector, staticInitialVector), UCIParameter(.hopping, UInt8(0)),
      UCIParameter(.maximumRetries, UInt16(0)), UCIParameter(.stsSegmentCount, UInt8(1)),
      UCIParameter(.stsLength, UInt8(1)),
    ]
  }
}
