import NearbySession
import NearbyUCI

extension UCIRangingParameters {
  /// A link's parameters as a chip takes them.
  ///
  /// - Throws: `UCIConnectionError.parameter` for a number that has no room in the protocol.
  public init(_ parameters: RangingParameters) throws(UCIConnectionError) {
    guard let slots = UInt8(exactly: parameters.slotsPerRound), slots > 0 else {
      throw .parameter("the number of slots in a round", Int(parameters.slotsPerRound))
    }
    let vector = parameters.stsInitialVector.rawValue
    self.init(
      sessionID: parameters.sessionIdentifier, isController: parameters.isController,
      address: parameters.localAddress, peers: [parameters.peerAddress],
      staticInitialVector: (0..<6).map { UInt8(truncatingIfNeeded: vector >> (40 - 8 * $0)) })
    channel = parameters.channel
    preambleCode = parameters.preambleIndex
    slotsPerRound = slots
    slotRSTU = parameters.slotRSTU
    blockMilliseconds = UInt32(parameters.blockMilliseconds)
    roundControl = parameters.roundControl
  }
}
