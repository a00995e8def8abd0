import Foundation

/// A text file or stream, line by line, in constant memory.
public struct TextLines {
  private var scanner: LineScanner

  /// - Parameter longest: bytes of a line beyond which it is passed over.
  public init(_ source: ByteSource, longest: Int = 64 * 1024) {
    scanner = LineScanner(source, limit: longest)
  }

  /// Number of the line returned last, from 1.
  public var lineNumber: Int { scanner.lineNumber }
  /// Bytes read so far.
  public var bytesRead: Int { scanner.bytesRead }

  /// The next line without its end, or `nil` at the end.
  public mutating func next() throws -> Data? {
    try scanner.next().map { Data($0.bytes) }
  }
}
