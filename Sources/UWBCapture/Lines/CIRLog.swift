import UWBTypes

/// Makes receptions of a text log's lines, one after the other.
protocol CIRLineParser: SendableMetatype {
  init()
  /// Whether the start of a stream is of this format.
  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition
  /// The format's name, as `--format` takes it.
  var format: String { get }
  /// Name of the device profile of the radio that the format comes from.
  var profile: String { get }
  /// What a reader of the capture should know.
  var notes: [String] { get }
  /// Whether the CIRs hold phases.
  var hasPhase: Bool { get }
  /// What was passed over.
  var skipped: SkippedInput { get set }
  /// Takes the next line, and gives the reception that it completes.
  mutating func take(_ line: Span<UInt8>, isTerminated: Bool) -> CIRRecord?
  /// Tells that no line follows, and gives the reception that this completes.
  mutating func finish() -> CIRRecord?
}

extension CIRLineParser {
  var profile: String { RadioName.dw1000 }
  var hasPhase: Bool { true }
  mutating func finish() -> CIRRecord? { nil }
}

/// Reads a text log of CIRs, line by line: what the formats that hold no exchanges have in common.
///
/// Each reception becomes an exchange of a poll alone. Memory is a buffer and a few CIRs, however long the log; a line
/// is handed on as soon as its end has come, so a live port can be read. Lines of more than 64 kB are passed over and
/// counted as `lineTooLong`, receptions with a number beyond `CaptureLimits` as `outOfRange`.
struct CIRLog<Parser: CIRLineParser>: CaptureReader {
  private var parser: Parser
  private var scanner: LineScanner
  private var clock = UnwrappedClock()
  private var start: Double?
  private var count = 0
  private var isAtEnd = false

  init(_ parser: Parser, _ source: ByteSource) {
    self.parser = parser
    scanner = LineScanner(source)
  }

  var header: CaptureHeader {
    CaptureHeader(format: parser.format, profile: parser.profile, notes: parser.notes, hasPhase: parser.hasPhase)
  }

  var skipped: SkippedInput { parser.skipped }

  var bytesRead: Int { scanner.bytesRead }

  mutating func next() throws -> RangingExchange? {
    while !isAtEnd {
      guard let line = try scanner.next() else { break }
      parser.skipped.addTooLong(of: &scanner)
      let number = scanner.lineNumber
      guard let record = parser.take(line.bytes.span, isTerminated: line.isTerminated) else {
        parser.skipped.locate("line \(number)")
        continue
      }
      if let exchange = exchange(record, at: "line \(number)") { return exchange }
    }
    guard !isAtEnd else { return nil }
    isAtEnd = true
    parser.skipped.addTooLong(of: &scanner)
    let record = parser.finish()
    return exchange(record, at: "its end")
  }

  private mutating func exchange(_ record: CIRRecord?, at place: @autoclosure () -> String) -> RangingExchange? {
    if let record, !record.isInRange { parser.skipped.add("outOfRange") }
    parser.skipped.locate(place())
    guard let record, record.isInRange else { return nil }
    if let received = record.received { clock.advance(to: received) }
    defer { count += 1 }
    return record.rangingExchange(index: count, time: time(record))
  }

  /// Since the first reception: by the log's own clock where it has one.
  private mutating func time(_ record: CIRRecord) -> Double {
    guard let logged = record.loggedTime else { return clock.seconds }
    let start = self.start ?? logged
    self.start = start
    return max(0, logged - start)
  }
}
