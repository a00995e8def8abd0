import NearbySession
import UWBDSP

/// Keeps what it hears, and lets a test wait for it without a clock.
final class RecordingDelegate: NearbySessionDelegate, Sendable {
  struct Call: Sendable {
    var name: String
    var session: ObjectIdentifier
    var objects: [NearbyObject] = []
    var data: [UInt8] = []
    var reason: NearbyObject.RemovalReason?
    var convergence: AlgorithmConvergence?
    var error: NearbyError?
  }

  private struct State {
    var calls: [Call] = []
    var waiters: [(condition: @Sendable ([Call]) -> Bool, continuation: CheckedContinuation<[Call], Never>)] = []
  }

  private let state = StateLock(State())

  /// The calls so far, once they fulfil the condition.
  func wait(until condition: @escaping @Sendable ([Call]) -> Bool) async -> [Call] {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> [Call]? in
        if condition(state.calls) { return state.calls }
        state.waiters.append((condition, continuation))
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  private func keep(_ call: Call) {
    let ready = state.withLock { state in
      state.calls.append(call)
      let calls = state.calls
      let ready = state.waiters.filter { $0.condition(calls) }.map(\.continuation)
      state.waiters.removeAll { $0.condition(calls) }
      return (ready, calls)
    }
    for continuation in ready.0 { continuation.resume(returning: ready.1) }
  }

  func sessionDidStartRunning(_ session: NearbySession) {
    keep(Call(name: "didStart", session: ObjectIdentifier(session)))
  }

  func session(_ session: NearbySession, didUpdate nearbyObjects: [NearbyObject]) {
    keep(Call(name: "didUpdate", session: ObjectIdentifier(session), objects: nearbyObjects))
  }

  func session(
    _ session: NearbySession, didRemove nearbyObjects: [NearbyObject], reason: NearbyObject.RemovalReason
  ) {
    keep(Call(name: "didRemove", session: ObjectIdentifier(session), objects: nearbyObjects, reason: reason))
  }

  func sessionWasSuspended(_ session: NearbySession) {
    keep(Call(name: "wasSuspended", session: ObjectIdentifier(session)))
  }

  func sessionSuspensionEnded(_ session: NearbySession) {
    keep(Call(name: "suspensionEnded", session: ObjectIdentifier(session)))
  }

  func session(
    _ session: NearbySession, didGenerateShareableConfigurationData data: [UInt8], for object: NearbyObject
  ) {
    keep(Call(name: "didGenerate", session: ObjectIdentifier(session), objects: [object], data: data))
  }

  func session(
    _ session: NearbySession, didUpdateAlgorithmConvergence convergence: AlgorithmConvergence, for object: NearbyObject
  ) {
    keep(
      Call(name: "convergence", session: ObjectIdentifier(session), objects: [object], convergence: convergence))
  }

  func session(_ session: NearbySession, didInvalidateWith error: NearbyError) {
    keep(Call(name: "didInvalidate", session: ObjectIdentifier(session), error: error))
  }
}
