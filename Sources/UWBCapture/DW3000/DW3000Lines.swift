import UWBTypes

/// Accumulators of a DW3000 as microcontroller programs print them: a head, a row for each tap, an end.
///
///     CIR_BEGIN,P:17,A:1,N:1016,D:2.513,FP_RAW:47712,PK_RAW:…,ACC:58,PWR:…,F1:…,F2:…,F3:…
///     CIR,0,0A0000F6FFFF          tap, its six octets as they were read
///     CIR_END,P:17
///
/// The six octets are real and imaginary part (`DW3000Sample`). Of the head's fields
/// `N` (taps), `FP_RAW` (first path, 1/64 tap), `ACC` (preamble symbols), `D` (m, the program's own distance), `A` (the
/// device's number) and `P` (the frame's number, repeated at the end) are used; the others are not kept. Programs that
/// print `CIR_BEGIN,17` and rows `CIR,17,tap,real,imaginary,power` in decimals are understood as well. There are no
/// timestamps.
///
/// `skipped` counts: `damagedAccumulator` (a row missing, unreadable or of another frame, or no end: the CIR is lost),
/// `fewerTaps` (no `N`, and fewer taps than CIRs before: some may have been lost), `strayRow` (rows or an end outside of
/// a CIR, counted once for each run), `implausibleLength`, `truncatedLine`, `otherLine` (any other text).
struct DW3000Lines: CIRLineParser {
  private struct Pending {
    var frame: Int?
    var announced: Int?
    var isDamaged = false
    var record = CIRRecord()
  }

  var skipped = SkippedInput()
  let notes = [
    "CIRs of single receptions: no clock and no timestamps, so no distance of the engine's",
    "the pulse of a DW3000 was not measured: the standard's stands for it (uwb calibrate pulse, --pulse)",
  ]
  private var pending: Pending?
  private var isStray = false
  private var longest = 0
  private var rows = TapRows()
  private var pool = TapStoragePool()

  var format: String { "dw3000-cir" }
  var profile: String { RadioName.dw3000 }

  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    ByteText.end(of: "CIR_BEGIN", in: start) == nil ? .undecided : .yes
  }

  mutating func take(_ line: Span<UInt8>, isTerminated: Bool) -> CIRRecord? {
    guard let start = ByteText.lastStart(of: "CIR", in: line) else {
      if !ByteText.isBlank(line, from: 0) { skipped.add("otherLine") }
      return nil
    }
    // What stands before is a row that lost its end: it is missing, then.
    if ByteText.start(of: "CIR", in: line) != start { damage() }
    guard isTerminated || ByteText.matches("CIR_END", in: line, at: start) else {
      skipped.add("truncatedLine")
      return nil
    }
    if ByteText.matches("CIR_BEGIN", in: line, at: start) {
      begin(line, from: start + 9)
    } else if ByteText.matches("CIR_END", in: line, at: start) {
      return end(line, from: start + 7)
    } else if ByteText.matches("CIR,", in: line, at: start) {
      row(line, from: start + 4)
    } else {
      skipped.add("otherLine")
    }
    return nil
  }

  mutating func finish() -> CIRRecord? {
    lose()
    return nil
  }

  private mutating func begin(_ line: Span<UInt8>, from start: Int) {
    lose()
    isStray = false
    rows.removeAll()
    var new = Pending()
    func field(_ name: StaticString) -> Double? {
      guard let place = ByteText.end(of: name, in: line, from: start) else { return nil }
      return ByteText.decimal(line, at: place)?.value
    }
    new.frame = field(",P:").flatMap { Int(exactly: $0) }
    if new.frame == nil, ByteText.matches(",", in: line, at: start) {
      new.frame = ByteText.integer(line, at: start + 1).flatMap {
        ByteText.isBlank(line, from: $0.end) ? $0.value : nil
      }
    }
    if let count = field(",N:") {
      guard let count = Int(exactly: count), (1...CIRRecord.maximumTapCount).contains(count) else {
        skipped.add("implausibleLength")
        isStray = true
        return
      }
      new.announced = count
    }
    new.record.firstPathTaps = field(",FP_RAW:").map { $0 / 64 }
    new.record.preambleCount = field(",ACC:").flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
    new.record.chipReport = field(",D:").map { ChipReport(distance: $0) }
    new.record.local = field(",A:").flatMap { UInt64(exactly: $0) }.map { DeviceAddress(rawValue: $0) }
    pending = new
  }

  private mutating func row(_ line: Span<UInt8>, from start: Int) {
    guard let pending else { return stray() }
    guard !pending.isDamaged else { return }
    guard let tap = Self.tap(line, from: start, frame: pending.frame),
      rows.append(tap.index, real: tap.real, imaginary: tap.imaginary)
    else { return damage() }
  }

  private mutating func end(_ line: Span<UInt8>, from start: Int) -> CIRRecord? {
    guard let pending else {
      stray()
      return nil
    }
    if let frame = pending.frame, let place = ByteText.end(of: ",P:", in: line, from: start),
      ByteText.integer(line, at: place)?.value != frame
    {
      damage()
      return nil
    }
    if let announced = pending.announced, announced != rows.count { damage() }
    guard self.pending?.isDamaged == false, rows.count > 0 else {
      lose()
      return nil
    }
    if pending.announced == nil, rows.count < longest { skipped.add("fewerTaps") }
    longest = max(longest, rows.count)
    self.pending = nil
    var record = pending.record
    // Rows may begin inside the accumulator.
    rows.complete(&record, in: &pool)
    return record
  }

  private static func tap(
    _ line: Span<UInt8>, from start: Int, frame: Int?
  ) -> (index: Int, real: Int, imaginary: Int)? {
    guard let first = ByteText.integer(line, at: start), first.value >= 0,
      ByteText.matches(",", in: line, at: first.end)
    else { return nil }
    let place = first.end + 1
    if let real = octets(line, at: place), let imaginary = octets(line, at: place + 6),
      ByteText.isBlank(line, from: place + 12)
    {
      return (first.value, real, imaginary)
    }
    guard first.value == frame ?? first.value, let index = ByteText.integer(line, at: place), index.value >= 0,
      ByteText.matches(",", in: line, at: index.end), let real = ByteText.integer(line, at: index.end + 1),
      ByteText.matches(",", in: line, at: real.end), let imaginary = ByteText.integer(line, at: real.end + 1),
      ByteText.isBlank(line, from: imaginary.end) || ByteText.matches(",", in: line, at: imaginary.end),
      max(real.value.magnitude, imaginary.value.magnitude) <= 1 << 24
    else { return nil }
    return (index.value, real.value, imaginary.value)
  }

  private static func octets(_ line: Span<UInt8>, at position: Int) -> Int? {
    guard let digits = ByteText.hexadecimal(line, at: position, count: 6) else { return nil }
    return Int(DW3000Sample.value(UInt32(digits).byteSwapped >> 8))
  }

  private mutating func stray() {
    if !isStray { skipped.add("strayRow") }
    isStray = true
  }

  // The CIR at hand is lost; what still comes of it belongs to that loss.
  private mutating func damage() {
    guard pending != nil else { return stray() }
    pending?.isDamaged = true
  }

  private mutating func lose() {
    if pending != nil { skipped.add("damagedAccumulator") }
    pending = nil
    isStray = true
  }
}
