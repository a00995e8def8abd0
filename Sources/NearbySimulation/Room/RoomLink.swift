import NearbySession
import UWBSimulation

/// One direction of a pair that ranges: the exchanges that the local end keeps the CIRs of.
final class RoomLink {
  struct Key: Hashable {
    let local: Int
    let peer: Int
    let link: RangingLink
  }

  let key: Key
  let simulator: ExchangeSimulator
  /// s
  let period: Double
  private let firstTime: Double
  /// Whether both ends range with the same keys; others hear nothing of each other.
  var hasCommonKeys = true
  /// The next exchange's.
  private(set) var index = 0

  init(_ key: Key, simulator: ExchangeSimulator, period: Double, firstTime: Double) {
    self.key = key
    self.simulator = simulator
    self.period = period
    self.firstTime = firstTime
  }

  /// The room's time of the next exchange, s.
  var nextTime: Double { simulator.configuration.startTime(of: index) }

  func advance() {
    index += 1
  }

  /// Leaves out what would have been before `time`.
  func skip(to time: Double) {
    index = max(index, Int(((time - firstTime) / period).rounded(.up)))
    if nextTime < time { index += 1 }
  }
}
