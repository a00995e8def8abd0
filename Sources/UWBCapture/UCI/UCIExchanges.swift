import NearbyUCI
import UWBTypes

/// Exchanges from a UCI chip's traffic: one for each peer of each round, with what the chip has measured. Live traffic and a recording of it
/// give the same.
public struct UCIExchanges: Sendable {
  public private(set) var skipped = SkippedInput()
  private var reader = UCIRoundReader()
  private var count = 0
  /// µs; of the first round
  private var start: UInt64?

  public init() {}

  /// Takes the next packet of either direction.
  ///
  /// - Parameter microseconds: when it passed, on any clock
  public mutating func push(_ packet: UCIPacket, microseconds: UInt64) -> [RangingExchange] {
    let unreadable = reader.unreadable
    let results = reader.push(packet)
    if reader.unreadable > unreadable { skipped.add("badMessage") }
    return results.map { result in
      if result.lost > 0 { skipped.add("lostRound", count: result.lost) }
      let first = start ?? microseconds
      start = first
      defer { count += 1 }
      var exchange = RangingExchange(
        index: count, time: Double(microseconds < first ? 0 : microseconds - first) * 1e-6, peer: result.peer,
        local: result.local, poll: RangingMessage())
      exchange.ready = result.measurement
      if let measured = result.measurement {
        exchange.chipReport = ChipReport(
          distance: measured.distance, rawDistance: measured.distance, azimuth: measured.azimuth?.value,
          elevation: measured.elevation?.value)
      }
      return exchange
    }
  }
}
