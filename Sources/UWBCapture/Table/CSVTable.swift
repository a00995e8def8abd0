import Foundation

/// A table with a header line, as spreadsheets write it (RFC 4180): fields between commas, semicolons or tabs, quoted where
/// they hold a separator or a quote. A field may not hold a line's end: captures come line by line. UTF-16 is read, too.
public struct CSVTable {
  /// One line of the table, under the header.
  public struct Row {
    /// Line of the file, from 1.
    public internal(set) var line = 0
    /// Whether the line's end was there; a table that was cut has a last row without one.
    var isTerminated = true
    var dialect = CSVDialect()
    var cells = CSVFields()

    /// Texts of the row's cells.
    public var fields: [String] { cells.texts }
    var count: Int { cells.count }
    /// The field in column `index`; empty where there is none.
    func text(_ index: Int) -> String { index < cells.count ? cells.text(index) : "" }

    /// The number in column `index`; `nil` where the field is empty, absent or none.
    public func number(_ index: Int?) -> Double? {
      guard let index, index < cells.count else { return nil }
      return plainNumber(index) ?? dialect.number(cells.text(index))
    }

    /// The same without the dialect: `nil` for decimal commas, blanks and units, too.
    func plainNumber(_ index: Int) -> Double? { index < cells.count ? cells.plainNumber(index) : nil }

    /// Whether column `index` holds a value: not where it is empty or says `NaN`, `N/A`, `null`, `-`.
    func isPresent(_ index: Int) -> Bool {
      plainNumber(index) != nil || !CSVDialect.isAbsent(text(index))
    }

    /// Why the value in column `index` can't be used, with its place.
    func complaint(_ index: Int, _ header: [String], _ problem: String) -> String {
      let value = text(index).prefix(40)
      let hint =
        value.wholeMatch(of: /\s*[+-]?\d+,\d+\s*/) == nil ? "" : " (write a decimal point, or “;” between fields)"
      return "line \(line), column “\(header[index])”: “\(value)” \(problem)\(hint)"
    }
  }

  /// The column names, blanks round them taken off.
  public let header: [String]
  /// Whether the first line names the columns. Where it holds values, `header` is 1, 2, 3, …
  let hasNames: Bool
  private let dialect: CSVDialect
  private var lines: LineScanner
  /// A first line that is a row.
  private var ahead: Row?

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
      let names = dialect.fields(text).map { $0.trimmingCharacters(in: .whitespaces) }
      hasNames = !dialect.isRow(names)
      header = hasNames ? names : (1...names.count).map(String.init)
      if !hasNames { ahead = row(line) }
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
    var row = Row()
    return try next(into: &row) ? row : nil
  }

  /// The same in memory that is used again; false at the end.
  mutating func next(into row: inout Row) throws -> Bool {
    if let first = ahead {
      (row, ahead) = (first, nil)
      return true
    }
    while let line = try lines.next() {
      if line.bytes.first == UInt8(ascii: "#") || line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      fill(&row, line)
      return true
    }
    return false
  }

  private func row(_ line: LineScanner.Line) -> Row {
    var row = Row()
    fill(&row, line)
    return row
  }

  private func fill(_ row: inout Row, _ line: LineScanner.Line) {
    dialect.split(line.bytes, into: &row.cells)
    // Spreadsheets end rows with the separators of columns that are empty.
    while row.cells.count > header.count, row.cells.isBlank(row.cells.count - 1) { row.cells.removeLast() }
    row.line = lines.lineNumber
    row.isTerminated = line.isTerminated
    row.dialect = dialect
  }

  /// Why `row` can't be read: it has another number of fields than the header.
  func fieldCountComplaint(_ row: Row) -> String {
    "line \(row.line): \(row.count) fields under \(header.count) column names"
  }
}
