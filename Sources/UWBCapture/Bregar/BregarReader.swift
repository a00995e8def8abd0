import UWBTypes

/// The multi-room set of K. Bregar (Zenodo 7629141; DW1000, six channels): one `data.json` an environment, in constant memory.
///
///     {"path":[…],"anchors":[…],"channels":[…],"measurements":{"1.20_3.40_1.20":{"A1":{"ch5":[{record},…],…},…},…}}
///
/// A record is one reception: `tag_id` and `anchor_id`, places of both (m) whose distance becomes the truth with `nlos`, the devices' own
/// `range` (m), the chip's registers, and `cir`, complex numbers as Python writes them (`"(12-7j)"`), which are divided by `rxpacc`. There is
/// no clock: records come in the file's order. Power registers, rates and channel numbers have no place in an exchange.
///
/// `skipped` counts: `damagedRecord`, `recordTooLong` (more than 256 kB), `firstPathOutside` (the exchange is yielded without the chip's
/// first path), `outOfRange`, `truncatedFile` (it ends inside, or its brackets don't fit: nothing after that place is read).
struct BregarReader: CaptureReader {
  /// Levels of the objects round a list of records: measurements, point, anchor.
  private static let maximumDepth = 3

  let header = CaptureHeader(
    format: "bregar", profile: RadioName.dw1000,
    notes: [
      "CIRs of single receptions: no clock and no timestamps, so no distance of the engine's",
      "records of several channels follow each other; phases of different channels don't compare",
    ])
  private(set) var skipped = SkippedInput()
  private var stream: JSONStream
  private var record = BregarRecord()
  private var count = 0
  /// How many objects are open, the file's own not counted.
  private var depth = 0
  private var isInList = false
  /// Whether nothing has come yet since the bracket that was opened last.
  private var isFirst = true
  private var isAtEnd = false

  /// - Throws: `CaptureError` where the file holds no `measurements`.
  init(_ source: ByteSource) throws {
    stream = JSONStream(source)
    guard try SigMFReader.seek("measurements", in: &stream), try stream.skip(0x7B) else {
      throw CaptureError(
        file: source.name, place: "measurements", problem: "holds no object of that name",
        remedy: "Give an environment's data.json as the data set has it.")
    }
    depth = 1
  }

  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    start.withUnsafeBufferPointer { bytes in
      var cursor = JSONCursor(UnsafeRawBufferPointer(bytes))
      if cursor.isAtEnd() { return .undecided }
      var known = 0
      var isOther = false
      _ = cursor.object { key, cursor in
        if key.matches("measurements") { known += 1 }
        if key.matches("anchors") || key.matches("channels") { known += 1 }
        isOther = isOther || key.matches("format") || key.matches("exchange")
        return known < 2 && !isOther && cursor.skipValue()
      }
      if known == 2 { return .yes }
      return isOther || !cursor.isAtEnd() ? .no : .undecided
    }
  }

  var bytesRead: Int { stream.source.bytesConsumed }

  mutating func next() throws -> RangingExchange? {
    while !isAtEnd {
      if try close() { continue }
      if !isFirst, try !stream.skip(0x2C) { return cut() }
      isFirst = false
      if isInList {
        if let exchange = try nextRecord() { return exchange }
      } else if try !open() {
        return cut()
      }
    }
    return nil
  }

  /// Passes the bracket that closes what is open.
  private mutating func close() throws -> Bool {
    guard try stream.skip(isInList ? 0x5D : 0x7D) else { return false }
    if isInList { isInList = false } else { depth -= 1 }
    isFirst = false
    isAtEnd = depth == 0
    return true
  }

  /// Passes a field's name and the bracket that opens its value.
  private mutating func open() throws -> Bool {
    guard case .whole = try stream.take(), try stream.skip(0x3A) else { return false }
    if try stream.skip(0x5B) {
      isInList = true
    } else {
      guard depth < Self.maximumDepth, try stream.skip(0x7B) else { return false }
      depth += 1
    }
    isFirst = true
    return true
  }

  private mutating func nextRecord() throws -> RangingExchange? {
    switch try stream.take() {
    case .cut: return cut()
    case .tooLong: pass("recordTooLong")
    case .whole(let bytes):
      guard let reception = record.reception(bytes) else {
        pass("damagedRecord")
        return nil
      }
      guard reception.isInRange else {
        pass("outOfRange")
        return nil
      }
      if record.isFirstPathOutside { pass("firstPathOutside") }
      defer { count += 1 }
      return reception.rangingExchange(index: count, time: 0)
    }
    return nil
  }

  private mutating func cut() -> RangingExchange? {
    isAtEnd = true
    pass("truncatedFile")
    return nil
  }

  private mutating func pass(_ reason: String) {
    let source = stream.source
    skipped.add(reason, at: "byte \(source.bytesConsumed)")
  }
}
