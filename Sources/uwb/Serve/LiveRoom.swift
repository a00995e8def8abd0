import Foundation
import NearbySession
import NearbySimulation
import UWBDSP
import UWBLive

/// A simulated room at its own pace, and what each device's delegate is told.
struct LiveRoom: LiveStream {
  private let scenario: RoomScenario
  private let devices: [String]

  /// - Parameter device: whose view comes first; the scenario's first device's where it is `nil`
  /// - Throws: `CaptureError` for a scenario that can't be read.
  init(_ path: String, device: String?) throws {
    scenario = try ScenarioFile.read(path)
    let room = try ScriptedApps(scenario).room
    let names = room.scenario.devices.filter { !$0.sessions.isEmpty }.map(\.name)
    if let device {
      guard names.contains(device) else {
        throw Usage.unknown("device with a session", device, Array(names.prefix(20)))
      }
      devices = [device] + names.filter { $0 != device }
    } else {
      devices = names
    }
  }

  var state: LiveState { LiveState(title: scenario.name, kind: .room, devices: devices) }

  mutating func run(into feed: LiveFeed) throws {
    let failure = StateLock<(any Error)?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    let scenario = scenario
    let play = Task {
      do { try await Self.play(scenario, into: feed) } catch { failure.withLock { $0 = error } }
      isDone.signal()
    }
    while isDone.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
      if Interruption.isRequested { play.cancel() }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private static func play(_ scenario: RoomScenario, into feed: LiveFeed) async throws {
    let apps = try ScriptedApps(scenario)
    var windows: [String: ImpulseResponseWindow] = [:]
    // The room's radio, as its exchanges are written to captures.
    let engine = RangingEngine(.init(profile: .ideal))
    var workspaces: [Int: RangingEngine.Workspace] = [:]
    apps.room.onExchange = { device, exchange in
      let now = feed.now
      let window =
        feed.isWatched(device)
        ? windows[device, default: ImpulseResponseWindow()]
          .take(exchange, peer: "\(exchange.peer)", now: now) { _, reception in
            var paths = ReceptionPaths()
            let taps = reception.impulseResponse?.tapCount ?? 0
            let workspace = workspaces[taps] ?? engine.makeWorkspace(tapCount: taps)
            workspaces[taps] = workspace
            engine.findPaths(in: reception, into: &paths, using: workspace)
            return paths.delayTaps
          } : nil
      feed.change { state in
        state.countExchange(now: now)
        if let window { state.show(window, of: device) }
      }
    }
    var lines = LiveOutput(ByteOutput(to: { feed.publish($0) }), flushesEachLine: false)
    var failure: (any Error)?
    await apps.play(speed: 1) { event in
      guard failure == nil, !Interruption.isRequested else { return }
      do { try lines.write(event) } catch { failure = error }
      take(event, into: feed)
    }
    if let failure { throw failure }
    try lines.finish()
  }

  private static func take(_ event: RoomEvent, into feed: LiveFeed) {
    let now = feed.now
    if case .told(.updated(let objects)) = event.kind {
      let peers = objects.map { peer(of: $0, event) }
      return feed.change { state in
        state.counts.seconds = event.time
        state.counts.updates += peers.count
        for peer in peers { state.update(peer, of: event.device, now: now) }
      }
    }
    let text = text(of: event.kind)
    feed.change { state in
      state.counts.seconds = event.time
      if case .told(.removed(_, let reason)) = event.kind {
        state.counts.removed[reason.rawValue, default: 0] += 1
        state.remove(event.peer, of: event.device, time: event.time)
      }
      state.note(LiveEvent(time: event.time, peer: event.peer, text: text), of: event.device)
    }
  }

  private static func peer(of object: NearbyObject, _ event: RoomEvent) -> LivePeer {
    var peer = LivePeer(name: event.peer)
    peer.time = event.time
    peer.distance = object.distance.ifFinite
    peer.distanceDeviation = object.distanceDeviation.ifFinite
    // As `NOTATION.md` has it: positive to the right and upwards, -z ahead.
    if let direction = object.direction {
      peer.azimuthDegrees = direction.azimuth.degrees
      peer.elevationDegrees = direction.elevation.degrees
    } else {
      peer.azimuthDegrees = (object.horizontalAngle?.degrees).ifFinite
    }
    peer.azimuthDeviationDegrees = (object.azimuthDeviation?.degrees).ifFinite
    peer.lineOfSightProbability = object.lineOfSightProbability.ifFinite
    peer.trueDistance = event.truth?.distance
    return peer
  }

  private static func text(of kind: RoomEvent.Kind) -> String {
    switch kind {
    case .invalidated(let error): "invalidated: \(error.code)"
    case .told(.started): "session started"
    case .told(.suspended): "suspended"
    case .told(.suspensionEnded): "suspension ended"
    case .told(.removed(_, let reason)): "removed: \(reason.rawValue)"
    case .told(.generatedShareableConfiguration): "configuration generated for the accessory"
    case .told(.convergence(let convergence, _)): "camera assistance: \(convergence)"
    case .told(.updated): "updated"
    }
  }
}
