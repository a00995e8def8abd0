import UWBTypes

/// The JSON lines that Decawave's uwb-core prints of each received frame's CIR (`CIR_VERBOSE`), one object a line:
///
///     {"utime":…,"cir_type":"ipatov","raw_ts":…,"resam_dly":…,"fp_idx":…,"fp_power":…,"angle":…,"acc_cnt":…,
///      "offset":…,"real":[…],"imag":[…]}
///
/// Meanings are those of uwb-core's sources (`lib/cir/src/cir_json.c`, `hw/drivers/uwb/uwb_dw1000/lib/cir_dw1000`,
/// 2020): `utime` is the receive timestamp and `raw_ts` the same before the chip's correction, both in ticks of the
/// 40-bit clock; `fp_idx` the chip's first path in taps of its accumulator; `fp_power` dBm; `acc_cnt` preamble symbols.
/// The taps printed begin `offset` taps before ⌈`fp_idx`⌉, so in the CIR the first path lies at
/// `fp_idx` − ⌈`fp_idx`⌉ + `offset`. `resam_dly`, `angle` (the phase at the first path, which the taps hold, too) and
/// `raw_ts` have no place in an exchange and are not kept.
///
/// `skipped` counts: `damagedLine` (a CIR's line that can't be read), `truncatedLine` (the stream ended inside it),
/// `otherLine` (text that is no CIR), `firstPathOutside` (the exchange is yielded without the chip's first path).
struct UwbCoreLines: CIRLineParser {
  var skipped = SkippedInput()
  private(set) var notes = [
    "CIRs of single receptions: no timestamps of an exchange, so no distance",
    "not kept: raw_ts, resam_dly, angle",
  ]
  private var types: Set<String> = []
  private var real: [Float] = []
  private var imaginary: [Float] = []
  private var pool = TapStoragePool()

  var format: String { "uwb-core" }

  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    ByteText.end(of: "\"cir_type\"", in: start) == nil ? .undecided : .yes
  }

  mutating func take(_ line: Span<UInt8>, isTerminated: Bool) -> CIRRecord? {
    // A line whose end was lost runs into the next: the last object may still be whole.
    guard let start = ByteText.lastStart(of: "{\"utime\"", in: line) else {
      if !ByteText.isBlank(line, from: 0) {
        skipped.add(ByteText.end(of: "\"cir_type\"", in: line) == nil ? "otherLine" : "damagedLine")
      }
      return nil
    }
    let isCIR = ByteText.end(of: "\"cir_type\"", in: line) != nil
    if ByteText.start(of: "{\"utime\"", in: line) != start || !ByteText.isPrefix(line, before: start) {
      skipped.add(isCIR ? "damagedLine" : "otherLine")
    }
    guard isCIR else {
      skipped.add("otherLine")
      return nil
    }
    guard let record = record(line, from: start) else {
      skipped.add(isTerminated ? "damagedLine" : "truncatedLine")
      return nil
    }
    return record
  }

  private mutating func record(_ line: Span<UInt8>, from start: Int) -> CIRRecord? {
    line.withUnsafeBufferPointer { bytes in
      record(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])))
    }
  }

  private mutating func record(_ bytes: UnsafeRawBufferPointer) -> CIRRecord? {
    var received: UInt64?
    var type: String?
    var firstPath: Double?
    var power: Double?
    var count: Int?
    var offset: Int?
    var hasReal = false
    var hasImaginary = false
    var real = take(&self.real)
    var imaginary = take(&self.imaginary)
    defer {
      self.real = real
      self.imaginary = imaginary
    }
    var cursor = JSONCursor(bytes)
    let isWhole = cursor.object { key, cursor in
      if key.matches("real") {
        hasReal = true
        return Self.samples(&cursor, into: &real)
      }
      if key.matches("imag") {
        hasImaginary = true
        return Self.samples(&cursor, into: &imaginary)
      }
      if key.matches("utime") {
        received = cursor.integer()
        return received != nil
      }
      if key.matches("cir_type") {
        type = cursor.string()
        return type != nil
      }
      if key.matches("fp_idx") { return cursor.read(&firstPath) { $0.number() } }
      if key.matches("fp_power") { return cursor.read(&power) { $0.number() } }
      if key.matches("acc_cnt") {
        count = cursor.integer(in: 0...65_535)
        return count != nil
      }
      if key.matches("offset") {
        offset = cursor.integer(in: -CIRRecord.maximumTapCount...CIRRecord.maximumTapCount)
        return offset != nil
      }
      return cursor.skipValue()
    }
    guard isWhole, cursor.isAtEnd(), let received, received < DeviceTime.ticksPerWrap, let type,
      hasReal == hasImaginary, real.count == imaginary.count
    else { return nil }
    if types.count < 8, types.insert(type).inserted { notes.append("CIR type: \(type.prefix(40))") }
    let preambles = count.flatMap { $0 > 0 ? $0 : nil }
    var record = CIRRecord(
      received: DeviceTime(ticks: received), preambleCount: preambles, firstPathPowerdBm: power)
    guard !real.isEmpty else { return record }
    record.impulseResponse = ChannelImpulseResponse(
      storage: pool.storage(real: real, imaginary: imaginary), format: .float32, tapCount: real.count,
      scale: 1 / Float(preambles ?? 1))
    if let firstPath {
      let place = firstPath - firstPath.rounded(.up) + Double(offset ?? 0)
      if place > -1, place < Double(real.count) {
        record.firstPathTaps = place
      } else {
        skipped.add("firstPathOutside")
      }
    }
    return record
  }

  private func take(_ samples: inout [Float]) -> [Float] {
    var taken: [Float] = []
    swap(&taken, &samples)
    taken.removeAll(keepingCapacity: true)
    return taken
  }

  // The printed numbers are a chip's integers; single precision holds those of up to 24 bits exactly.
  private static func samples(_ cursor: inout JSONCursor, into samples: inout [Float]) -> Bool {
    samples.removeAll(keepingCapacity: true)
    return cursor.array { cursor in
      guard samples.count < CIRRecord.maximumTapCount, let value: Int32 = cursor.integer(),
        value.magnitude <= 1 << 24
      else { return false }
      samples.append(Float(value))
      return true
    }
  }
}
