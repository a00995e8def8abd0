import Foundation
import NearbySession

/// Hears what happens to sessions, on their `delegateQueue`. Every method may be left out.
public protocol NISessionDelegate: AnyObject {
  /// Nearby objects have new values.
  func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject])
  /// Nearby objects were removed.
  func session(
    _ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason)
  /// The session was suspended; it does not resume by itself.
  func sessionWasSuspended(_ session: NISession)
  /// The suspension ended; `run` starts the session again.
  func sessionSuspensionEnded(_ session: NISession)
  /// An `NIError` says why. The app's own `invalidate()` is not told.
  func session(_ session: NISession, didInvalidateWith error: any Error)
  /// For the app to send to the accessory, as it is.
  func session(
    _ session: NISession, didGenerateShareableConfigurationData shareableConfigurationData: Data,
    for object: NINearbyObject)
  /// Camera assistance converged, or says why not.
  func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence,
    for object: NINearbyObject?)
  /// The session started to run.
  func sessionDidStartRunning(_ session: NISession)
}

extension NISessionDelegate {
  /// Does nothing.
  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {}
  /// Does nothing.
  public func session(
    _ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason
  ) {}
  /// Does nothing.
  public func sessionWasSuspended(_ session: NISession) {}
  /// Does nothing.
  public func sessionSuspensionEnded(_ session: NISession) {}
  public func session(_ session: NISession, didInvalidateWith error: any Error) {}
  public func session(
    _ session: NISession, didGenerateShareableConfigurationData shareableConfigurationData: Data,
    for object: NINearbyObject
  ) {}
  /// Does nothing.
  public func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence,
    for object: NINearbyObject?
  ) {}
  /// Does nothing.
  public func sessionDidStartRunning(_ session: NISession) {}
}
