import NearbyUCI
import UWBTypes

/// UCI traffic as text: a packet a line in hexadecimal digits, with whatever before it.
///
///     2025-05-06T14:03:21.001000 NXPUCIX => 20 00 00 01 00
///     send: 20.02.00.00
///     < 4000000100  # comment
///
/// Digits come in pairs, with blanks, points, colons, commas or hyphens between them or none, with `0x` or without. A packet is told by its
/// lengths: its header has to fit the digits up to the line's end, or to `#`. Directions are not needed: commands, responses and
/// notifications say what they are. A line may begin with a time (`TableClock`). Without times a session's rounds are an interval apart.
public struct UCILog: CaptureReader {
  public let header = CaptureHeader(format: "uci-log", profile: UCIExchanges.header.profile)
  private var scanner: LineScanner
  private var traffic = UCITraffic()
  private var clock = UCILogClock()
  private var octets: [UInt8] = []
  private var packets: [UCIPacket] = []

  /// A reader of these bytes.
  public init(_ source: ByteSource) { scanner = LineScanner(source) }

  public var bytesRead: Int { scanner.bytesRead }

  public var skipped: SkippedInput { traffic.skipped }

  public mutating func next() throws -> RangingExchange? {
    while traffic.isEmpty {
      guard let line = try scanner.next() else {
        traffic.passedOver.addTooLong(of: &scanner)
        traffic.finish()
        break
      }
      traffic.passedOver.addTooLong(of: &scanner)
      take(line.bytes.span)
    }
    return traffic.next()
  }

  private mutating func take(_ line: Span<UInt8>) {
    guard let start = Self.packets(line, &octets, &packets) else {
      if !ByteText.isBlank(line, from: 0), line[ByteText.skippingBlanks(line, from: 0)] != UInt8(ascii: "#") {
        traffic.passedOver.add("otherLine", at: "line \(scanner.lineNumber)")
      }
      return
    }
    defer { packets.removeAll(keepingCapacity: true) }
    // A line's time has points or colons. Most lines have none.
    let mayHaveTime = (0..<start).contains { line[$0] == UInt8(ascii: ".") || line[$0] == UInt8(ascii: ":") }
    let prefix = mayHaveTime ? ByteText.string(line, limit: start) : ""
    for packet in packets {
      let microseconds = clock.microseconds(of: packet, prefix)
      traffic.push(packet, microseconds: microseconds)
    }
  }

  // MARK: Lines

  /// Text before a packet: a time, a process, a tag.
  private static let longestPrefix = 200

  /// Reads the packets that a line ends with.
  ///
  /// - Parameters:
  ///   - octets: memory for the line's octets, which the next line takes again.
  ///   - packets: takes the packets; empty before.
  /// - Returns: where they begin.
  private static func packets(_ line: Span<UInt8>, _ octets: inout [UInt8], _ packets: inout [UCIPacket]) -> Int? {
    var start = 0
    while start < min(line.count, longestPrefix) {
      let isBegin = isDigit(line, start) && (start == 0 || !isLetterOrDigit(line[start - 1])) && canBegin(line, start)
      if isBegin, readOctets(line, from: start, into: &octets), take(octets.span, &packets) { return start }
      start += 1
    }
    return nil
  }

  /// Whether a packet can begin with the first digit, or what stands there is `0x`: most places of a line are none.
  private static func canBegin(_ line: Span<UInt8>, _ start: Int) -> Bool {
    guard let digit = ByteText.hexadecimalDigit(line[start]) else { return false }
    return UCIMessageType(rawValue: UInt8(digit) >> 1) != nil
  }

  private static func isDigit(_ line: Span<UInt8>, _ index: Int) -> Bool {
    index < line.count && ByteText.hexadecimalDigit(line[index]) != nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  /// Pairs of digits up to the line's end or a comment; false where anything else comes.
  private static func readOctets(_ line: Span<UInt8>, from start: Int, into bytes: inout [UInt8]) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    var position = start
    while position < line.count {
      if ByteText.hexadecimal(line, at: position, count: 2) != nil {
        let isHead = bytes.count < UCIPacket.headerLength
        position = ByteText.appendOctets(line, from: position, to: &bytes)
        // Most starts are none.
        if isHead, bytes.count >= UCIPacket.headerLength, !isHeader(bytes) { return false }
        continue
      }
      switch line[position] {
      case UInt8(ascii: "0") where ByteText.matches("0x", in: line, at: position): position += 2
      case UInt8(ascii: "#"): return true
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: ","),
        UInt8(ascii: "-"):
        position += 1
      default: return false
      }
    }
    return true
  }

  private static func isHeader(_ bytes: [UInt8]) -> Bool {
    guard let type = UCIMessageType(rawValue: bytes[0] >> 5), bytes[1] & 0x40 == 0 else { return false }
    return switch type {
    case .command, .response, .notification: bytes[1] & 0x80 != 0 || bytes[2] == 0
    default: true
    }
  }

  /// Whole packets and nothing else; with Android's longer header one.
  private static func take(_ bytes: Span<UInt8>, _ packets: inout [UCIPacket]) -> Bool {
    guard bytes.count >= UCIPacket.headerLength else { return false }
    if let packet = UCIRecording.packet(bytes) {
      packets.append(packet)
      return true
    }
    var rest = bytes
    while !rest.isEmpty {
      guard let packet = try? UCIPacket(rest) else {
        packets.removeAll(keepingCapacity: true)
        return false
      }
      packets.append(packet)
      rest = rest.extracting(packet.length...)
    }
    return true
  }

  /// Told by the first line with a packet that has a payload and can be read: numbers in decimal digits are none.
  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    var begin = 0
    for index in 0..<start.count where start[index] == 0x0A || start[index] == 0x0D {
      if isPacket(start.extracting(begin..<index)) { return .yes }
      begin = index + 1
    }
    return .undecided
  }

  private static func isPacket(_ line: Span<UInt8>) -> Bool {
    var (octets, found): ([UInt8], [UCIPacket]) = ([], [])
    guard packets(line, &octets, &found) != nil, let packet = found.first, packet.kind.type != .data,
      !packet.payload.isEmpty
    else { return false }
    return packet.isContinued || (try? packet.decoded()) != nil
  }
}

/// When a log's packets passed: as its lines say, or by the intervals of the rounds.
private struct UCILogClock {
  private var table = TableClock()
  private var microseconds: UInt64 = 0
  /// By session: the last round, and when it was due.
  private var rounds: [UInt32: (sequence: UInt32, due: UInt64)] = [:]

  mutating func microseconds(of packet: UCIPacket, _ prefix: String) -> UInt64 {
    if let seconds = time(prefix) {
      microseconds = max(microseconds, UInt64(max(0, min(seconds, 1e11)) * 1e6))
    } else if packet.kind == SessionInfo.kind, !packet.isContinued, let round = SessionInfo.Round(of: packet.payload) {
      let due = Self.advance(&rounds[round.token, default: (round.sequence, microseconds)], to: round)
      microseconds = max(microseconds, due)
    }
    return microseconds
  }

  /// - Returns: when the round is due, µs.
  private static func advance(_ last: inout (sequence: UInt32, due: UInt64), to round: SessionInfo.Round) -> UInt64 {
    let passed = UInt64(round.sequence &- last.sequence)
    last = (round.sequence, last.due + min(passed, 1 << 16) * 1000 * UInt64(round.interval))
    return last.due
  }

  /// What stands first, with a date or without.
  private mutating func time(_ prefix: String) -> Double? {
    guard !prefix.isEmpty else { return nil }
    let words = prefix.split(whereSeparator: { " \t[]|()".contains($0) }).prefix(2).map(String.init)
    let dialect = CSVDialect()
    if words.count == 2, let time = table.seconds(words[0] + " " + words[1], dialect) { return time }
    // A number without a fraction is as likely a counter's.
    for word in words where word.contains(".") || word.contains(":") {
      if let time = table.seconds(word, dialect) { return time }
    }
    return nil
  }
}
