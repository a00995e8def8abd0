import NearbyRoom
import NearbySession
import UWBDSP

/// Apps in other processes.
extension SimulatedRoom {
  /// Lets an app in another process take a device's place; its results go to `tell`.
  func admit(_ device: Int, tell: @escaping (RoomMessage) -> Void) {
    let node = plan.nodes[device]
    let engine = engine(for: node.array)
    ends[device].visitor = RoomVisitor(
      process: RangingPipeline(engine.0, tracking: nil, workspace: engine.1), limits: node.settings.limits, tell: tell)
    linksAreStale = true
  }

  /// What a visitor's radio is to range from now on.
  func change(_ device: Int, _ body: (inout RoomVisitor) -> Void) {
    guard var visitor = ends[device].visitor else { return }
    body(&visitor)
    ends[device].visitor = visitor
    linksAreStale = true
  }

  func dismiss(_ device: Int) {
    ends[device].visitor = nil
    linksAreStale = true
  }

  func capabilities(of device: Int) -> DeviceCapabilities { ends[device].host?.deviceCapabilities ?? .distanceOnly }
}
