import UWBTypes

/// What the command-line firmware of a DWM3001CDK (Qorvo) prints of its ranging: distances and angles of the chip's own, without a clock.
///
///     SESSION_INFO_NTF: {session_handle=1, sequence_number=0, block_index=0, n_measurements=1
///      [mac_address=0x0001, status="SUCCESS", distance[cm]=210, RSSI[dBm]=-78.0]}
///     {"Block":3,"results":[{"Addr":"0x0000","Status":"Ok","D_cm":61,"LPDoA_deg":0.00,"LAoA_deg":0.00,"LFoM":0}]}
///
/// The first form is that of firmware 1.1, with `;` between the peers of a round, the second that of 1.0, also as its array alone.
/// A result becomes a ready measurement; `loc_az_pdoa` and `LPDoA_deg` become phase differences. Not kept: angles at the peer, carrier
/// offset. A firmware without angles prints 0 for each with a figure of merit of 0.
///
/// `skipped` counts: `damagedResult`, `failedRound` (the chip's status is no success), `missingResult` (fewer than announced),
/// `strayResult` (more of them), `truncatedLine`, `otherLine` (diagnostics, listener frames, any other text).
struct DWM3001Lines: CaptureReader {
  let header = CaptureHeader(
    format: "dwm3001-cli", profile: RadioName.ideal, notes: ["the chip's own results without a clock: all at time 0"])
  private(set) var skipped = SkippedInput()
  private var scanner: LineScanner
  private var pending: [DWM3001Result] = []
  private var delivered = 0
  /// Results that the round at hand still owes.
  private var awaited = 0
  private var count = 0

  init(_ source: ByteSource) { scanner = LineScanner(source) }

  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    ByteText.contains(anyOf: ["SESSION_INFO_NTF: {session_handle=", "\"D_cm\":"], in: start) ? .yes : .undecided
  }

  var bytesRead: Int { scanner.bytesRead }

  mutating func next() throws -> RangingExchange? {
    while true {
      while delivered < pending.count {
        delivered += 1
        guard let exchange = pending[delivered - 1].exchange(index: count) else {
          skipped.add("failedRound", at: "line \(scanner.lineNumber)")
          continue
        }
        count += 1
        return exchange
      }
      pending.removeAll(keepingCapacity: true)
      delivered = 0
      let line = try scanner.next()
      skipped.addTooLong(of: &scanner)
      guard let line else {
        endRound()
        skipped.locate("its end")
        return nil
      }
      take(line.bytes.span, isTerminated: line.isTerminated)
      skipped.locate("line \(scanner.lineNumber)")
    }
  }

  private mutating func take(_ line: Span<UInt8>, isTerminated: Bool) {
    if ByteText.isBlank(line, from: 0) { return }
    // A line's end that was lost leaves two in one: the last begins a round.
    let head = ByteText.lastStart(of: "SESSION_INFO_NTF: {", in: line)
    if let head {
      endRound()
      awaited = Self.number("n_measurements=", line, from: head).flatMap { Int(exactly: $0) } ?? 0
      awaited = min(max(0, awaited), 64)
    }
    var place = ByteText.end(of: "[mac_address=", in: line, from: head ?? 0)
    guard place != nil || head != nil else { return takeJSON(line, isTerminated: isTerminated) }
    while let start = place {
      let next = ByteText.end(of: "[mac_address=", in: line, from: start)
      let end = next.map { $0 - 13 } ?? line.count
      // A number that was cut is a number, too: its bracket says that it is whole.
      if let result = DWM3001Result(text: line.extracting(start..<end)) {
        pending.append(result)
      } else {
        skipped.add(isTerminated || next != nil ? "damagedResult" : "truncatedLine")
      }
      place = next
      if awaited > 0 { awaited -= 1 } else { skipped.add("strayResult") }
    }
  }

  private mutating func endRound() {
    if awaited > 0 { skipped.add("missingResult", count: awaited) }
    awaited = 0
  }

  private static func number(_ name: StaticString, _ line: Span<UInt8>, from start: Int) -> Double? {
    ByteText.end(of: name, in: line, from: start).flatMap { ByteText.decimal(line, at: $0)?.value }
  }

  private mutating func takeJSON(_ line: Span<UInt8>, isTerminated: Bool) {
    guard ByteText.end(of: "\"D_cm\"", in: line) != nil || ByteText.end(of: "\"Addr\"", in: line) != nil else {
      return skipped.add("otherLine")
    }
    let start = ByteText.skippingBlanks(line, from: 0)
    let isWhole = line.withUnsafeBufferPointer { bytes in
      var cursor = JSONCursor(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])))
      return DWM3001Result.read(&cursor, into: &pending) && cursor.isAtEnd()
    }
    // Results in front of the damage are whole.
    if !isWhole { skipped.add(isTerminated ? "damagedResult" : "truncatedLine") }
  }
}
