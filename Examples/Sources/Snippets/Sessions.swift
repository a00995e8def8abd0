// What the pages on sessions show.
import NearbyInteractionNames
import NearbyPorts
import NearbyRoom
import NearbySession
import UWBTracking
import UWBTypes

@MainActor
func nameTheHost(radio: any RangingRadio, permission: NearbyPermissionRequest) {
  NISession.host = NearbyHost(radio: radio, request: permission)
}

func runASession(
  received: [UInt8], send: ([UInt8]?) -> Void, askTheUser: @escaping @Sendable (String) async -> Bool,
  show: ([NearbyObject]) -> Void
) async throws {
  let host = NearbyHost(
    request: NearbyPermissionRequest(usageDescription: "to point at your keys") { text in await askTheUser(text) })
  let session = NearbySession(host: host)
  let events = session.events
  send(session.discoveryToken?.encoded)
  try session.run(NearbyPeerConfiguration(peerToken: DiscoveryToken(encoded: received)))
  for try await event in events {
    if case .updated(let objects) = event { show(objects) }
  }
}

func changeTheRadio(
  radio: any RangingRadio, other: any RangingRadio, engine: any RangingProcessSource,
  permission: NearbyPermissionRequest
) {
  let host = NearbyHost(radio: radio, engine: engine, request: permission)
  host.attach(other)
}

func joinARoom(permission: NearbyPermissionRequest) async throws -> NearbyHost {
  let room = try await RemoteRoom.join(PortAddress("unix:/tmp/room"), as: "anna")
  let host = NearbyHost(radio: room, request: permission)
  return host
}

func replayMeasurements(_ measurements: [RangingMeasurement]) -> [ReplaySessions.Event] {
  var events: [ReplaySessions.Event] = []
  var replay = ReplaySessions()
  for measurement in measurements { replay.deliver(measurement, into: &events) }
  replay.finish(into: &events)
  return events
}
