import NearbyUCI
import UWBTypes

/// Exchanges from a UCI chip's traffic: one for each peer of each round, with what the chip has measured and the impulse responses of its
/// diagnostics. Live traffic and a recording of it give the same.
public struct UCIExchanges: Sendable {
  /// No chip's pulse is known: a DW3000's profile, whose deviations are a real receiver's, stands for them all.
  public static let header = CaptureHeader(format: "uci", profile: RadioName.dw3000)
  private var reader = UCIRoundReader()
  private var results: [UCIRoundReader.Result] = []
  private var count = 0
  /// µs; of the first round
  private var start: UInt64?

  /// Nothing read yet.
  public init() {}

  /// Packets that gave no exchange, by reason.
  public var skipped: SkippedInput {
    var skipped = SkippedInput()
    for problem in UCIRoundReader.Problem.allCases {
      if let count = reader.problems[problem] { skipped.add("\(problem)", count: count) }
    }
    return skipped
  }

  /// Takes the next packet of either direction.
  ///
  /// - Parameter microseconds: when it passed, on any clock
  public mutating func push(_ packet: UCIPacket, microseconds: UInt64) -> [RangingExchange] {
    var exchanges: [RangingExchange] = []
    push(packet, microseconds: microseconds, into: &exchanges)
    return exchanges
  }

  /// The same, appended.
  mutating func push(_ packet: UCIPacket, microseconds: UInt64, into exchanges: inout [RangingExchange]) {
    reader.push(packet, microseconds: microseconds, into: &results)
    takeResults(into: &exchanges)
  }

  /// Ends the traffic: what still waited for diagnostics.
  public mutating func finish() -> [RangingExchange] {
    var exchanges: [RangingExchange] = []
    results = reader.finish()
    takeResults(into: &exchanges)
    return exchanges
  }

  /// Counts the exchanges where they are: elsewhere each would be copied.
  private mutating func takeResults(into exchanges: inout [RangingExchange]) {
    guard !results.isEmpty else { return }
    for index in results.indices {
      let microseconds = results[index].microseconds
      let first = start ?? microseconds
      start = first
      results[index].exchange.index = count
      results[index].exchange.time = Double(microseconds < first ? 0 : microseconds - first) * 1e-6
      count += 1
      exchanges.append(results[index].exchange)
    }
    results.removeAll(keepingCapacity: true)
  }
}
