// An app in the oldest style: a view model that is neither `Sendable` nor on an actor, used by the main thread alone. It makes its
// session, hands its token to a peer, and starts anew where the session is lost, but not where the user has stopped it.

import NearbySession
import NearbySimulation

/// What an app's own transport does: it carries bytes to the peer and calls back with the peer's.
protocol TokenTransport {
  func send(_ token: [UInt8])
}

final class FinderViewModel {
  private(set) var distanceToPeer: Double?
  private(set) var directionAngle = 0.0
  private(set) var isDirectionAvailable = false
  private(set) var isConnectionLost = false
  private(set) var updates = 0
  private(set) var starts = 0

  private let host: NearbyHost
  private let transport: any TokenTransport
  private var nearbySession: NearbySession?
  private var peerToken: DiscoveryToken?

  init(host: NearbyHost, transport: any TokenTransport) {
    self.host = host
    self.transport = transport
    startNearbySession()
  }

  func startNearbySession() {
    starts += 1
    nearbySession = NearbySession(host: host)
    // The main thread shows what the delegate is told, so it hears on the main queue.
    nearbySession?.delegateQueue = .main
    nearbySession?.delegate = self
    if let token = nearbySession?.discoveryToken { transport.send(token.encoded) }
  }

  func didReceive(_ data: [UInt8]) {
    guard let token = try? DiscoveryToken(encoded: data) else { return }
    peerToken = token
    try? nearbySession?.run(NearbyPeerConfiguration(peerToken: token))
    isConnectionLost = false
  }

  func stop() {
    nearbySession?.invalidate()
  }
}

extension FinderViewModel: NearbySessionDelegate {
  func session(_ session: NearbySession, didUpdate nearbyObjects: [NearbyObject]) {
    guard let nearbyObject = nearbyObjects.first else { return }
    updates += 1
    distanceToPeer = nearbyObject.distance
    if let direction = nearbyObject.direction {
      isDirectionAvailable = true
      directionAngle = direction.x > 0 ? 90 : -90
    } else {
      isDirectionAvailable = false
    }
  }

  func session(
    _ session: NearbySession, didRemove nearbyObjects: [NearbyObject], reason: NearbyObject.RemovalReason
  ) {
    isConnectionLost = true
  }

  func sessionSuspensionEnded(_ session: NearbySession) {
    guard let peerToken else { return }
    try? session.run(NearbyPeerConfiguration(peerToken: peerToken))
  }

  func session(_ session: NearbySession, didInvalidateWith error: NearbyError) {
    isConnectionLost = true
    if error.isFailure { startNearbySession() }
  }
}

/// A transport that keeps what it is to send until the other side looks.
final class Mailbox: TokenTransport {
  private(set) var tokens: [[UInt8]] = []
  func send(_ token: [UInt8]) { tokens.append(token) }
}

@main
@MainActor
struct ViewModel {
  static func main() async throws {
    var scenario = RoomScenario(name: "view model", duration: 2)
    scenario.devices = [
      RoomScenario.Device(
        name: "phone", motion: RoomScenario.Motion(.still(.zero)), facing: RoomScenario.Facing(.peer("other"))),
      RoomScenario.Device(
        name: "other", motion: RoomScenario.Motion(.still(SIMD3(0.5, 0, -2))),
        facing: RoomScenario.Facing(.peer("phone"))),
    ]
    let room = try SimulatedRoom(scenario)
    guard let host = room.host(of: "phone"), let otherHost = room.host(of: "other") else { return }
    let (ours, theirs) = (Mailbox(), Mailbox())
    let model = FinderViewModel(host: host, transport: ours)
    let other = FinderViewModel(host: otherHost, transport: theirs)
    for token in ours.tokens { other.didReceive(token) }
    for token in theirs.tokens { model.didReceive(token) }

    await room.run(until: 1.5, speed: 4)
    precondition(model.updates > 3)
    print("\(model.distanceToPeer ?? .nan) m, to the \(model.directionAngle > 0 ? "right" : "left")")
    model.stop()
    while !model.isConnectionLost { await Task.yield() }
    precondition(model.starts == 1, "the user stopped it")
    print("stopped")
  }
}
