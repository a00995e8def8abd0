import NearbySession
import UWBDSP

/// A radio that does what the test says, and keeps what the host says.
final class FakeRadio: RangingRadio {
  enum Call: Sendable, Hashable {
    case start(RangingLink, RangingParameters)
    case stop(RangingLink)
  }

  struct Refusal: Error {}

  private struct State {
    var calls: [Call] = []
    var refuses = false
    var ranging: Set<RangingLink> = []
    var faults: [String] = []
    var waiters: [(count: Int, continuation: CheckedContinuation<[Call], Never>)] = []
  }

  let capabilities: DeviceCapabilities
  let address: DeviceAddress?
  let reports: AsyncStream<RadioReport>
  private let continuation: AsyncStream<RadioReport>.Continuation
  private let state = StateLock(State())

  init(capabilities: DeviceCapabilities = .all, address: DeviceAddress? = nil) {
    self.capabilities = capabilities
    self.address = address
    (reports, continuation) = AsyncStream.makeStream()
  }

  func report(_ reports: RadioReport...) {
    for report in reports { continuation.yield(report) }
  }

  func vanish() { continuation.finish() }

  func refuse(_ refuses: Bool = true) { state.withLock { $0.refuses = refuses } }

  /// What it was told to range, and no longer to.
  var ranging: Set<RangingLink> { state.withLock { $0.ranging } }

  /// Calls that make no sense: a start of what ranges, a stop of what does not.
  var faults: [String] { state.withLock { $0.faults } }

  /// The calls so far, once there are `count`.
  func calls(_ count: Int) async -> [Call] {
    await withCheckedContinuation { continuation in
      let calls = state.withLock { state -> [Call]? in
        if state.calls.count >= count { return state.calls }
        state.waiters.append((count, continuation))
        return nil
      }
      if let calls { continuation.resume(returning: calls) }
    }
  }

  func start(_ link: RangingLink, parameters: RangingParameters) async throws {
    if state.withLock({ $0.refuses }) { throw Refusal() }
    keep(.start(link, parameters))
  }

  func stop(_ link: RangingLink) async { keep(.stop(link)) }

  private func keep(_ call: Call) {
    let (ready, calls) = state.withLock { state in
      state.calls.append(call)
      switch call {
      case .start(let link, _):
        if !state.ranging.insert(link).inserted { state.faults.append("a link started twice") }
      case .stop(let link):
        if state.ranging.remove(link) == nil { state.faults.append("a link stopped that did not range") }
      }
      let count = state.calls.count
      defer { state.waiters.removeAll { $0.count <= count } }
      return (state.waiters.filter { $0.count <= count }.map(\.continuation), state.calls)
    }
    for continuation in ready { continuation.resume(returning: calls) }
  }
}

extension FakeRadio.Call {
  var started: (link: RangingLink, parameters: RangingParameters)? {
    if case .start(let link, let parameters) = self { (link, parameters) } else { nil }
  }
}
