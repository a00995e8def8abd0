import Foundation

/// A table with a header line, as spreadsheets write it (RFC 4180): fields between commas, semicolons or tabs, quoted where
/// they hold a separator or a quote. A field may not hold a line's end: captures come line by line. UTF-16 is read, too.
public struct CSVTable {
  /// One line of the table, under the header.
  public struct Row {
    /// Line of the file, from 1.
    public var line: Int
    public var fields: [String]
    /// Whether the line's end was there; a table that was cut has a last row without one.
    public var isTerminated = true
    var dialect = CSVDialect()

    /// The number in column `index`; `nil` where the field is empty, absent or none.
    public func number(_ index: Int?) -> Double? {
      guard let index, fields.indices.contains(index) else { return nil }
      return dialect.number(fields[index])
    }

    /// Whether column `index` holds a value: not where it is empty or says `NaN`, `N/A`, `null`, `-`.
    func isPresent(_ index: Int) -> Bool { fields.indices.contains(index) && !CSVDialect.isAbsent(fields[index]) }

    /// Why the value in column `index` can't be used, with its place.
    func complaint(_ index: Int, _ header: [String], _ problem: String) -> String {
      let value = fields.indices.contains(index) ? fields[index].prefix(40) : ""
      let hint =
        value.wholeMatch(of: /\s*[+-]?\d+,\d+\s*/) == nil ? "" : " (write a decimal point, or “;” between fields)"
      return "line \(line), column “\(header[index])”: “\(value)” \(problem)\(hint)"
    }
  }

  /// The column names, blanks round them taken off.
  public let header: [String]
  private let dialect: CSVDialect
  private var lines: LineScanner

  /// Reads the header; lines before it that begin with # are comments.
  ///
  /// - Throws: `CaptureError` where there is none, or the file is no text.
  public init(_ source: ByteSource) throws { try self.init(source, longest: 64 * 1024) }

  /// - Parameter longest: bytes of a line beyond which it is passed over.
  init(_ source: ByteSource, longest: Int) throws {
    let text = try source.prepared()
    text.reserve(longest + 1)
    lines = LineScanner(text, limit: longest)
    var declared: CSVDialect?
    while true {
      guard let line = try lines.next() else {
        throw CaptureError(
          file: source.name, problem: "has no header", remedy: "Give a table whose first line names its columns.")
      }
      guard line.bytes.first != UInt8(ascii: "#"), !line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
        continue
      }
      let text = String(decoding: line.bytes, as: UTF8.self)
      if declared == nil, let dialect = CSVDialect(declaration: text) {
        declared = dialect
        continue
      }
      dialect = declared ?? CSVDialect(header: text)
      header = dialect.fields(text).map { $0.trimmingCharacters(in: .whitespaces) }
      return
    }
  }

  /// Bytes read so far.
  public var bytesRead: Int { lines.bytesRead }
  /// Counts the lines passed over since the last call because they were longer than a line can be.
  mutating func countTooLong(in skipped: inout SkippedInput) { skipped.addTooLong(of: &lines) }

  /// The column called `name`, whatever its case.
  public func column(_ name: String) -> Int? {
    header.firstIndex { $0.caseInsensitiveCompare(name) == .orderedSame }
  }

  /// The next row that is not empty, or `nil` at the end.
  public mutating func next() throws -> Row? {
    while let line = try lines.next() {
      if line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) || line.bytes.first == UInt8(ascii: "#") { continue }
      var fields = dialect.fields(line.bytes)
      // Spreadsheets end rows with the separators of columns that are empty.
      while fields.count > header.count, fields.last?.allSatisfy(\.isWhitespace) == true { fields.removeLast() }
      return Row(line: lines.lineNumber, fields: fields, isTerminated: line.isTerminated, dialect: dialect)
    }
    return nil
  }

  /// Why `row` can't be read: it has another number of fields than the header.
  func fieldCountComplaint(_ row: Row) -> String {
    "line \(row.line): \(row.fields.count) fields under \(header.count) column names"
  }
}
