import UWBTypes

/// Reads what `NDJSONWriter` wrote: a header, then an exchange a line. Everything comes back to the bit but samples that are
/// not finite: they are `null` there and not a number here.
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

  public init(_ source: ByteSource) {
    source.reserve(Self.maximumLineLength + 1)
    scanner = LineScanner(source, limit: Self.maximumLineLength)
  }

  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    let marks: [StaticString] = ["{\"format\":\"uwb-capture\"", "{\"exchange\":"]
    for mark in marks where ByteText.matches(mark, in: start, at: 0) { return .yes }
    return start.count < 32 ? .undecided : .no
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
      if ByteText.isBlank(text, from: 0) { continue }
      // A line whose end was lost runs into the next: the last object may still be whole.
      let start = ByteText.lastStart(of: "{\"exchange\":", in: text)
      if let start, !ByteText.isBlank(text.extracting(..<start), from: 0) { skipped.add("damagedLine") }
      guard let start = start ?? ByteText.start(of: "{\"format\":", in: text) else {
        skipped.add(line.isTerminated ? "otherLine" : "truncatedLine")
        continue
      }
      var fields = NDJSONLine()
      let bytes = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: line.bytes[start...]))
      var cursor = JSONCursor(bytes)
      samples.isUnsupported = false
      let isWhole = cursor.object { fields.take($0, &$1, &samples) } && cursor.isAtEnd()
      if isWhole, fields.format == Self.format {
        try take(fields)
        continue
      }
      if isWhole, let exchange = fields.exchange { return exchange }
      let damage = line.isTerminated ? "damagedLine" : "truncatedLine"
      skipped.add(samples.isUnsupported ? "unsupportedShape" : damage)
    }
    skipped.addTooLong(of: &scanner)
    return nil
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
