import Foundation
import NearbySession
import UWBTypes

/// Tells an `NISession`'s delegate what its `NearbySession` tells.
final class DelegateRelay: NearbySessionDelegate {
  /// A delegate is used where it is called, on the app's queue, and needs not be `Sendable`. Here it is only kept.
  private struct Reference: @unchecked Sendable {
    weak var delegate: (any NISessionDelegate)?
    weak var session: NISession?
    /// From a failed run until the delegate was told: the app may have let go of it.
    var endingSession: NISession?
    var isOver = false
  }

  private let state = StateLock(Reference())

  var delegate: (any NISessionDelegate)? {
    get { state.withLock { $0 }.delegate }
    set {
      let reference = Reference(delegate: newValue)
      state.withLock { $0.delegate = reference.delegate }
    }
  }

  func serve(_ session: NISession) {
    state.withLock { $0.session = session }
  }

  /// Keeps the session until its end is told.
  func keep(_ session: NISession) {
    state.withLock { if !$0.isOver { $0.endingSession = session } }
  }

  private func tell(_ body: (any NISessionDelegate, NISession) -> Void) {
    let reference = state.withLock { $0 }
    if let delegate = reference.delegate, let session = reference.session { body(delegate, session) }
  }

  // MARK: NearbySessionDelegate

  func sessionDidStartRunning(_ session: NearbySession) {
    tell { $0.sessionDidStartRunning($1) }
  }

  func session(_ session: NearbySession, didUpdate nearbyObjects: [NearbyObject]) {
    tell { $0.session($1, didUpdate: nearbyObjects.map(NINearbyObject.init)) }
  }

  func session(
    _ session: NearbySession, didRemove nearbyObjects: [NearbyObject], reason: NearbyObject.RemovalReason
  ) {
    tell { $0.session($1, didRemove: nearbyObjects.map(NINearbyObject.init), reason: reason) }
  }

  func sessionWasSuspended(_ session: NearbySession) {
    tell { $0.sessionWasSuspended($1) }
  }

  func sessionSuspensionEnded(_ session: NearbySession) {
    tell { $0.sessionSuspensionEnded($1) }
  }

  func session(
    _ session: NearbySession, didGenerateShareableConfigurationData data: [UInt8], for object: NearbyObject
  ) {
    tell { $0.session($1, didGenerateShareableConfigurationData: Data(data), for: NINearbyObject(object)) }
  }

  func session(
    _ session: NearbySession, didUpdateAlgorithmConvergence convergence: AlgorithmConvergence, for object: NearbyObject
  ) {
    tell {
      $0.session($1, didUpdateAlgorithmConvergence: NIAlgorithmConvergence(convergence), for: NINearbyObject(object))
    }
  }

  func session(_ session: NearbySession, didInvalidateWith error: NearbyError) {
    if error.isFailure { tell { $0.session($1, didInvalidateWith: error) } }
    let ended = state.withLock { state in
      defer { state.endingSession = nil }
      state.isOver = true
      return state.endingSession
    }
    withExtendedLifetime(ended) {}
  }
}
