import UWBTypes

/// Reads the text log of Decawave's DecaRanging on an EVK1000 (DW1000), written with accumulators: what an anchor
/// received and sent in double-sided two-way ranging.
///
/// For each received frame: `FC SN Rx time = s HEX` (FC 21 = poll, 29 = final; the 40-bit receive timestamp), `RX DATA:`
/// (the frame; a final carries the tag's three timestamps), `RX OK …` (HLP first path, taps; PSC preamble symbols; NTH
/// noise threshold; RSL, FSL received and first-path power, dBm), `Accum Len n` and n lines `re, im`. For the response:
/// `Adding Antenna Delay = HEX`, its transmit timestamp. After the final: `Anchor ToF: …` and the four intervals.
///
/// An exchange whose six timestamps are there is yielded; what else may be missing (a damaged accumulator, a report) is
/// `nil` in it. `skipped` counts:
/// - `incompleteExchange`: begun, and lacking a timestamp; `mismatchedFrames`: frames that belong to different exchanges
/// - `damagedAccumulator`: taps too many, too few or unreadable (an exchange that is yielded lacks this CIR);
///   `damagedFrame`: a frame's content unreadable or without its reception
/// - `receiveError`, `otherFrame`: frames that the chip rejected, or of another protocol
/// - `staleReport`: a report without its exchange; `intervalMismatch`, `frameCheckMismatch`: intervals or a frame check
///   that disagree with what they belong to (the exchange is yielded)
/// - `damagedLine`, `unknownLine`, `lineTooLong`, `truncatedLine`: lines that could not be used
///
/// Throughput is that of `TapLines`; memory is a buffer and a few accumulators, however long the log.
public struct DecaRangingLog: CaptureReader {
  private var scanner: LineScanner
  private var assembler = DecaRangingAssembler()
  private var isAtEnd = false

  /// Reads from `source`.
  public init(_ source: ByteSource) {
    scanner = LineScanner(source)
  }

  /// Opens the log at `path`; `-` is standard input.
  public init(path: String) throws {
    self.init(try ByteSource(path: path))
  }

  public var header: CaptureHeader {
    CaptureHeader(format: "decaranging", profile: RadioName.dw1000, notes: assembler.notes)
  }

  public var skipped: SkippedInput { assembler.skipped }

  public var bytesRead: Int { scanner.bytesRead }

  public mutating func next() throws -> RangingExchange? {
    while !isAtEnd {
      if assembler.accumulator.isFilling {
        let used = assembler.accumulator.fill(from: scanner.unread)
        if used.lineCount > 0 { scanner.skip(byteCount: used.byteCount, lineCount: used.lineCount) }
      }
      guard let line = try scanner.next() else { break }
      countTooLong()
      let content = DecaRangingLine(line.bytes.span)
      defer { assembler.skipped.locate("line \(scanner.lineNumber)") }
      guard line.isTerminated || content == .blank else {
        assembler.skip("truncatedLine")
        continue
      }
      if let exchange = assembler.take(content) { return exchange }
    }
    guard !isAtEnd else { return nil }
    isAtEnd = true
    countTooLong()
    defer { assembler.skipped.locate("its end") }
    return assembler.finish()
  }

  private mutating func countTooLong() {
    guard let (count, line) = scanner.takeTooLong() else { return }
    assembler.skip("lineTooLong", count: count)
    assembler.skipped.locate("line \(line)")
  }
}
