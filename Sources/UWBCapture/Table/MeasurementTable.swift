import Foundation
import UWBTypes

/// Reads tables of measurements, one exchange a row under a header that names the columns (`TableQuantity`), or ranges in wide form, a column
/// a pair of radios (`PairColumns`).
///
/// | kind | what a row has |
/// |---|---|
/// | `twr-table` | the timestamps of single- or double-sided two-way ranging, of three or four messages |
/// | `phase-table` | phase differences of arrival, as chips without channel impulse responses (NXP SR150) hand them over |
/// | `range-table` | a distance that the chip has measured |
///
/// Angles are degrees and distances metres (of a phase table centimetres) unless a name ends in another unit. The distance 65535 of a phase
/// table stands for none. Times are as `TableClock` reads them; they count from the first row and never fall.
///
/// **Two-way ranging.** Counters of 32 bits, signed or not, or of 40. The table's writer is the initiator of single-sided
/// ranging. Of double-sided ranging it is the one that is not in the column `peer`: a peer called `tag` or `initiator` polls. The carrier
/// offset of single-sided ranging is often in no column, but `Distance` may hold it (`RangingTableOffset`).
///
/// **The host's time** of single-sided tables need not be the exchange's. In the outdoor set of a DWM1000 the counters say one exchange
/// every 98.9 ms, the host one line every 142.8 ms: the lines stood in a queue. `ClockTracker` notices the contradiction.
///
/// **Ranges** are delivered as the chip says them, tracked. Their deviation is a column's, the user's, or learned by the tracker.
///
/// What can't be used is passed over and counted:
/// - `badField`, of two-way ranging `damagedRow`: a field is no number, out of range, or contradicts the others
/// - `fieldCount`, of two-way ranging `summaryRow` or `damagedRow`: another number of fields than the header
/// - `noDistance`: a range that is not there
/// - `truncatedRow`: the last one, without its end; `lineTooLong`: a line that no table has
public struct MeasurementTable: CaptureReader {
  /// What the rows of a table hold.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Timestamps of two-way ranging.
    case ranging = "twr-table"
    /// Phases of several antennas.
    case phases = "phase-table"
    /// Distances that the radio measured.
    case ranges = "range-table"
  }

  public private(set) var header: CaptureHeader
  public private(set) var skipped = SkippedInput()
  let kind: Kind
  private let rows: TableRows
  private let phases: [TableColumns.Column]
  private let stamps: TableTimestamps?
  let pairs: [PairColumns.Pair]
  /// The next pair of the row at hand.
  private var pair: Int
  private let distance: TableColumns.Column?
  private let place: [TableColumns.Column]
  private let deviation: Double?
  private let hasTruth: Bool
  /// Whether the one column of addresses names the peer by what it is: a tag.
  private let isPeerLocal: Bool
  private var count = 0
  /// The row at hand. It is kept and filled anew: an exchange is large, and a row short.
  private var exchange = RangingExchange(
    index: 0, time: 0, peer: DeviceAddress(rawValue: 0), poll: RangingMessage())
  private var start: Double?
  private var time = 0.0

  /// - Parameter kind: `nil` takes what the columns give.
  /// - Throws: `CaptureError` where the header lacks a column that the kind needs, or that the user named.
  public init(_ source: ByteSource, kind wanted: Kind? = nil, options: CaptureOptions = CaptureOptions()) throws {
    rows = try TableRows(source, columns: options.columns)
    let found = rows.found
    guard let kind = wanted ?? Self.kind(found, rows.table, options) else {
      throw CaptureError(
        file: source.name, place: "header", problem: "no column holds a distance, timestamps or a phase difference",
        remedy: "Name one with --columns \"distance=HEADER\"; the columns are: \(rows.header.joined(separator: ", ")).")
    }
    self.kind = kind
    phases = kind == .phases ? TableQuantity.phases.map { found[$0] }.prefix { $0 != nil }.compactMap { $0 } : []
    stamps = kind == .ranging ? TableTimestamps(found, rows.header) : nil
    if let stamps { exchange = stamps.blankExchange }
    let isWide = kind == .ranges && found[.distance] == nil
    pairs = isWide ? Self.pairs(rows.table, options).pairs : []
    pair = pairs.count
    var distance = found[.distance]
    // Chips with phase differences report centimetres.
    if kind == .phases, distance?.hasUnit == false { distance?.factor = 0.01 }
    self.distance = distance
    place = isWide ? [] : found.columns(TableQuantity.place)
    deviation = options.deviation
    hasTruth = [TableQuantity.trueDistance, .azimuth, .elevation, .nlos].contains { found[$0] != nil }
    isPeerLocal = found[.peer] == nil
    header = CaptureHeader(
      format: kind.rawValue, profile: kind == .ranging ? RadioName.dw1000 : RadioName.ideal,
      notes: Self.notes(kind, found, rows.table, pairs))
    try check(source.name)
  }

  public var bytesRead: Int { rows.bytesRead }

  private func check(_ file: String) throws {
    let missing: (what: String, remedy: String)? =
      switch kind {
      case .ranging where stamps == nil:
        (
          "the column “\(Self.stampNames.first { !rows.found.has([$0.quantity]) }?.name ?? "poll_tx_ts")” is missing",
          "A ranging table has the columns poll_tx_ts, poll_rx_ts, resp_tx_ts and resp_rx_ts, of double-sided ranging "
            + "final_tx_ts and final_rx_ts, too."
        )
      case .phases where phases.isEmpty:
        ("no column holds a phase difference", "Name it with --columns \"phase1=HEADER\"")
      case .ranges where pairs.isEmpty && distance == nil:
        ("no column holds a distance", "Name it with --columns \"distance=HEADER\"")
      default: nil
      }
    guard let missing else { return }
    throw CaptureError(
      file: file, place: "header", problem: missing.what,
      remedy: missing.remedy
        + (kind == .ranging ? "" : "; the columns are: \(rows.header.joined(separator: ", "))."))
  }

  private static let stampNames: [(quantity: TableQuantity, name: String)] = [
    (.pollSent, "poll_tx_ts"), (.pollReceived, "poll_rx_ts"), (.responseSent, "resp_tx_ts"),
    (.responseReceived, "resp_rx_ts"),
  ]

  /// What the columns give; `nil` where that is nothing.
  private static func kind(_ found: TableColumns.Found, _ table: CSVTable, _ options: CaptureOptions) -> Kind? {
    if TableTimestamps(found, table.header) != nil { return .ranging }
    if found[.phase1] != nil { return .phases }
    return found[.distance] != nil || !pairs(table, options).pairs.isEmpty ? .ranges : nil
  }

  private static func pairs(_ table: CSVTable, _ options: CaptureOptions) -> PairColumns {
    let unit = options.columns.unit(of: .distance)
    return table.hasNames
      ? PairColumns(header: table.header, unit: unit)
      : PairColumns(
        count: table.header.count, unit: unit, anchors: options.anchors, tags: options.tags)
  }

  /// What was assumed of columns whose names don't say it.
  private static func notes(
    _ kind: Kind, _ found: TableColumns.Found, _ table: CSVTable, _ pairs: [PairColumns.Pair]
  ) -> [String] {
    if let first = pairs.first, let last = pairs.last, !table.hasNames {
      func name(_ pair: PairColumns.Pair) -> String { "\(pair.peer)\(pair.local.map { " with \($0)" } ?? "")" }
      return [
        "the first line holds numbers: column 1 is taken for the time, \(first.column.index + 1) to \(last.column.index + 1) for "
          + "ranges of the pairs \(name(first)) … \(name(last))"
      ]
    }
    guard kind == .phases else { return [] }
    return [(TableQuantity.chipAzimuth, "azimuth"), (.chipElevation, "elevation")].compactMap { quantity, name in
      guard let column = found[quantity], TableColumns.parse(table.header[column.index]).name == name else {
        return nil
      }
      return
        "the column “\(table.header[column.index])” is taken for the chip's own angle; if it is the true one, give "
        + "--columns \"\(name)=\(table.header[column.index])\""
    }
  }

  var columnNames: [String] { rows.header }
  var assumedTimeUnit: String? { rows.assumedTimeUnit }

  /// Columns that something is taken from.
  var usedColumns: [(quantity: TableQuantity, column: TableColumns.Column)] {
    var used: [TableQuantity] = [.time]
    if pairs.isEmpty { used += [.peer, .local, .distance, .trueDistance, .azimuth, .elevation, .nlos] }
    switch kind {
    case .phases: used += TableQuantity.phases + [.chipAzimuth, .chipElevation]
    case .ranges where pairs.isEmpty: used += [.deviation] + TableQuantity.place
    case .ranges: break
    case .ranging:
      used +=
        TableQuantity.timestamps + [
          .round, .reply, .clockOffset, .preambleCount, .receivedPower, .firstPathPower, .noiseThreshold,
          .noiseDeviation, .firstPathAmplitude1, .firstPathAmplitude2, .firstPathAmplitude3,
        ]
    }
    return rows.found.all.filter { used.contains($0.quantity) }.map { quantity, column in
      (quantity, quantity == .distance ? distance ?? column : column)
    }
  }

  // MARK: Rows

  public mutating func next() throws -> RangingExchange? {
    while true {
      while pair < pairs.count {
        defer { pair += 1 }
        do throws(TableRows.BadField) {
          if try takeRange(pairs[pair]) { return exchange }
        } catch {
          skip(error)
        }
      }
      let isRow = try rows.next()
      rows.countTooLong(in: &skipped)
      guard isRow else { return nil }
      guard isWhole() else { continue }
      do throws(TableRows.BadField) {
        if pairs.isEmpty {
          if try takeRow() { return exchange }
        } else if try takeTime() != nil {
          pair = 0
        }
      } catch {
        skip(error)
      }
    }
  }

  private mutating func isWhole() -> Bool {
    // What stands in a cut number's place is a number, too.
    if kind != .phases, !rows.row.isTerminated {
      skipped.add("truncatedRow", at: "line \(rows.row.line)")
    } else if !rows.isWhole {
      let short = rows.row.count < rows.header.count ? "summaryRow" : "damagedRow"
      skipped.add(kind == .ranging ? short : "fieldCount", at: rows.fieldCountComplaint)
    } else {
      return true
    }
    return false
  }

  private mutating func skip(_ error: TableRows.BadField) {
    skipped.add(kind == .ranging ? "damagedRow" : "badField", at: rows.complaint(error))
  }

  /// - Returns: whether the row holds an exchange.
  private mutating func takeRow() throws(TableRows.BadField) -> Bool {
    switch kind {
    case .ranges:
      let (peer, local) = try addresses()
      try takeTime()
      return try takeRange(
        PairColumns.Pair(column: distance ?? .init(index: 0, factor: 1, hasUnit: false), peer: peer, local: local))
    case .phases: exchange = try phaseExchange()
    case .ranging:
      guard let stamps else { return false }
      try fillRanging(stamps)
    }
    count += 1
    return true
  }

  /// - Returns: s since the first row.
  @discardableResult private mutating func takeTime() throws(TableRows.BadField) -> Double? {
    guard let stamped = try rows.time() else {
      // Without a clock, a row a second.
      if rows.found[.time] == nil, kind != .phases, count > 0 { time += 1 }
      return time
    }
    if start == nil, let unit = rows.assumedTimeUnit {
      header.notes.append("times are taken for \(unit); --unit time=UNIT says another")
    }
    // Exchanges come in order, whatever a host's clock did in between.
    let first = min(start ?? stamped, stamped)
    if start == nil { header.clockStart = first }
    start = first
    time = max(time, stamped - first)
    return time
  }

  private func addresses() throws(TableRows.BadField) -> (peer: DeviceAddress, local: DeviceAddress?) {
    let local = try rows.address(.local)
    if isPeerLocal { return (local ?? DeviceAddress(rawValue: 0), nil) }
    return (try rows.address(.peer) ?? DeviceAddress(rawValue: 0), local)
  }

  /// - Returns: whether the column holds a distance.
  private mutating func takeRange(_ pair: PairColumns.Pair) throws(TableRows.BadField) -> Bool {
    guard let distance = try rows.number(pair.column, in: CaptureLimits.distance) else {
      skipped.add("noDistance", at: rows.row.complaint(pair.column.index, rows.header, "is not a distance"))
      return false
    }
    var ready = RadioMeasurement(distance: distance)
    if let known = try (pairs.isEmpty ? rows.number(.deviation, in: 0...1e3) : nil) ?? deviation {
      ready.distanceDeviation = known
    }
    exchange.truth = try truth()
    exchange.index = count
    exchange.time = time
    exchange.peer = pair.peer
    exchange.local = pair.local
    exchange.chipReport = ChipReport(distance: distance, rawDistance: distance)
    exchange.ready = ready
    exchange.peerPosition = rows.triple(place, in: CaptureLimits.distance)
    count += 1
    return true
  }

  private func truth() throws(TableRows.BadField) -> GroundTruth? {
    guard hasTruth else { return nil }
    var known = rows.found[.trueDistance]
    if kind == .phases, known?.hasUnit == false { known?.factor = 0.01 }
    let truth = GroundTruth(
      distance: try rows.number(known, in: 0...1e6), azimuth: try rows.number(.azimuth, in: -.pi...(.pi)),
      elevation: try rows.number(.elevation, in: -.pi / 2...(.pi / 2)), isLineOfSight: try lineOfSight())
    return truth == GroundTruth() ? nil : truth
  }

  private func lineOfSight() throws(TableRows.BadField) -> Bool? {
    guard let column = rows.found[.nlos], rows.row.isPresent(column.index) else { return nil }
    switch rows.row.text(column.index).trimmingCharacters(in: .whitespaces).lowercased() {
    // A chip says 255 where it can't tell.
    case "255", "unknown": return nil
    case "0", "false", "los", "0.0": return true
    case "1", "true", "nlos", "1.0": return false
    default: throw TableRows.BadField(column: column.index, problem: "is neither 0 (LOS) nor 1 (NLOS)")
    }
  }

  private mutating func phaseExchange() throws(TableRows.BadField) -> RangingExchange {
    var differences: [Double] = []
    for phase in phases {
      if let value = try rows.number(phase, in: -2.01 * .pi...2.01 * .pi) {
        differences.append(value)
      } else if !rows.row.cells.isBlank(phase.index) {
        throw TableRows.BadField(column: phase.index, problem: "is not a phase difference")
      }
    }
    let (peer, local) = try addresses()
    let isAbsent = distance.map { rows.row.number($0.index) == 65535 } ?? true
    var exchange = RangingExchange(
      index: count, time: 0, peer: peer, local: local, poll: RangingMessage(),
      chipReport: ChipReport(
        distance: isAbsent ? nil : try rows.number(distance, in: -1e3...1e6),
        azimuth: try rows.number(.chipAzimuth, in: -.pi...(.pi)),
        elevation: try rows.number(.chipElevation, in: -.pi...(.pi))),
      // Some of the differences say nothing without the others.
      phaseDifferences: differences.count == phases.count ? differences : [])
    exchange.truth = try truth()
    exchange.time = try takeTime() ?? 0
    return exchange
  }

  private mutating func fillRanging(_ stamps: TableTimestamps) throws(TableRows.BadField) {
    let (peer, local) = try addresses()
    try stamps.fill(&exchange, from: rows)
    exchange.index = count
    exchange.peer = peer
    exchange.local = local
    exchange.time = try takeTime() ?? 0
    exchange.truth = try truth()
  }
}

extension MeasurementTable {
  /// Whether a stream begins with a table of that kind.
  static func recognise(_ start: Span<UInt8>, _ kind: Kind) -> CaptureFormat.Recognition {
    guard let line = firstLine(start) else { return start.count < 4096 ? .undecided : .no }
    guard line.utf8.count < 4096 else { return .no }
    let dialect = CSVDialect(header: line)
    let fields = dialect.fields(line).map { $0.trimmingCharacters(in: .whitespaces) }
    guard fields.count > 1 else { return .no }
    if dialect.isRow(fields) {
      // Numbers alone may be anything.
      return kind == .ranges && dialect.number(fields[0]) == nil ? .yes : .no
    }
    guard let found = try? TableColumns().resolve(fields) else { return .no }
    let isRanging = TableTimestamps(found, fields) != nil
    switch kind {
    case .ranging: return isRanging ? .yes : .no
    case .phases: return found[.phase1] != nil && !isRanging ? .yes : .no
    case .ranges:
      let names = Set(fields.map { $0.lowercased() })
      guard !isRanging, found[.phase1] == nil, names.isDisjoint(with: ["cir0", "cir_begin", "capture", "event"]) else {
        return .no
      }
      let isLong = found[.distance] != nil && (found[.time] != nil || found[.peer] != nil || found[.local] != nil)
      return isLong || !PairColumns(header: fields, unit: nil).pairs.isEmpty ? .yes : .no
    }
  }

  /// The first line that is neither empty nor a comment.
  private static func firstLine(_ start: Span<UInt8>) -> String? {
    var position = 0
    while position < start.count {
      var end = position
      while end < start.count, start[end] != 0x0A { end += 1 }
      guard end < start.count else { return nil }
      let line = ByteText.string(start.extracting(position..<end), limit: 4096).trimmingCharacters(
        in: .whitespacesAndNewlines)
      position = end + 1
      if !line.isEmpty, !line.hasPrefix("#"), CSVDialect(declaration: line) == nil { return line }
    }
    return nil
  }
}
