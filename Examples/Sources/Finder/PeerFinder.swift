// An app as it is written for Apple's framework; there it imports NearbyInteraction. Nothing else tells the platforms apart.

import Foundation
import NearbyInteractionNames

/// Finds one other user of the app: the device's token goes out, the peer's comes in, and the screen shows where the peer is.
public final class PeerFinder: NSObject {
  public private(set) var distanceToPeer: Float?
  public private(set) var directionAngle: Float = 0
  public private(set) var isDirectionAvailable = false
  public private(set) var isConnectionLost = false
  public private(set) var updates = 0
  public private(set) var starts = 0

  /// The app's own transport to the peer.
  private let send: (Data) -> Void
  private let makeSession: () -> NISession
  private var nearbySession: NISession?
  private var peerToken: NIDiscoveryToken?

  /// What a screen says before anything is tried.
  public static var advice: String {
    guard NISession.isSupported else { return "This device has no radio for this." }
    let capabilities = NISession.deviceCapabilities
    if capabilities.supportsDirectionMeasurement { return "Point at your friend." }
    return capabilities.supportsPreciseDistanceMeasurement ? "Walk towards your friend." : "This device can't range."
  }

  /// - Parameter makeSession: `NISession()` in an app; where one program plays two devices, a session of either.
  public init(send: @escaping (Data) -> Void, makeSession: @escaping () -> NISession = { NISession() }) {
    self.send = send
    self.makeSession = makeSession
    super.init()
    start()
  }

  /// A session for the peer, and its token on its way.
  public func start() {
    starts += 1
    let session = makeSession()
    session.delegate = self
    nearbySession = session
    guard let token = session.discoveryToken,
      let data = try? NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    else { return }
    send(data)
  }

  /// The transport has brought the peer's token.
  public func receive(_ data: Data) {
    guard let token = try? NSKeyedUnarchiver.unarchivedObject(ofClass: NIDiscoveryToken.self, from: data) else {
      print("the peer sent no token")
      return
    }
    peerToken = token
    run(with: token)
    isConnectionLost = false
  }

  public func stop() {
    nearbySession?.invalidate()
  }

  private func run(with token: NIDiscoveryToken) {
    nearbySession?.run(NINearbyPeerConfiguration(peerToken: token))
  }
}

extension PeerFinder: NISessionDelegate {
  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    guard let peer = nearbyObjects.first(where: { $0.discoveryToken == peerToken }) else { return }
    updates += 1
    distanceToPeer = peer.distance
    // Either may be absent: too far, something between, out of the field of view.
    isDirectionAvailable = peer.direction != nil
    if let direction = peer.direction { directionAngle = direction.x > 0 ? 90 : -90 }
  }

  public func session(
    _ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason
  ) {
    isConnectionLost = true
    switch reason {
    case .timeout: if let peerToken { run(with: peerToken) }
    case .peerEnded: print("the peer has left")
    }
  }

  public func sessionWasSuspended(_ session: NISession) {
    print("suspended")
  }

  public func sessionSuspensionEnded(_ session: NISession) {
    // Both ends run again; the tokens are still good.
    if let peerToken { run(with: peerToken) }
  }

  public func session(_ session: NISession, didInvalidateWith error: any Error) {
    isConnectionLost = true
    // The user's answer stands; anything else is worth a new session, and new tokens.
    if let error = error as? NIError, error.code == .userDidNotAllow { return }
    start()
  }
}
