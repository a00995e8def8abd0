/// Hears what happens to sessions, as an alternative to their streams.
///
/// Each call ends before the next one for the same session begins; a delegate that takes long finds the newest update. Methods may be
/// synchronous, asynchronous, or on an actor such as the main one.
///
/// Calls come on the session's `delegateQueue`. A class that is not `Sendable` must be used there alone: one that the main thread
/// uses, as a view model, takes `NearbyDelegateQueue.main`.
public protocol NearbySessionDelegate: AnyObject {
  /// The session started to run.
  nonisolated(nonsending) func sessionDidStartRunning(_ session: NearbySession) async
  /// Nearby objects have new values.
  nonisolated(nonsending) func session(_ session: NearbySession, didUpdate nearbyObjects: [NearbyObject]) async
  /// Nearby objects were removed.
  nonisolated(nonsending) func session(
    _ session: NearbySession, didRemove nearbyObjects: [NearbyObject], reason: NearbyObject.RemovalReason
  ) async
  /// The session was suspended; it does not resume by itself.
  nonisolated(nonsending) func sessionWasSuspended(_ session: NearbySession) async
  /// The suspension ended; `run` starts the session again.
  nonisolated(nonsending) func sessionSuspensionEnded(_ session: NearbySession) async
  /// `data` is for the app to send to the accessory, as it is.
  nonisolated(nonsending) func session(
    _ session: NearbySession, didGenerateShareableConfigurationData data: [UInt8], for object: NearbyObject
  ) async
  /// Camera assistance converged, or says why not. The object is nil where it concerns no single one.
  nonisolated(nonsending) func session(
    _ session: NearbySession, didUpdateAlgorithmConvergence convergence: AlgorithmConvergence, for object: NearbyObject
  ) async
  /// The last call for this session.
  nonisolated(nonsending) func session(_ session: NearbySession, didInvalidateWith error: NearbyError) async
}

extension NearbySessionDelegate {
  /// Does nothing.
  public func sessionDidStartRunning(_ session: NearbySession) {}
  /// Does nothing.
  public func session(_ session: NearbySession, didUpdate nearbyObjects: [NearbyObject]) {}
  /// Does nothing.
  public func session(
    _ session: NearbySession, didRemove nearbyObjects: [NearbyObject], reason: NearbyObject.RemovalReason
  ) {}
  /// Does nothing.
  public func sessionWasSuspended(_ session: NearbySession) {}
  /// Does nothing.
  public func sessionSuspensionEnded(_ session: NearbySession) {}
  /// Does nothing.
  public func session(
    _ session: NearbySession, didGenerateShareableConfigurationData data: [UInt8], for object: NearbyObject
  ) {}
  /// Does nothing.
  public func session(
    _ session: NearbySession, didUpdateAlgorithmConvergence convergence: AlgorithmConvergence, for object: NearbyObject
  ) {}
  /// Does nothing.
  public func session(_ session: NearbySession, didInvalidateWith error: NearbyError) {}
}
