import UWBTypes

/// The timestamps of a table of two-way ranging, of two, three or four messages, and what its rows say besides of the frame that their writer
/// received. Columns are looked up once: a row is short.
struct TableTimestamps {
  private typealias Column = TableColumns.Column

  /// When each message was sent and received.
  private let stamps: [Column]
  /// The responder closes double-sided ranging and knows all timestamps, unless the peer is said to answer.
  private let isPeerInitiator: Bool
  private let (round, reply): (Column?, Column?)
  private let (distance, clockOffset): (Column?, Column?)
  private let (preambleCount, noiseThreshold, noiseDeviation): (Column?, Column?, Column?)
  private let (receivedPower, firstPathPower): (Column?, Column?)
  private let firstPathAmplitudes: [Column]

  /// `nil` where the columns make no exchange.
  init?(_ found: TableColumns.Found, _ header: [String]) {
    let all = TableQuantity.timestamps
    guard found.has(Array(all[..<4])) else { return nil }
    let isDoubleSided = found.has(Array(all[6...]))
    let used = !isDoubleSided ? all[..<4] : found.has(Array(all[4..<6])) ? all[...] : all[..<4] + all[6...]
    stamps = used.compactMap { found[$0] }
    let peer = found[.peer].map { TableColumns.parse(header[$0.index]).name }
    isPeerInitiator = isDoubleSided && !["anchor", "responder", "beacon"].contains { peer?.hasPrefix($0) ?? false }
    (round, reply) = (found[.round], found[.reply])
    (distance, clockOffset) = (found[.distance], found[.clockOffset])
    preambleCount = found[.preambleCount]
    (noiseThreshold, noiseDeviation) = (found[.noiseThreshold], found[.noiseDeviation])
    (receivedPower, firstPathPower) = (found[.receivedPower], found[.firstPathPower])
    firstPathAmplitudes = found.columns([.firstPathAmplitude1, .firstPathAmplitude2, .firstPathAmplitude3])
  }

  /// An exchange with the table's messages, to be filled.
  var blankExchange: RangingExchange {
    RangingExchange(
      index: 0, time: 0, peer: DeviceAddress(rawValue: 0), initiator: isPeerInitiator ? .peer : .local,
      poll: RangingMessage(), response: RangingMessage(), secondPoll: stamps.count == 8 ? RangingMessage() : nil,
      final: stamps.count > 4 ? RangingMessage() : nil)
  }

  /// Enters the row's times, and what it says of them, into such an exchange.
  ///
  /// - Throws: the field that is no reading, or that contradicts the others.
  func fill(_ exchange: inout RangingExchange, from rows: TableRows) throws(TableRows.BadField) {
    var bits = 32
    let poll = try times(0, rows, &bits)
    let response = try times(1, rows, &bits)
    if stamps.count == 8 { Self.enter(try times(2, rows, &bits), into: &exchange.secondPoll) }
    if stamps.count > 4 { Self.enter(try times(stamps.count / 2 - 1, rows, &bits), into: &exchange.final) }
    let round = response.received.ticks(since: poll.sent, counterBits: bits)
    let reply = response.sent.ticks(since: poll.received, counterBits: bits)
    try check(self.round, is: round, rows)
    try check(self.reply, is: reply, rows)
    let distance = rows.usable(distance, in: CaptureLimits.distance)
    var offset = rows.usable(clockOffset, in: CaptureLimits.partsPerMillion)
    if stamps.count == 4 {
      offset = offset ?? distance.flatMap { RangingTableOffset.ppm(distance: $0, round: round, reply: reply) }
    }
    exchange.poll.transmitted = poll.sent
    exchange.poll.receive { $0.time = poll.received }
    Self.enter(response, into: &exchange.response)
    if isPeerInitiator {
      exchange.poll.receive { describe(&$0, rows, offset) }
    } else {
      exchange.response?.receive { describe(&$0, rows, offset) }
    }
    exchange.counterBits = bits
    exchange.chipReport = distance.map { ChipReport(distance: $0, rawDistance: $0, clockOffsetppm: offset) }
  }

  private static func enter(_ times: (sent: DeviceTime, received: DeviceTime), into message: inout RangingMessage?) {
    message?.transmitted = times.sent
    message?.receive { $0.time = times.received }
  }

  /// Whether the column that holds an interval agrees with the row's timestamps.
  private func check(_ column: Column?, is interval: UInt64, _ rows: TableRows) throws(TableRows.BadField) {
    guard let column, rows.row.number(column.index) != Double(interval) else { return }
    throw TableRows.BadField(
      column: column.index, problem: "is not the \(interval) ticks between the row's timestamps")
  }

  /// Enters what the writer's chip says of the frame that it received.
  private func describe(_ reception: inout Reception, _ rows: TableRows, _ offset: Double?) {
    reception.preambleCount = rows.count(preambleCount)
    reception.receivedPowerdBm = rows.usable(receivedPower, in: -200...50)
    reception.firstPathPowerdBm = rows.usable(firstPathPower, in: -200...50)
    reception.noiseThreshold = rows.count(noiseThreshold)
    reception.firstPathAmplitudes = rows.triple(firstPathAmplitudes, in: CaptureLimits.amplitude)
    reception.noiseDeviation = rows.usable(noiseDeviation, in: CaptureLimits.amplitude)
    reception.carrierOffsetppm = offset
  }

  private func times(
    _ message: Int, _ rows: TableRows, _ bits: inout Int
  ) throws(TableRows.BadField) -> (sent: DeviceTime, received: DeviceTime) {
    (try stamp(stamps[2 * message], rows, &bits), try stamp(stamps[2 * message + 1], rows, &bits))
  }

  /// A reading that was printed as a signed or an unsigned 32-bit number, perhaps with “.0”, or of a counter of 40 bits, which `bits` then says.
  private func stamp(
    _ column: Column, _ rows: TableRows, _ bits: inout Int
  ) throws(TableRows.BadField) -> DeviceTime {
    let scaled = rows.row.number(column.index).map { column.hasUnit ? ($0 * column.factor).rounded() : $0 }
    guard let value = scaled, value >= -2_147_483_648, value < 1_099_511_627_776, value == Double(Int64(value)) else {
      throw TableRows.BadField(column: column.index, problem: "is not a timestamp in ticks, of 32 or 40 bits")
    }
    if value >= 4_294_967_296 { bits = 40 }
    return DeviceTime(ticks: UInt64(bitPattern: Int64(value)) & (value < 0 ? 0xFFFF_FFFF : 0xFF_FFFF_FFFF))
  }
}
