import Foundation
import UWBDSP

/// Writes logs as DecaRanging does, of made-up exchanges with small accumulators, for tests of the reader.
///
/// Numbers are drawn from `seed` alone: equal writers write equal bytes.
public struct DecaRangingLogWriter {
  /// What the log says of one received frame.
  public struct Frame: Equatable {
    public var sequence: UInt8
    public var time: UInt64
    public var firstPath64ths: Int
    public var preambleCount: Int
    public var noiseThreshold: Int
    /// Hundredths of a dBm; `nil` is printed as `-001.#INF`.
    public var receivedPowerHundredths: Int?
    public var firstPathPowerHundredths: Int
    /// Real and imaginary parts in turn.
    public var taps: [Int16]
  }

  /// One exchange; times in ticks.
  public struct Exchange: Equatable {
    public var poll: Frame
    public var responseTransmitted: UInt64
    public var final: Frame
    public var tagPoll: UInt64
    public var tagResponse: UInt64
    public var tagFinal: UInt64
    /// Millimetres.
    public var distance: Int
    public var rawDistance: Int
    /// Thousandths of a part per million.
    public var clockOffset: Int
  }

  public static let tag: UInt64 = 0x1006_3720_5E37_FAC2
  public static let anchor: UInt64 = 0x1006_3220_5E37_FA35

  public var lineEnd = "\r\n"
  private var random: DecaRangingGenerator
  private var now: UInt64
  private var sequence: UInt8 = 0

  /// - Parameter start: the anchor's clock before the first poll, ticks.
  public init(seed: UInt64, start: UInt64 = 0xFF_0000_0000) {
    random = DecaRangingGenerator(seed: seed)
    now = start
  }

  /// A made-up exchange some 1.1 s after the one before.
  public mutating func exchange(tapCount: Int) -> Exchange {
    let mask: UInt64 = (1 << 40) - 1
    let pollTime = (now + UInt64.random(in: 70_000_000_000...72_000_000_000, using: &random)) & mask
    let responseTime = (pollTime + 9_585_000_000 + UInt64.random(in: 0...9999, using: &random)) & mask
    let finalTime = (responseTime + 12_780_000_000 + UInt64.random(in: 0...9999, using: &random)) & mask
    let flight = UInt64.random(in: 100...3000, using: &random)
    let tagPoll = UInt64.random(in: 0...mask, using: &random)
    let tagResponse = (tagPoll + (responseTime &- pollTime) & mask + 2 * flight) & mask
    let tagFinal = (tagResponse + (finalTime &- responseTime) & mask &- 2 * flight) & mask
    now = pollTime
    sequence &+= 2
    return Exchange(
      poll: frame(sequence, pollTime, tapCount), responseTransmitted: responseTime,
      final: frame(sequence + 1, finalTime, tapCount), tagPoll: tagPoll, tagResponse: tagResponse,
      tagFinal: tagFinal, distance: Int.random(in: -500...20000, using: &random),
      rawDistance: Int.random(in: -500...20000, using: &random),
      clockOffset: Int.random(in: -9999...9999, using: &random))
  }

  private mutating func frame(_ sequence: UInt8, _ time: UInt64, _ tapCount: Int) -> Frame {
    Frame(
      sequence: sequence, time: time, firstPath64ths: Int.random(in: 45000...55000, using: &random),
      preambleCount: Int.random(in: 100...1020, using: &random),
      noiseThreshold: Int.random(in: 0...0xFFFF, using: &random),
      receivedPowerHundredths: Int.random(in: 0...9, using: &random) == 0
        ? nil : Int.random(in: -9999 ... -7000, using: &random),
      firstPathPowerHundredths: Int.random(in: -11999 ... -7000, using: &random),
      taps: (0..<2 * tapCount).map { _ in Int16.random(in: -2000...2000, using: &random) })
  }

  // MARK: Text

  /// The two lines at the head of a log.
  public var head: String {
    lines(
      "File:20200102-030405_Test.log, created by DecaRanging MP Version 3.05", "Mode: 2, Chan 2, Code 9, PRF 64", "")
  }

  /// A whole exchange, in the usual order.
  public func text(_ exchange: Exchange) -> String {
    poll(exchange) + response(exchange) + final(exchange) + report(exchange)
  }

  public func poll(_ exchange: Exchange) -> String { received(exchange.poll, function: 0x21, payload: []) }

  public func final(_ exchange: Exchange) -> String {
    let times = [exchange.tagPoll, exchange.tagResponse, exchange.tagFinal]
    return received(
      exchange.final, function: 0x29,
      payload: times.flatMap { time in (0..<5).map { UInt8(truncatingIfNeeded: time >> (8 * $0)) } })
  }

  public func response(_ exchange: Exchange) -> String {
    let high = exchange.responseTransmitted >> 32
    let low = exchange.responseTransmitted & 0xFFFF_FFFF
    return lines(
      String(format: "TX Frame TimeStamp Raw  = %02llX %08llX", high, low),
      String(format: "   Adding Antenna Delay = %04llX %08llX", high, low),
      "05 Tx time = \(seconds(exchange.responseTransmitted))", "")
  }

  public func report(_ exchange: Exchange) -> String {
    let mask: UInt64 = (1 << 40) - 1
    let ra = (exchange.tagResponse &- exchange.tagPoll) & mask
    let da = (exchange.tagFinal &- exchange.tagResponse) & mask
    let db = (exchange.responseTransmitted &- exchange.poll.time) & mask
    let rb = (exchange.final.time &- exchange.responseTransmitted) & mask
    let distance = thousandths(exchange.distance)
    let raw = thousandths(exchange.rawDistance)
    return lines(
      "Anchor ToF: 8.986 ns Dist: \(distance) m DistRaw: \(raw) m DistScal: \(raw) m Bias: -0.090 m"
        + " ClockOffset: \(thousandths(exchange.clockOffset)) ppm",
      "", String(format: "Ra  %016llx Db %016llx", ra, db), "", "Ra1  539.597731 Db1 250.118940  ns", "",
      String(format: "Rb  %016llx Da %016llx", rb, da), "", "Rb1  49999371.384841 Da1 49999716.812525  ns", "")
  }

  /// A frame that the chip rejected, with the stray byte that its line holds.
  public func receiveError(_ taps: [Int16]) -> String {
    lines("", "RX E\u{0} WInd(0735), PSC(0264), CE(0000), RSL(-078.4136), FSL(-081.8368), RSMPL(34)")
      + accumulator(taps)
  }

  public func accumulator(_ taps: [Int16]) -> String {
    lines(
      ["Accum Len \(taps.count / 2)"] + stride(from: 0, to: taps.count, by: 2).map { "\(taps[$0]), \(taps[$0 + 1])" }
        + [""])
  }

  private func received(_ frame: Frame, function: UInt8, payload: [UInt8]) -> String {
    var octets: [UInt8] = [0x41, 0xCC, frame.sequence, 0xCA, 0xDE]
    octets += littleEndian(Self.anchor) + littleEndian(Self.tag) + [function] + payload
    let check = Self.frameCheck(octets)
    octets += [UInt8(check & 0xFF), UInt8(check >> 8)]
    let start = String(format: "%02X %02X", function, frame.sequence)
    let register = String(format: "%010llX", frame.time)
    let power = frame.receivedPowerHundredths.map { String(format: "%09.4f", Double($0) / 100) } ?? "-001.#INF"
    let path = String(format: "%09.4f", Double(frame.firstPathPowerHundredths) / 100)
    return lines(
      "\(start) Rx time = \(seconds(frame.time)) \(register)", "",
      "\(start) Rx time(un) = \(seconds(frame.time)) \(register)",
      "", "txdly 4045 rxdly 4045", "RX DATA: " + octets.map { String(format: "%02x", $0) }.joined(), "",
      String(
        format: "RX OK WInd(0735), HLP(%09.4f), PSC(%04d), ", Double(frame.firstPath64ths) / 64, frame.preambleCount)
        + "SLP(0000.0000), RC(00\(register.prefix(2)) \(register.dropFirst(2))), DCR(0), DCI(0), "
        + String(format: "NTH(%04X), T(83BD), RSL(", frame.noiseThreshold) + "\(power)), FSL(\(path)), RSMPL(31)")
      + accumulator(frame.taps)
  }

  /// CRC-16 bit by bit, as a polynomial division over the message bits in the order in which they are sent.
  public static func frameCheck(_ octets: [UInt8]) -> UInt16 {
    var register = [Bool](repeating: false, count: 16)
    for octet in octets {
      for bit in 0..<8 {
        let feedback = (octet >> bit & 1 == 1) != register[0]
        register.removeFirst()
        register.append(feedback)
        if feedback {
          register[3].toggle()
          register[10].toggle()
        }
      }
    }
    return register.enumerated().reduce(0) { $0 | ($1.element ? 1 << $1.offset : 0) }
  }

  private func littleEndian(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

  private func seconds(_ ticks: UInt64) -> String { String(format: "%.15e", Double(ticks) * UWB.tick) }

  private func thousandths(_ value: Int) -> String { String(format: "%.3f", Double(value) / 1000) }

  private func lines(_ lines: String...) -> String { self.lines(lines) }

  private func lines(_ lines: [String]) -> String { lines.map { $0 + lineEnd }.joined() }
}

/// SplitMix64 (Steele, Lea & Flood 2014): test inputs that a seed repeats.
public struct DecaRangingGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
