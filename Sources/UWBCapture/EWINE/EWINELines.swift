import Foundation
import UWBTypes

/// The tables of the eWINE data set of line-of-sight and obstructed channels (K. Bregar, ewine-project/
/// UWB-LOS-NLOS-Data-Set, 2017; DWM1000, channel and rate in the row): a header, then one reception a row, in random order.
///
///     NLOS,RANGE,FP_IDX,FP_AMP1,FP_AMP2,FP_AMP3,STDEV_NOISE,CIR_PWR,MAX_NOISE,RXPACC,CH,FRAME_LEN,PREAM_LEN,BITRATE,PRFR,CIR0,…,CIR1015
///     1,6.18,749,4889,13876,10464,240,9048,3668,1024,2,39,1024,110,64,34,42,…
///
/// **The CIR is its magnitude alone**: delays and the shape of the channel can be had from it, phases and direction can't.
/// Its imaginary parts are read as 0. There are no timestamps: `RANGE` (m, the devices' own) becomes the chip's report,
/// `NLOS` (1 or 0) the truth. Powers follow from FP_AMP1…3, CIR_PWR and RXPACC (N) as the DW1000 User Manual (2.17, 4.7)
/// says: first path 10·lg((F₁² + F₂² + F₃²)/N²) − A, received 10·lg(C·2¹⁷/N²) − A, A = 121.74 dB at 64 MHz, 113.77 dB
/// at 16 MHz. STDEV_NOISE, MAX_NOISE, FRAME_LEN, PREAM_LEN and BITRATE have no place in an exchange. Columns are found by
/// name; CIR0 … must stand side by side, at least one of them.
///
/// `skipped` counts: `damagedRow` (fields too few, too many or no numbers), `truncatedLine` (the table ends inside a
/// row), `otherLine` (before the header).
///
/// It allocates nothing for a row once the buffers have their size.
struct EWINELines: CIRLineParser {
  private struct Columns {
    var obstructed: Int?
    var range: Int?
    var firstPath: Int?
    var amplitudes: [Int] = []
    var power: Int?
    var preambleCount: Int?
    var rate: Int?
    var channel: Int?
    var firstTap = 0
    var count = 0
  }

  var skipped = SkippedInput()
  private(set) var notes = [
    "CIRs are magnitudes without phase: delay and line of sight only, no direction",
    "rows are single receptions in random order: no clock and no timestamps, so no distance of the engine's",
  ]
  private var columns: Columns?
  private var dialect = CSVDialect()
  private var fields: [Double] = []
  private var real: [Float] = []
  private var zeros: [Float] = []
  private var pool = TapStoragePool()

  var format: String { "ewine" }
  var hasPhase: Bool { false }

  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    let marks: [StaticString] = ["NLOS", "FP_IDX", "CIR0"]
    for mark in marks where ByteText.end(of: mark, in: start) == nil { return .undecided }
    return .yes
  }

  mutating func take(_ line: Span<UInt8>, isTerminated: Bool) -> CIRRecord? {
    if ByteText.isBlank(line, from: 0) { return nil }
    guard let columns else {
      dialect = CSVDialect(header: ByteText.string(line, limit: .max))
      columns = Self.columns(line, dialect)
      if columns == nil { skipped.add("otherLine") }
      return nil
    }
    // A number that was cut is a number, too: only a line's end says that the last one is whole.
    guard isTerminated else {
      skipped.add("truncatedLine")
      return nil
    }
    guard readFields(line, count: columns.count), let record = record(columns) else {
      skipped.add("damagedRow")
      return nil
    }
    return record
  }

  private static func columns(_ line: Span<UInt8>, _ dialect: CSVDialect) -> Columns? {
    let names = dialect.fields(ByteText.string(line, limit: .max)).map { $0.filter { !$0.isWhitespace }.uppercased() }
    guard let firstTap = names.firstIndex(of: "CIR0"), names.contains("NLOS"), names.contains("FP_IDX"),
      names.count - firstTap <= CIRRecord.maximumTapCount,
      names[firstTap...].enumerated().allSatisfy({ $0.element == "CIR\($0.offset)" })
    else { return nil }
    let amplitudes = ["FP_AMP1", "FP_AMP2", "FP_AMP3"].compactMap { names.firstIndex(of: $0) }
    return Columns(
      obstructed: names.firstIndex(of: "NLOS"), range: names.firstIndex(of: "RANGE"),
      firstPath: names.firstIndex(of: "FP_IDX"), amplitudes: amplitudes, power: names.firstIndex(of: "CIR_PWR"),
      preambleCount: names.firstIndex(of: "RXPACC"), rate: names.firstIndex(of: "PRFR"),
      channel: names.firstIndex(of: "CH"), firstTap: firstTap, count: names.count)
  }

  private mutating func readFields(_ line: Span<UInt8>, count: Int) -> Bool {
    fields.removeAll(keepingCapacity: true)
    var position = 0
    while fields.count < count {
      guard let number = Self.number(line, at: skippingBlanks(line, from: position), dialect) else { return false }
      fields.append(number.value)
      let end = skippingBlanks(line, from: number.end)
      if fields.count == count { return end == line.count }
      guard end < line.count, line[end] == dialect.separator else { return false }
      position = end + 1
    }
    return false
  }

  /// Where tabs separate fields, they are no blanks.
  private func skippingBlanks(_ line: Span<UInt8>, from position: Int) -> Int {
    dialect.separator == UInt8(ascii: "\t") ? position : ByteText.skippingBlanks(line, from: position)
  }

  private static func number(
    _ line: Span<UInt8>, at position: Int, _ dialect: CSVDialect
  ) -> (value: Double, end: Int)? {
    if let number = ByteText.decimal(line, at: position),
      number.end == line.count || line[number.end] == dialect.separator || line[number.end] == 0x20
    {
      return number
    }
    var end = position
    while end < line.count, line[end] != dialect.separator { end += 1 }
    guard end > position, end - position <= 40 else { return nil }
    let text = line.withUnsafeBufferPointer { String(decoding: $0[position..<end], as: UTF8.self) }
    guard let value = dialect.number(text), value.isFinite else { return nil }
    return (value, end)
  }

  private mutating func record(_ columns: Columns) -> CIRRecord? {
    func field(_ column: Int?) -> Double? { column.map { fields[$0] } }
    var record = CIRRecord()
    record.preambleCount = field(columns.preambleCount).flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
    let scale = 1 / Float(record.preambleCount ?? 1)
    real.removeAll(keepingCapacity: true)
    for column in columns.firstTap..<columns.count {
      let value = Float(fields[column])
      guard value.isFinite else { return nil }
      real.append(value)
    }
    if zeros.count != real.count { zeros = [Float](repeating: 0, count: real.count) }
    record.impulseResponse = ChannelImpulseResponse(
      storage: pool.storage(real: real, imaginary: zeros), format: .float32, tapCount: real.count, scale: scale)
    record.firstPathTaps = field(columns.firstPath)
    record.chipReport = field(columns.range).map { ChipReport(distance: $0) }
    switch field(columns.obstructed) {
    case 0: record.truth = GroundTruth(isLineOfSight: true)
    case 1: record.truth = GroundTruth(isLineOfSight: false)
    default: return nil
    }
    guard let symbols = record.preambleCount.map(Double.init), let rate = field(columns.rate), rate == 64 || rate == 16
    else { return record }
    let constant = rate == 64 ? 121.74 : 113.77
    if columns.amplitudes.count == 3 {
      let sum = columns.amplitudes.reduce(0) { $0 + fields[$1] * fields[$1] }
      record.firstPathPowerdBm = Self.decibels(sum / (symbols * symbols)).map { $0 - constant }
    }
    if let power = field(columns.power) {
      record.receivedPowerdBm = Self.decibels(power * 131_072 / (symbols * symbols)).map { $0 - constant }
    }
    return record
  }

  private static func decibels(_ ratio: Double) -> Double? {
    ratio > 0 && ratio.isFinite ? 10 * log10(ratio) : nil
  }
}
