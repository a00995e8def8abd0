import NearbyUCI
import UWBTypes

/// The traffic of a capture as its reader takes it: packets go in, and the exchanges that come together are handed over one by one.
struct UCITraffic {
  /// What the reader itself passes over.
  var passedOver = SkippedInput()
  private var exchanges = UCIExchanges()
  private var pending: [RangingExchange] = []
  private var handed = 0

  /// All that gave no exchange.
  var skipped: SkippedInput {
    var all = passedOver
    all.merge(exchanges.skipped)
    return all
  }

  /// Whether every exchange was handed over.
  var isEmpty: Bool { handed == pending.count }

  mutating func push(_ packet: UCIPacket, microseconds: UInt64) {
    removeHanded()
    exchanges.push(packet, microseconds: microseconds, into: &pending)
  }

  /// No packet follows.
  mutating func finish() {
    removeHanded()
    pending += exchanges.finish()
  }

  mutating func next() -> RangingExchange? {
    guard !isEmpty else { return nil }
    defer { handed += 1 }
    return pending[handed]
  }

  private mutating func removeHanded() {
    guard isEmpty, handed > 0 else { return }
    pending.removeAll(keepingCapacity: true)
    handed = 0
  }
}
