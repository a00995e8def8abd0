import UWBTypes

/// Reads what `NDJSONWriter` wrote: a header, then an exchange a line. Everything comes back to the bit but samples that are
/// not finite: they are `null` there and not a number here. Other programs' JSON is read, too: fields in any order, blanks between
/// them, numbers with exponents, `NaN` for what is absent.
///
/// `skipped` counts: `damagedLine`, `truncatedLine` (the stream ends inside it), `otherLine` (no object of these),
/// `unsupportedShape` (a line with a CIR beyond `CaptureLimits` or `EngineLimits`), `furtherHeader` (captures were joined: the
/// first header holds for all), `lineTooLong`.
///
/// Memory is one line, at most 4 MB.
public struct NDJSONReader: CaptureReader {
  static let maximumLineLength = 4 << 20
  /// What a file must be called by its first line, and the version that is read.
  static let format = "uwb-capture"
  static let version = 1

  public private(set) var skipped = SkippedInput()
  private var known: CaptureHeader?
  private var scanner: LineScanner
  private var samples = NDJSONSamples()

  /// A reader of these bytes.
  public init(_ source: ByteSource) {
    source.reserve(Self.maximumLineLength + 1)
    scanner = LineScanner(source, limit: Self.maximumLineLength)
  }

  /// Told by the fields of the first line's object, in any order and however it is spaced.
  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    start.withUnsafeBufferPointer { bytes in
      let text = bytes.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
      if text.isEmpty { return .undecided }
      let line = text.prefix { $0 != 0x0A }
      var cursor = JSONCursor(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: line)))
      var isOurs = false
      var fieldCount = 0
      let isWhole = cursor.object { key, cursor in
        fieldCount += 1
        if key.matches("format") {
          guard let name = cursor.string() else { return false }
          isOurs = name == format
          return !isOurs
        }
        // What other programs' lines don't have, or not first.
        isOurs = key.matches("initiator") || key.matches("poll") || fieldCount == 1 && key.matches("exchange")
        return !isOurs && cursor.skipValue()
      }
      if isOurs { return .yes }
      return isWhole || !cursor.isAtEnd() || line.count < text.count ? .no : .undecided
    }
  }

  public var header: CaptureHeader {
    known
      ?? CaptureHeader(
        format: "ndjson", profile: RadioName.dw1000,
        notes: ["the capture lacks its header, which names the radio: dw1000 is assumed (--profile)"])
  }

  public var bytesRead: Int { scanner.bytesRead }

  public mutating func next() throws -> RangingExchange? {
    while let line = try scanner.next() {
      skipped.addTooLong(of: &scanner)
      defer { skipped.locate("line \(scanner.lineNumber)") }
      let text = line.bytes.span
      let start = ByteText.skippingBlanks(text, from: 0)
      if start == text.count { continue }
      var content = content(line.bytes, from: start)
      if content.isLost, let later = ByteText.lastStart(of: "{\"exchange\":", in: text), later > start {
        // A line whose end was lost runs into the next: the last object may still be whole.
        skipped.add("damagedLine")
        content = self.content(line.bytes, from: later)
      }
      switch content {
      case .exchange(let exchange): return exchange
      case .header(let fields): try take(fields)
      case .lost(let reason): skipped.add(line.isTerminated || reason == "unsupportedShape" ? reason : "truncatedLine")
      }
    }
    skipped.addTooLong(of: &scanner)
    return nil
  }

  private enum Content {
    case header(NDJSONLine)
    case exchange(RangingExchange)
    /// Why it can't be used.
    case lost(String)

    var isLost: Bool { if case .lost = self { true } else { false } }
  }

  /// What the object holds that stands from `start` to the line's end.
  private mutating func content(_ line: UnsafeBufferPointer<UInt8>, from start: Int) -> Content {
    guard line[start] == UInt8(ascii: "{") else { return .lost("otherLine") }
    var fields = NDJSONLine()
    var cursor = JSONCursor(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: line[start...])))
    samples.isUnsupported = false
    guard cursor.object({ fields.take($0, &$1, &samples) }), cursor.isAtEnd() else {
      return .lost(samples.isUnsupported ? "unsupportedShape" : "damagedLine")
    }
    if fields.format == Self.format { return .header(fields) }
    return fields.exchange.map { .exchange($0) } ?? .lost(fields.isExchange ? "damagedLine" : "otherLine")
  }

  private mutating func take(_ fields: NDJSONLine) throws {
    guard known == nil else { return skipped.add("furtherHeader") }
    guard fields.version == Self.version else {
      throw CaptureError(
        file: scanner.source.name, place: "line \(scanner.lineNumber), version",
        problem: "\(fields.version.map { "\($0)" } ?? "none") is not known, \(Self.version) is",
        remedy: "Read it with the version of uwb that wrote it, and convert it to SigMF.")
    }
    known = CaptureHeader(
      format: "ndjson", profile: fields.profile ?? RadioName.dw1000,
      array: try SigMFReader.array(
        positions: fields.antennaPositions, carrier: fields.carrier, file: scanner.source.name,
        prefix: "line \(scanner.lineNumber), "),
      notes: fields.notes, hasPhase: fields.hasPhase ?? true)
  }
}
