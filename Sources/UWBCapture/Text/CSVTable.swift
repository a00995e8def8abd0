import Foundation

/// A table with a header line, as spreadsheets write it (RFC 4180): fields between commas, quoted where they hold a
/// comma or a quote. A field may not hold a line's end: captures come line by line.
public struct CSVTable {
  /// One line of the table, under the header.
  public struct Row {
    /// Line of the file, from 1.
    public var line: Int
    public var fields: [String]
    /// Whether the line's end was there; a table that was cut has a last row without one.
    public var isTerminated = true

    /// The number in column `index`; `nil` where the field is empty, absent or none.
    public func number(_ index: Int?) -> Double? {
      guard let index, fields.indices.contains(index) else { return nil }
      return Double(fields[index].trimmingCharacters(in: .whitespaces))
    }
  }

  /// The column names, blanks round them taken off.
  public let header: [String]
  private var lines: LineScanner

  /// Reads the header; lines before it that begin with # are comments.
  ///
  /// - Throws: `CaptureError` where there is none.
  public init(_ source: ByteSource) throws {
    lines = LineScanner(source)
    var header: [String] = []
    while header.isEmpty {
      guard let line = try lines.next() else {
        throw CaptureError(
          file: source.name, problem: "is empty", remedy: "Give a table whose first line names its columns.")
      }
      guard line.bytes.first != UInt8(ascii: "#"), !line.bytes.isEmpty else { continue }
      header = Self.fields(line.bytes).map { $0.trimmingCharacters(in: .whitespaces) }
    }
    // Spreadsheets like to begin a file with a byte-order mark.
    if header[0].hasPrefix("\u{FEFF}") { header[0].removeFirst() }
    self.header = header
  }

  /// Bytes read so far.
  public var bytesRead: Int { lines.bytesRead }
  /// Lines that were longer than a line can be, and passed over.
  public var tooLong: Int { lines.tooLong }

  /// The column called `name`, whatever its case.
  public func column(_ name: String) -> Int? {
    header.firstIndex { $0.caseInsensitiveCompare(name) == .orderedSame }
  }

  /// The next row that is not empty, or `nil` at the end.
  public mutating func next() throws -> Row? {
    while let line = try lines.next() {
      if line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) || line.bytes.first == UInt8(ascii: "#") { continue }
      return Row(line: lines.lineNumber, fields: Self.fields(line.bytes), isTerminated: line.isTerminated)
    }
    return nil
  }

  private static func fields(_ line: UnsafeBufferPointer<UInt8>) -> [String] {
    var fields: [String] = []
    var field: [UInt8] = []
    var isQuoted = false
    var index = 0
    while index < line.count {
      let byte = line[index]
      if byte == UInt8(ascii: "\"") {
        if isQuoted, index + 1 < line.count, line[index + 1] == byte {
          field.append(byte)
          index += 1
        } else {
          isQuoted.toggle()
        }
      } else if byte == UInt8(ascii: ","), !isQuoted {
        fields.append(String(decoding: field, as: UTF8.self))
        field.removeAll(keepingCapacity: true)
      } else {
        field.append(byte)
      }
      index += 1
    }
    fields.append(String(decoding: field, as: UTF8.self))
    return fields
  }
}
