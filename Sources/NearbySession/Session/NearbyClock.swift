import UWBTypes

/// Where a host reads the time: seconds from any start, never the time of day.
public protocol NearbyClock: Sendable {
  /// s
  var now: Double { get }
}

/// The machine's monotonic clock, from 0 where it was made.
public struct NearbyMonotonicClock: NearbyClock {
  private let start = ContinuousClock.now

  /// The system's monotonic clock.
  public init() {}

  public var now: Double {
    let elapsed = (ContinuousClock.now - start).components
    return Double(elapsed.seconds) + 1e-18 * Double(elapsed.attoseconds)
  }
}

/// A clock that goes where it is set: for tests, simulators and replays.
public final class NearbyManualClock: NearbyClock {
  private let time: StateLock<Double>

  /// A clock that stands at `now`, s.
  public init(now: Double = 0) {
    time = StateLock(now)
  }

  public var now: Double {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}
