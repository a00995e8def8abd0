import UWBTypes

/// The timestamps of a table of two-way ranging: of two, three or four messages.
struct TableTimestamps {
  private let columns: [TableColumns.Column?]
  private let messageCount: Int

  /// `nil` where the columns make no exchange.
  init?(_ found: TableColumns.Found) {
    let stamps = TableQuantity.timestamps
    guard found.has(Array(stamps[..<4])) else { return nil }
    columns = stamps.map { found[$0] }
    messageCount = !found.has(Array(stamps[6...])) ? 2 : found.has(Array(stamps[4..<6])) ? 4 : 3
  }

  /// - Throws: the field that is no reading, or that contradicts the others.
  func exchange(
    _ rows: TableRows, index: Int, peer: DeviceAddress, local: DeviceAddress?
  ) throws(TableRows.BadField) -> RangingExchange {
    var bits = 32
    let pollSent = try stamp(0, rows, &bits)
    let pollReceived = try stamp(1, rows, &bits)
    let responseSent = try stamp(2, rows, &bits)
    let responseReceived = try stamp(3, rows, &bits)
    var secondPoll: RangingMessage?
    var final: RangingMessage?
    if messageCount == 4 {
      secondPoll = RangingMessage(
        transmitted: try stamp(4, rows, &bits), received: Reception(time: try stamp(5, rows, &bits)))
    }
    if messageCount > 2 {
      final = RangingMessage(
        transmitted: try stamp(6, rows, &bits), received: Reception(time: try stamp(7, rows, &bits)))
    }
    let round = responseReceived.ticks(since: pollSent, counterBits: bits)
    let reply = responseSent.ticks(since: pollReceived, counterBits: bits)
    try check(.round, is: round, rows)
    try check(.reply, is: reply, rows)
    let distance = rows.usable(.distance, in: CaptureLimits.distance)
    var offset = rows.usable(.clockOffset, in: CaptureLimits.partsPerMillion)
    if messageCount == 2 {
      offset = offset ?? distance.flatMap { RangingTableOffset.ppm(distance: $0, round: round, reply: reply) }
    }
    let isLocalPoll = messageCount == 2 || !isPeerInitiator(rows)
    return RangingExchange(
      index: index, time: 0, peer: peer, local: local, initiator: isLocalPoll ? .local : .peer,
      poll: RangingMessage(
        transmitted: pollSent,
        received: isLocalPoll ? Reception(time: pollReceived) : reception(pollReceived, rows, offset)),
      response: RangingMessage(
        transmitted: responseSent,
        received: isLocalPoll ? reception(responseReceived, rows, offset) : Reception(time: responseReceived)),
      secondPoll: secondPoll, final: final, counterBits: bits,
      chipReport: distance.map { ChipReport(distance: $0, rawDistance: $0, clockOffsetppm: offset) })
  }

  /// Whether the column that holds an interval agrees with the row's timestamps.
  private func check(_ quantity: TableQuantity, is interval: UInt64, _ rows: TableRows) throws(TableRows.BadField) {
    guard let column = rows.found[quantity], rows.row.number(column.index) != Double(interval) else { return }
    throw TableRows.BadField(
      column: column.index, problem: "is not the \(interval) ticks between the row's timestamps")
  }

  /// The responder closes double-sided ranging and knows all timestamps, unless the peer is said to answer.
  private func isPeerInitiator(_ rows: TableRows) -> Bool {
    guard let column = rows.found[.peer] else { return true }
    let name = TableColumns.parse(rows.header[column.index]).name
    return !["anchor", "responder", "beacon"].contains { name.hasPrefix($0) }
  }

  /// A frame that the table's writer received, with what its chip says of it.
  private func reception(_ time: DeviceTime, _ rows: TableRows, _ offset: Double?) -> Reception {
    Reception(
      time: time, preambleCount: rows.count(.preambleCount),
      receivedPowerdBm: rows.usable(.receivedPower, in: -200...50),
      firstPathPowerdBm: rows.usable(.firstPathPower, in: -200...50), noiseThreshold: rows.count(.noiseThreshold),
      firstPathAmplitudes: rows.triple(
        [.firstPathAmplitude1, .firstPathAmplitude2, .firstPathAmplitude3], in: CaptureLimits.amplitude),
      noiseDeviation: rows.usable(.noiseDeviation, in: CaptureLimits.amplitude), carrierOffsetppm: offset)
  }

  /// A reading that was printed as a signed or an unsigned 32-bit number, perhaps with “.0”, or of a counter of 40 bits, which `bits` then says.
  private func stamp(_ index: Int, _ rows: TableRows, _ bits: inout Int) throws(TableRows.BadField) -> DeviceTime {
    guard let column = columns[index] else { return DeviceTime(ticks: 0) }
    let scaled = rows.row.number(column.index).map { column.hasUnit ? ($0 * column.factor).rounded() : $0 }
    guard let value = scaled, value >= -2_147_483_648, value < 1_099_511_627_776, value == Double(Int64(value)) else {
      throw TableRows.BadField(column: column.index, problem: "is not a timestamp in ticks, of 32 or 40 bits")
    }
    if value >= 4_294_967_296 { bits = 40 }
    return DeviceTime(ticks: UInt64(bitPattern: Int64(value)) & (value < 0 ? 0xFFFF_FFFF : 0xFF_FFFF_FFFF))
  }
}
