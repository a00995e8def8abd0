/// Hears what happens to sessions, as an alternative to their streams.
///
/// Each call ends before the next one for the same session begins; a delegate that takes long finds the newest update.
/// Methods may be synchronous, asynchronous, or on an actor such as the main one.
public protocol NearbySessionDelegate: AnyObject, Sendable {
  func sessionDidStartRunning(_ session: NearbySession) async
  func session(_ session: NearbySession, didUpdate nearbyObjects: [NearbyObject]) async
  func session(
    _ session: NearbySession, didRemove nearbyObjects: [NearbyObject], reason: NearbyObject.RemovalReason
  ) async
  func sessionWasSuspended(_ session: NearbySession) async
  func sessionSuspensionEnded(_ session: NearbySession) async
  /// `data` is for the app to send to the accessory, as it is.
  func session(
    _ session: NearbySession, didGenerateShareableConfigurationData data: [UInt8], for object: NearbyObject
  ) async
  func session(
    _ session: NearbySession, didUpdateAlgorithmConvergence convergence: AlgorithmConvergence, for object: NearbyObject
  ) async
  /// The last call for this session.
  func session(_ session: NearbySession, didInvalidateWith error: NearbyError) async
}

extension NearbySessionDelegate {
  public func sessionDidStartRunning(_ session: NearbySession) {}
  public func session(_ session: NearbySession, didUpdate nearbyObjects: [NearbyObject]) {}
  public func session(
    _ session: NearbySession, didRemove nearbyObjects: [NearbyObject], reason: NearbyObject.RemovalReason
  ) {}
  public func sessionWasSuspended(_ session: NearbySession) {}
  public func sessionSuspensionEnded(_ session: NearbySession) {}
  public func session(
    _ session: NearbySession, didGenerateShareableConfigurationData data: [UInt8], for object: NearbyObject
  ) {}
  public func session(
    _ session: NearbySession, didUpdateAlgorithmConvergence convergence: AlgorithmConvergence, for object: NearbyObject
  ) {}
  public func session(_ session: NearbySession, didInvalidateWith error: NearbyError) {}
}

extension NearbySession {
  /// A stream of the session, told to a delegate for as long as both live.
  static func adapter(
    for session: NearbySession, to delegate: any NearbySessionDelegate
  ) -> Task<Void, Never> {
    let events = session.events
    return Task { [weak session, weak delegate] in
      do throws(NearbyError) {
        for try await event in events {
          guard let session, let delegate else { return }
          await delegate.hear(event, of: session)
        }
      } catch {
        guard let session, let delegate else { return }
        await delegate.session(session, didInvalidateWith: error)
      }
    }
  }
}

extension NearbySessionDelegate {
  fileprivate func hear(_ event: NearbySessionEvent, of session: NearbySession) async {
    switch event {
    case .started:
      await sessionDidStartRunning(session)
    case .updated(let objects):
      await self.session(session, didUpdate: objects)
    case .removed(let objects, let reason):
      await self.session(session, didRemove: objects, reason: reason)
    case .suspended:
      await sessionWasSuspended(session)
    case .suspensionEnded:
      await sessionSuspensionEnded(session)
    case .generatedShareableConfiguration(let data, let object):
      await self.session(session, didGenerateShareableConfigurationData: data, for: object)
    case .convergence(let convergence, let object):
      await self.session(session, didUpdateAlgorithmConvergence: convergence, for: object)
    }
  }
}
