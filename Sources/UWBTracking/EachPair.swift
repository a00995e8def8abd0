import UWBTypes

/// Two radios that range with each other: what is followed from exchange to exchange is followed for each pair.
///
/// A device may go by several addresses (one for each session): then each is a pair of its own.
public struct RadioPair: Sendable, Hashable {
  /// `nil` where the capture does not name the local device.
  public var local: DeviceAddress?
  /// Address of the other device.
  public var peer: DeviceAddress

  /// Creates one with the given values.
  public init(local: DeviceAddress?, peer: DeviceAddress) {
    self.local = local
    self.peer = peer
  }
}

extension RangingExchange {
  /// The two devices of this exchange.
  public var pair: RadioPair { RadioPair(local: local, peer: peer) }
}

/// A state for each pair of radios, made when the pair is first met: clocks before the engine, trackers after it. `RangingPipeline`
/// takes its steps here.
///
/// It grows with the number of pairs until `forget`. Cost: a look-up an exchange; it allocates for new pairs alone.
public struct EachPair<State: Sendable>: Sendable {
  private let fresh: State
  private var states: [RadioPair: State] = [:]
  /// Of each peer, the local addresses that it was met with.
  private var locals: [DeviceAddress: [DeviceAddress?]] = [:]

  /// - Parameter fresh: the state of a pair that was not met before.
  public init(_ fresh: State) {
    self.fresh = fresh
  }

  /// Pairs that are remembered.
  public var count: Int { states.count }

  /// State of a pair; the first access makes it.
  public subscript(pair: RadioPair) -> State {
    get { states[pair] ?? fresh }
    _modify {
      let fresh = fresh
      let count = states.count
      defer { if states.count > count { locals[pair.peer, default: []].append(pair.local) } }
      yield &states[pair, default: fresh]
    }
  }

  /// Drops what is remembered of a peer that has gone; the cost is that of its own pairs.
  public mutating func forget(_ peer: DeviceAddress) {
    for local in locals.removeValue(forKey: peer) ?? [] { states[RadioPair(local: local, peer: peer)] = nil }
  }
}

extension EachPair<PeerTracker> {
  /// The step after the engine: the measurement, tracked.
  ///
  /// - Parameter pose: of the local device at that time, where it is known.
  public mutating func update(
    _ measurement: RangingMeasurement, of pair: RadioPair, pose: DevicePose? = nil
  ) -> PeerTracker.Output {
    self[pair].update(measurement, pose: pose)
  }
}
