import UWBTypes

/// The CIR lines that Contiki-UWB (University of Trento, for the DWM1001) prints: where in the accumulator the taps
/// begin, how many there are, and the taps, each as the chip's four octets in hexadecimal (real and imaginary part,
/// 16 bits, little-endian), or for people as `a+bj,`:
///
///     CIR[740:4] 0a00f6ff1e00e2ff32000a0014000100
///     CIR[740:4] 10-10j,30-30j,50+10j,20+1j,
///
/// Source: `dev/dw1000/dw1000-cir.c` of d3s-trento/contiki-uwb (2018). The lines carry no timestamp, no first path and no
/// preamble count, so amplitudes are the accumulator's own; tap 0 of the CIR is tap `start` of the accumulator.
///
/// `skipped` counts: `damagedLine` (digits that are none, fewer or more than were announced), `truncatedLine` (the stream
/// ended inside), `implausibleLength` (no or more than 4096 taps announced), `otherLine` (text that is no CIR).
struct ContikiLines: CIRLineParser {
  var skipped = SkippedInput()
  private(set) var notes = [
    "CIRs of single receptions: no clock and no timestamps, so no distance",
    "no first path of the chip's, no preamble count: amplitudes are the accumulator's own",
  ]
  private var starts: Set<Int> = []
  private var samples: [Int16] = []
  private var pool = TapStoragePool()

  var format: String { "contiki-uwb" }

  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    var place = ByteText.start(of: "CIR[", in: start)
    while let found = place {
      if head(start, at: found) != nil { return .yes }
      place = ByteText.start(of: "CIR[", in: start, from: found + 1)
    }
    return .undecided
  }

  mutating func take(_ line: Span<UInt8>, isTerminated: Bool) -> CIRRecord? {
    // A line whose end was lost runs into the next: the last CIR may still be whole.
    guard let start = ByteText.lastStart(of: "CIR[", in: line) else {
      if !ByteText.isBlank(line, from: 0) { skipped.add("otherLine") }
      return nil
    }
    if ByteText.start(of: "CIR[", in: line) != start || !ByteText.isPrefix(line, before: start) {
      skipped.add("damagedLine")
    }
    guard let head = Self.head(line, at: start) else {
      skipped.add(isTerminated ? "damagedLine" : "truncatedLine")
      return nil
    }
    guard (1...CIRRecord.maximumTapCount).contains(head.count) else {
      skipped.add("implausibleLength")
      return nil
    }
    guard
      readHexadecimal(line, from: head.end, count: head.count) || readComplex(line, from: head.end, count: head.count)
    else {
      skipped.add(isTerminated ? "damagedLine" : "truncatedLine")
      return nil
    }
    if starts.count < 4, starts.insert(head.start).inserted, head.start != 0 {
      notes.append("a CIR's tap 0 is tap \(head.start) of the accumulator")
    }
    return CIRRecord(
      impulseResponse: ChannelImpulseResponse(
        storage: pool.storage(holding: samples[...]), format: .int16, tapCount: head.count))
  }

  private static func head(_ line: Span<UInt8>, at position: Int) -> (start: Int, count: Int, end: Int)? {
    guard let start = ByteText.integer(line, at: position + 4), start.value >= 0,
      ByteText.matches(":", in: line, at: start.end), let count = ByteText.integer(line, at: start.end + 1),
      ByteText.matches("]", in: line, at: count.end)
    else { return nil }
    return (start.value, count.value, count.end + 1)
  }

  private mutating func readHexadecimal(_ line: Span<UInt8>, from position: Int, count: Int) -> Bool {
    samples.removeAll(keepingCapacity: true)
    var position = ByteText.skippingBlanks(line, from: position)
    for _ in 0..<2 * count {
      guard let word = ByteText.hexadecimal(line, at: position, count: 4) else { return false }
      samples.append(Int16(bitPattern: UInt16(word).byteSwapped))
      position += 4
    }
    return ByteText.isBlank(line, from: position)
  }

  private mutating func readComplex(_ line: Span<UInt8>, from position: Int, count: Int) -> Bool {
    samples.removeAll(keepingCapacity: true)
    var position = ByteText.skippingBlanks(line, from: position)
    for index in 0..<count {
      guard let real = ByteText.integer(line, at: position).flatMap({ Self.sample($0) }) else { return false }
      let hasPlus = ByteText.matches("+", in: line, at: real.end)
      guard hasPlus || ByteText.matches("-", in: line, at: real.end),
        let imaginary = ByteText.integer(line, at: real.end + (hasPlus ? 1 : 0)).flatMap({ Self.sample($0) }),
        ByteText.matches("j", in: line, at: imaginary.end)
      else { return false }
      samples.append(real.value)
      samples.append(imaginary.value)
      position = imaginary.end + 1
      if ByteText.matches(",", in: line, at: position) {
        position += 1
      } else if index + 1 < count {
        return false
      }
    }
    return ByteText.isBlank(line, from: position)
  }

  private static func sample(_ number: (value: Int, end: Int)) -> (value: Int16, end: Int)? {
    Int16(exactly: number.value).map { ($0, number.end) }
  }
}
