import Foundation
import UWBTypes

/// What a capture holds and what it lacks, gathered exchange by exchange in constant memory (but for a count a peer).
public struct CaptureSummary: Sendable {
  /// What one of the three messages comes with.
  public struct Message: Sendable, Hashable {
    /// Frames of this kind.
    public var count = 0
    /// Frames with a transmit timestamp.
    public var transmitted = 0
    /// Frames with a reception.
    public var receptions = 0
    /// Receptions with an impulse response.
    public var impulseResponses = 0
    /// Receptions with the chip's own first path.
    public var chipFirstPaths = 0

    /// Creates one with the given values.
    public init(
      count: Int = 0, transmitted: Int = 0, receptions: Int = 0, impulseResponses: Int = 0, chipFirstPaths: Int = 0
    ) {
      self.count = count
      self.transmitted = transmitted
      self.receptions = receptions
      self.impulseResponses = impulseResponses
      self.chipFirstPaths = chipFirstPaths
    }

    /// Counts what a message comes with.
    ///
    /// - Returns: its impulse response, where it has one.
    fileprivate mutating func add(_ message: RangingMessage) -> ChannelImpulseResponse? {
      count += 1
      if message.transmitted != nil { transmitted += 1 }
      let seen = message.withReception { (hasFirstPath: $0.chipFirstPathTaps != nil, response: $0.impulseResponse) }
      guard let seen else { return nil }
      receptions += 1
      if seen.hasFirstPath { chipFirstPaths += 1 }
      if seen.response != nil { impulseResponses += 1 }
      return seen.response
    }
  }

  /// Exchanges counted so far.
  public private(set) var exchanges = 0
  /// Exchanges of each peer.
  public var peers: [DeviceAddress: Int] { peerCounts.all }
  /// Exchanges by address of the local device.
  public var locals: [DeviceAddress: Int] { localCounts.all }
  /// Counts of the polls.
  public private(set) var poll = Message()
  /// Counts of the responses.
  public private(set) var response = Message()
  /// Counts of the finals.
  public private(set) var final = Message()
  /// Seconds from the first exchange to the last.
  public private(set) var seconds = 0.0
  /// The longest wait from an exchange to the next, seconds, and the exchange before it.
  public private(set) var longestWait: (seconds: Double, after: Int)?
  /// How often the local device's 40-bit clock began anew.
  public private(set) var clockWraps = 0
  /// Impulse responses of all frames.
  public private(set) var impulseResponses = 0
  /// Antennas × taps → CIRs.
  public var shapes: [String: Int] {
    Dictionary(
      shapeCounts.all.map { shape, count in
        let format = shape.format == .int16 ? "int16" : "float32"
        return ("\(shape.antennas) × \(shape.taps) taps, \(format)", count)
      }, uniquingKeysWith: +)
  }
  /// CIRs whose samples are all zero.
  public private(set) var allZero = 0
  /// CIRs with a sample at the end of its integers' range.
  public private(set) var saturated = 0
  /// CIRs with samples that are no finite numbers.
  public private(set) var notFinite = 0
  /// CIRs that are equal to the one before, sample for sample.
  public private(set) var repeated = 0
  /// Exchanges with neither the timestamps of a distance nor a distance of the chip that stands in for them.
  public private(set) var withoutTimestamps = 0
  /// Exchanges with phase differences in place of CIRs.
  public private(set) var withPhaseDifferences = 0
  /// Exchanges with results of the chip.
  public private(set) var withChipReport = 0
  /// Exchanges with a known truth.
  public private(set) var withTruth = 0
  /// Fewest antennas of a reception; nil before the first.
  public private(set) var fewestAntennas: Int?

  private struct Shape: Hashable {
    var antennas: Int
    var taps: Int
    var format: ChannelImpulseResponse.SampleFormat
  }

  private var peerCounts = RunCounts<DeviceAddress>()
  private var localCounts = RunCounts<DeviceAddress>()
  private var shapeCounts = RunCounts<Shape>(limit: 64)
  private var waits = WaitHistogram()
  private var lastTime: Double?
  private var lastLocal: DeviceTime?
  private var lastHash: UInt64?

  /// Nothing counted yet.
  public init() {}

  /// Median wait from an exchange to the next, seconds, within 6 %; `nil` for fewer than two exchanges.
  public var medianWait: Double? { waits.median }
  /// Waits of more than five times the median.
  public var gaps: Int { medianWait.map { waits.count(above: 5 * $0) } ?? 0 }

  /// Takes the next exchange.
  public mutating func add(_ exchange: RangingExchange) {
    exchanges += 1
    peerCounts.add(exchange.peer)
    if let local = exchange.local { localCounts.add(local) }
    if let response = poll.add(exchange.poll) { add(response) }
    if let response = exchange.response.flatMap({ response.add($0) }) { add(response) }
    if let response = exchange.final.flatMap({ final.add($0) }) { add(response) }
    if exchange.chipReport != nil { withChipReport += 1 }
    if exchange.truth != nil { withTruth += 1 }
    let hasPhases = exchange.phaseDifferences != nil
    if hasPhases { withPhaseDifferences += 1 }
    let reported = exchange.ready?.distance ?? (hasPhases ? exchange.chipReport?.distance : nil)
    if !exchange.hasDoubleSidedTimestamps, reported == nil { withoutTimestamps += 1 }
    addTime(exchange)
  }

  private mutating func addTime(_ exchange: RangingExchange) {
    if let lastTime {
      let wait = exchange.time - lastTime
      if wait > 0 {
        seconds += wait
        waits.add(wait)
        if wait > longestWait?.seconds ?? 0 { longestWait = (wait, exchange.index.saturatingSubtracting(1)) }
      }
    }
    lastTime = exchange.time
    let reading = exchange.initiator == .peer ? exchange.poll.withReception(\.time) : exchange.poll.transmitted
    guard let reading, reading.ticks != 0 else { return }
    if let lastLocal, reading.ticks < lastLocal.ticks { clockWraps += 1 }
    lastLocal = reading
  }

  private mutating func add(_ response: ChannelImpulseResponse) {
    impulseResponses += 1
    shapeCounts.add(Shape(antennas: response.antennaCount, taps: response.tapCount, format: response.format))
    fewestAntennas = min(fewestAntennas ?? .max, response.antennaCount)
    let check = SampleCheck(response)
    if check.isAllZero { allZero += 1 }
    if check.isSaturated { saturated += 1 }
    if !check.isFinite { notFinite += 1 }
    if check.hash == lastHash, !check.isAllZero { repeated += 1 }
    lastHash = check.hash
  }
}

/// Counts how often there is what. A run of the same is looked up once.
private struct RunCounts<Value: Hashable & Sendable>: Sendable {
  /// Most values that are told apart; those that come later are not counted.
  private let limit: Int
  private var ended: [Value: Int] = [:]
  private var run: (value: Value, count: Int)?

  init(limit: Int = .max) { self.limit = limit }

  mutating func add(_ value: Value) {
    if run?.value == value {
      run?.count += 1
    } else {
      endRun()
      run = (value, 1)
    }
  }

  private mutating func endRun() {
    guard let run, ended.count < limit || ended[run.value] != nil else { return }
    ended[run.value, default: 0] += run.count
  }

  var all: [Value: Int] {
    var counts = self
    counts.endRun()
    return counts.ended
  }
}

/// What one look at a CIR's samples tells.
private struct SampleCheck {
  var isAllZero = true
  var isSaturated = false
  var isFinite = true
  /// FNV-1a over the stored samples, 64 bits.
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  init(_ response: ChannelImpulseResponse) {
    response.storage.withBytes { bytes in
      for antenna in 0..<response.antennaCount {
        var start = response.byteOffset(antenna: antenna, tap: 0)
        let step = response.tapStride * response.format.byteCount
        for _ in 0..<response.tapCount {
          switch response.format {
          case .int16: take(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
          case .float32: take(bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
          }
          start += step
        }
      }
    }
  }

  /// Two integers of 16 bits.
  private mutating func take(_ word: UInt32) {
    if word != 0 {
      isAllZero = false
      for part in [Int16(truncatingIfNeeded: word), Int16(truncatingIfNeeded: word >> 16)]
      where part == .max || part == .min { isSaturated = true }
    }
    mix(UInt64(word))
  }

  /// Two numbers of single precision. Their exponents are all ones where they are not finite.
  private mutating func take(_ word: UInt64) {
    if word & 0x7FFF_FFFF_7FFF_FFFF != 0 { isAllZero = false }
    for part in [word, word >> 32] where part & 0x7F80_0000 == 0x7F80_0000 { isFinite = false }
    mix(word)
  }

  private mutating func mix(_ word: UInt64) {
    hash = (hash ^ word) &* 0x100_0000_01b3
  }
}

/// Waits by their logarithm, 40 to a decade from a microsecond to eleven days.
private struct WaitHistogram: Sendable {
  private static let perDecade = 40.0
  private static let lowest = -6.0
  private var counts = [Int](repeating: 0, count: 480)
  private var total = 0

  mutating func add(_ wait: Double) {
    counts[Self.bin(wait)] += 1
    total += 1
  }

  var median: Double? {
    guard total > 0 else { return nil }
    var sum = 0
    for (bin, count) in counts.enumerated() {
      sum += count
      if 2 * sum >= total { return Self.power((Double(bin) + 0.5) / Self.perDecade + Self.lowest) }
    }
    return nil
  }

  func count(above wait: Double) -> Int {
    counts[(Self.bin(wait) + 1)...].reduce(0, +)
  }

  private static func bin(_ wait: Double) -> Int {
    Int((log10(wait) - lowest) * perDecade, rounded: .down, within: 0...478)
  }

  private static func power(_ exponent: Double) -> Double { pow(10, exponent) }
}
