import NearbySession
import UWBDSP
import UWBSimulation

/// One device or accessory in a room: its host and clock, or its end of the handshake.
struct RoomEnd {
  let host: NearbyHost?
  let linkChanges: LinkChanges?
  var accessory: AccessorySimulator?
  var isOff = false
  var visitor: RoomVisitor?
  private let clock = NearbyManualClock()
  private let isAssisted: Bool
  private var exchanges: ExchangePipeline?

  init(_ node: RoomPlan.Node, index: Int, seed: UInt64) {
    if let device = node.device {
      var capabilities = DeviceCapabilities.distanceOnly
      capabilities.supportsDirectionMeasurement = node.array.positions.count >= 2
      capabilities.supportsCameraAssistance = device.isAssisted
      let host = NearbyHost(
        settings: node.settings, deviceCapabilities: capabilities, clock: clock, permission: .granted,
        tokens: .seeded(seed))
      self.host = host
      linkChanges = host.linkChanges
      isAssisted = device.isAssisted
    } else {
      host = nil
      linkChanges = nil
      isAssisted = false
    }
    if let description = node.accessory {
      let rates: [RoomScenario.Accessory.UpdateRate: AccessoryConfigurationData.UpdateRate] = [
        .automatic: .automatic, .infrequent: .infrequent, .userInteractive: .userInteractive,
      ]
      accessory = AccessorySimulator(
        .simulated(
          shortAddress: description.shortAddress ?? UInt16(0x0100 &+ index & 0x7FFF),
          preferredUpdateRate: rates[description.updateRate] ?? .automatic))
    }
  }

  /// What the radio is to range.
  var links: [RangingLink] { visitor?.links ?? host?.links ?? [] }

  func parameters(of link: RangingLink) -> RangingParameters? {
    visitor?.parameters(of: link) ?? host?.parameters(of: link)
  }

  /// The host's clock and the device's pose at a moment of the room.
  mutating func settle(at time: Double, _ node: RoomPlan.Node) {
    guard let host, !isOff else { return }
    clock.now = node.clock.elapsed(at: time)
    if isAssisted, let pose = NearbyPose(node.motion, at: time) {
      host.updatePose(pose)
    } else {
      host.advance()
    }
  }

  mutating func pipeline(_ engine: (RangingEngine, RangingEngine.Workspace)) -> ExchangePipeline? {
    if exchanges == nil, let host {
      exchanges = ExchangePipeline(to: host, RangingPipeline(engine.0, workspace: engine.1))
    }
    return exchanges
  }
}
