import NearbyUCI
import UWBTypes

/// Exchanges that came together and are handed over one by one.
struct PendingExchanges {
  private var exchanges: [RangingExchange] = []
  private var handed = 0

  var isEmpty: Bool { handed == exchanges.count }

  /// Lets `body` append more.
  mutating func take(_ body: (inout [RangingExchange]) -> Void) {
    if isEmpty, handed > 0 {
      exchanges.removeAll(keepingCapacity: true)
      handed = 0
    }
    body(&exchanges)
  }

  mutating func next() -> RangingExchange? {
    guard !isEmpty else { return nil }
    defer { handed += 1 }
    return exchanges[handed]
  }
}

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
    guard !results.isEmpty else { return }
    for result in results { exchanges.append(exchange(of: result)) }
    results.removeAll(keepingCapacity: true)
  }

  /// Ends the traffic: what still waited for diagnostics.
  public mutating func finish() -> [RangingExchange] { reader.finish().map { exchange(of: $0) } }

  private mutating func exchange(of result: UCIRoundReader.Result) -> RangingExchange {
    let first = start ?? result.microseconds
    start = first
    defer { count += 1 }
    var exchange = result.exchange
    exchange.index = count
    exchange.time = Double(result.microseconds < first ? 0 : result.microseconds - first) * 1e-6
    return exchange
  }
}
