import Foundation
import UWBTypes

/// Reads tables of single-sided two-way ranging as a DW1000's host writes them: CSV, one exchange a row, under a header
/// that names `poll_tx_ts`, `poll_rx_ts`, `resp_tx_ts` and `resp_rx_ts`, signed 32-bit readings of the initiator's and the
/// responder's counters. The table's writer is the initiator: its reception is the response.
///
/// Optional columns, whatever their order: `timestamp` (host, seconds), `Distance` (m), `RSSI(dBm)`, `RSSI_fp(dBm)`,
/// `FirstPathAmp1` … `3`, `maxNoise` (noise threshold), `Standard Noise` (counts), `Rx Preamble Count`, `anchor_id` (the
/// responder), `rtd_init`, `rtd_resp` (round and reply as the chip's program took them).
///
/// **The carrier offset** is in no column, but `Distance` holds it (`RangingTableOffset`), so the reader takes it from there.
///
/// **Time** is the host's. In the outdoor set of a DWM1000 (2–60 m) it is not the exchange's: the counters say one exchange
/// every 98.9 ms, the host one line every 142.8 ms, with a jump of 15 exchanges after every 30 lines. The lines stood in a
/// queue before they were stamped. A 32-bit counter that wraps every 67 ms can't tell how many wraps passed, so nothing
/// here pretends to know; `ClockTracker` notices the contradiction and takes the carrier alone.
///
/// A row whose fields contradict each other or are no numbers is skipped and counted:
/// - `damagedRow`: a timestamp, or the responder's name, is no number; or the timestamps contradict `rtd_init` or `rtd_resp`
/// - `summaryRow`: too few fields, as in a table's closing lines of means
/// - `truncatedRow`: the last one, without its end; `lineTooLong`: a line that no table has
public struct RangingTable: CaptureReader {
  /// Where the columns are.
  private struct Columns {
    var pollSent: Int
    var pollReceived: Int
    var responseSent: Int
    var responseReceived: Int
    var time: Int?
    var distance: Int?
    var receivedPower: Int?
    var firstPathPower: Int?
    var amplitudes: [Int]
    var noiseThreshold: Int?
    var noiseDeviation: Int?
    var preambleCount: Int?
    var responder: Int?
    var round: Int?
    var reply: Int?
    var count: Int
  }

  private let columns: Columns
  private var table: CSVTable
  private var index = 0
  private var start: Double?
  public private(set) var skipped = SkippedInput()
  public let header = CaptureHeader(format: "twr-table", profile: RadioName.dw1000)

  /// - Throws: `CaptureError` where the header lacks a timestamp's column.
  public init(_ source: ByteSource) throws {
    table = try CSVTable(source)
    let names = table
    func required(_ name: String) throws -> Int {
      guard let column = names.column(name) else {
        throw CaptureError(
          file: source.name, place: "header", problem: "the column “\(name)” is missing",
          remedy: "A ranging table has the columns poll_tx_ts, poll_rx_ts, resp_tx_ts and resp_rx_ts.")
      }
      return column
    }
    let amplitudes = ["FirstPathAmp1", "FirstPathAmp2", "FirstPathAmp3"].compactMap { names.column($0) }
    columns = Columns(
      pollSent: try required("poll_tx_ts"), pollReceived: try required("poll_rx_ts"),
      responseSent: try required("resp_tx_ts"), responseReceived: try required("resp_rx_ts"),
      time: names.column("timestamp"), distance: names.column("Distance"),
      receivedPower: names.column("RSSI(dBm)"), firstPathPower: names.column("RSSI_fp(dBm)"),
      amplitudes: amplitudes.count == 3 ? amplitudes : [], noiseThreshold: names.column("maxNoise"),
      noiseDeviation: names.column("Standard Noise"),
      preambleCount: names.column("Rx Preamble Count"), responder: names.column("anchor_id"),
      round: names.column("rtd_init"), reply: names.column("rtd_resp"), count: names.header.count)
  }

  public init(path: String) throws {
    try self.init(ByteSource(path: path))
  }

  public var bytesRead: Int { table.bytesRead }

  public mutating func next() throws -> RangingExchange? {
    while true {
      let row = try table.next()
      table.countTooLong(in: &skipped)
      guard let row else { return nil }
      guard row.isTerminated else {
        skipped.add("truncatedRow", at: "line \(row.line)")
        continue
      }
      guard row.fields.count == columns.count else {
        skipped.add(
          row.fields.count < columns.count ? "summaryRow" : "damagedRow", at: table.fieldCountComplaint(row))
        continue
      }
      do {
        let exchange = try exchange(row)
        index += 1
        return exchange
      } catch {
        skipped.add("damagedRow", at: row.complaint(error.column, table.header, error.problem))
      }
    }
  }

  private struct BadField: Error {
    var column: Int
    var problem: String
  }

  private mutating func exchange(_ row: CSVTable.Row) throws(BadField) -> RangingExchange {
    let pollSent = try Self.stamp(row, columns.pollSent)
    let pollReceived = try Self.stamp(row, columns.pollReceived)
    let responseSent = try Self.stamp(row, columns.responseSent)
    let responseReceived = try Self.stamp(row, columns.responseReceived)
    let round = responseReceived.ticks(since: pollSent, counterBits: 32)
    let reply = responseSent.ticks(since: pollReceived, counterBits: 32)
    for (column, interval) in [(columns.round, round), (columns.reply, reply)] {
      guard let column else { continue }
      guard let stated = finite(row, column), stated == Double(interval) else {
        throw BadField(column: column, problem: "is not the \(interval) ticks between the row's timestamps")
      }
    }
    var peer = DeviceAddress(rawValue: 0)
    if let column = columns.responder {
      guard let number = finite(row, column), number >= 0, number < 65_536, number == number.rounded() else {
        throw BadField(column: column, problem: "is no address, 0 to 65535")
      }
      peer = DeviceAddress(rawValue: UInt64(number))
    }
    var time = Double(index)
    if let column = columns.time {
      guard let stamped = clock.seconds(row.fields[column], row.dialect), TableClock.range.contains(stamped) else {
        throw BadField(column: column, problem: "is no time (seconds or ISO 8601)")
      }
      let first = start ?? stamped
      // Exchanges come in order, whatever a host's clock did in between.
      start = min(first, stamped)
      time = max(latest, stamped - first)
      latest = time
    }
    let distance = columns.distance.flatMap { number(row, $0, in: CaptureLimits.distance) }
    let offset = distance.flatMap { RangingTableOffset.ppm(distance: $0, round: round, reply: reply) }
    var amplitudes: SIMD3<Double>?
    let stated = columns.amplitudes.compactMap { number(row, $0, in: CaptureLimits.amplitude) }
    if stated.count == 3 { amplitudes = SIMD3(stated[0], stated[1], stated[2]) }
    return RangingExchange(
      index: index, time: time, peer: peer, initiator: .local,
      poll: RangingMessage(transmitted: pollSent, reception: Reception(time: pollReceived)),
      response: RangingMessage(
        transmitted: responseSent,
        reception: Reception(
          time: responseReceived, preambleCount: count(row, columns.preambleCount),
          receivedPowerdBm: power(row, columns.receivedPower), firstPathPowerdBm: power(row, columns.firstPathPower),
          noiseThreshold: count(row, columns.noiseThreshold), firstPathAmplitudes: amplitudes,
          noiseDeviation: columns.noiseDeviation.flatMap { number(row, $0, in: CaptureLimits.amplitude) },
          carrierOffsetppm: offset)),
      counterBits: 32,
      chipReport: distance.map { ChipReport(distance: $0, rawDistance: $0, clockOffsetppm: offset) })
  }

  private var latest = 0.0
  private var clock = TableClock()

  private func finite(_ row: CSVTable.Row, _ column: Int) -> Double? {
    row.number(column).flatMap { $0.isFinite ? $0 : nil }
  }

  private func number(_ row: CSVTable.Row, _ column: Int, in range: ClosedRange<Double>) -> Double? {
    row.number(column).flatMap { range.contains($0) ? $0 : nil }
  }

  private func power(_ row: CSVTable.Row, _ column: Int?) -> Double? {
    column.flatMap { number(row, $0, in: -200...50) }
  }

  private func count(_ row: CSVTable.Row, _ column: Int?) -> Int? {
    column.flatMap { number(row, $0, in: 0...1e6) }.flatMap { Int(checked: $0, rounded: .towardZero) }
  }

  /// A reading that was printed as a signed or an unsigned 32-bit number, perhaps with “.0”.
  private static func stamp(_ row: CSVTable.Row, _ column: Int) throws(BadField) -> DeviceTime {
    guard let value = row.number(column), value == value.rounded(), value >= -2_147_483_648, value < 4_294_967_296
    else { throw BadField(column: column, problem: "is no 32-bit timestamp in ticks") }
    return DeviceTime(ticks: UInt64(bitPattern: Int64(value)) & 0xFFFF_FFFF)
  }

  /// Whether the start of a stream is such a table: its first line that is no comment names the columns.
  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    var position = 0
    while position < start.count {
      var end = position
      while end < start.count, start[end] != 0x0A { end += 1 }
      guard end < start.count else { return .undecided }
      let line = ByteText.string(start.extracting(position..<end), limit: 4096).trimmingCharacters(
        in: .whitespacesAndNewlines)
      position = end + 1
      if line.isEmpty || line.hasPrefix("#") || CSVDialect(declaration: line) != nil { continue }
      let names = Set(CSVDialect(header: line).fields(line.lowercased()))
      return names.isSuperset(of: ["poll_tx_ts", "poll_rx_ts", "resp_tx_ts", "resp_rx_ts"]) ? .yes : .no
    }
    return .undecided
  }
}
