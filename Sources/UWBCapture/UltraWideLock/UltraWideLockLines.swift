import UWBTypes

/// The diagnostic lines of the ultrawidelock firmware (DW3000): what the chip says of a frame, then the taps round its first path.
///
///     [ALAB] t=1234567 ev=uwb.diag n=41 sp=1 … ipfp=47168 … ipf1=9120 ipf2=11840 ipf3=10210 ipac=63 …
///     [ALAB] t=1234567 ev=uwb.cir n=41 i=705 re=-35 im=20
///
/// `t` is in µs; `ipfp` is the first path in 1/64 tap of the accumulator, `ipf1` … `3` the amplitudes round it with two fraction bits,
/// `ipac` the accumulated symbols. A frame has 64 taps, `i` from one to the next. Powers are not there: the lines don't tell the
/// digital gain. The fields of the STS (`sfp` …), peaks and clock settings have no place in an exchange.
///
/// `skipped` counts: `damagedAccumulator` (a tap missing, unreadable or of another frame: the frame is lost), `strayRow` (taps
/// that no `uwb.diag` announced, once for each run), `truncatedLine`, `otherLine` (any other text or event).
struct UltraWideLockLines: CIRLineParser {
  static let tapCount = 64

  private struct Pending {
    var frame: Int
    var record: CIRRecord
    var isDamaged = false
  }

  var skipped = SkippedInput()
  let notes = ["CIRs of single receptions: no timestamps of an exchange, so no distance of the engine's"]
  private var pending: Pending?
  private var rows = TapRows()
  private var isStray = false
  private var pool = TapStoragePool()

  var format: String { "ultrawidelock" }
  var profile: String { RadioName.dw3000 }

  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    ByteText.contains(anyOf: [" ev=uwb.diag n=", " ev=uwb.cir n="], in: start) ? .yes : .undecided
  }

  mutating func take(_ line: Span<UInt8>, isTerminated: Bool) -> CIRRecord? {
    guard let start = ByteText.lastStart(of: "[ALAB] t=", in: line) else {
      if !ByteText.isBlank(line, from: 0) { skipped.add("otherLine") }
      return nil
    }
    // What stands before is a line that lost its end.
    if start > 0, ByteText.start(of: "[ALAB] t=", in: line) != start { pending?.isDamaged = true }
    guard isTerminated else {
      skipped.add("truncatedLine")
      return nil
    }
    guard let time = ByteText.decimal(line, at: start + 9) else {
      skipped.add("otherLine")
      return nil
    }
    let isRow = ByteText.matches(" ev=uwb.cir n=", in: line, at: time.end)
    guard isRow || ByteText.matches(" ev=uwb.diag n=", in: line, at: time.end),
      let frame = ByteText.integer(line, at: time.end + (isRow ? 14 : 15))
    else {
      skipped.add("otherLine")
      return nil
    }
    return isRow ? takeRow(line, frame: frame) : begin(line, frame: frame, time: time.value)
  }

  mutating func finish() -> CIRRecord? { end() }

  /// Begins a frame, and gives the one before it if that had no taps.
  private mutating func begin(_ line: Span<UInt8>, frame: (value: Int, end: Int), time: Double) -> CIRRecord? {
    let before = end()
    isStray = false
    func field(_ name: StaticString) -> Double? {
      ByteText.end(of: name, in: line, from: frame.end).flatMap { ByteText.decimal(line, at: $0)?.value }
    }
    var record = CIRRecord(loggedTime: time / 1e6)
    record.firstPathTaps = field(" ipfp=").map { $0 / 64 }
    record.preambleCount = field(" ipac=").flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
    if let first = field(" ipf1="), let second = field(" ipf2="), let third = field(" ipf3=") {
      record.firstPathAmplitudes = SIMD3(first, second, third) / 4
    }
    pending = Pending(frame: frame.value, record: record)
    return before
  }

  /// Takes a tap; the frame's last one completes it.
  private mutating func takeRow(_ line: Span<UInt8>, frame: (value: Int, end: Int)) -> CIRRecord? {
    guard pending?.frame == frame.value else {
      pending?.isDamaged = true
      _ = end()
      if !isStray { skipped.add("strayRow") }
      isStray = true
      return nil
    }
    if let tap = Self.tap(line, from: frame.end), rows.append(tap.index, real: tap.real, imaginary: tap.imaginary) {
      guard rows.count == Self.tapCount, var complete = pending, !complete.isDamaged else { return nil }
      rows.complete(&complete.record, in: &pool)
      pending = nil
      _ = end()
      return complete.record
    }
    pending?.isDamaged = true
    return nil
  }

  /// ` i=705 re=-35 im=20`
  private static func tap(_ line: Span<UInt8>, from start: Int) -> (index: Int, real: Int, imaginary: Int)? {
    guard ByteText.matches(" i=", in: line, at: start), let index = ByteText.integer(line, at: start + 3),
      index.value >= 0, ByteText.matches(" re=", in: line, at: index.end),
      let real = ByteText.integer(line, at: index.end + 4), ByteText.matches(" im=", in: line, at: real.end),
      let imaginary = ByteText.integer(line, at: real.end + 4), ByteText.isBlank(line, from: imaginary.end),
      max(real.value.magnitude, imaginary.value.magnitude) <= 1 << 15
    else { return nil }
    return (index.value, real.value, imaginary.value)
  }

  /// Ends the frame at hand: one without any tap is a reception without a CIR, one with some of them is lost.
  private mutating func end() -> CIRRecord? {
    defer {
      pending = nil
      rows.removeAll()
    }
    guard let pending else { return nil }
    guard !pending.isDamaged, rows.count == 0 else {
      skipped.add("damagedAccumulator")
      return nil
    }
    return pending.record
  }
}
