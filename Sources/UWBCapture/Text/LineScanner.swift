import Foundation

/// Splits a `ByteSource` into lines where they lie in its buffer: no copy, and no line longer than `limit` is kept.
///
/// Lines end with LF; a CR before it is taken off. Any other byte, NUL too, is part of the line. A line of more than
/// `limit` bytes, its CR included, is passed over in constant memory and counted in `tooLong`.
struct LineScanner {
  /// One line, without its end. Its bytes are valid until the scanner is used again.
  struct Line {
    var bytes: UnsafeBufferPointer<UInt8>
    /// Whether the line's end was there; only a stream that was cut has a last line without one.
    var isTerminated: Bool
  }

  let source: ByteSource
  let limit: Int
  /// Number of the line returned last, counted from 1.
  private(set) var lineNumber = 0
  /// Lines passed over because they were longer than `limit`.
  private(set) var tooLong = 0
  /// Those of them that `takeTooLong` has not told yet, and the number of the first.
  private var untold = (count: 0, line: 0)

  private var searched = 0
  private var pending = 0

  init(_ source: ByteSource, limit: Int = 64 * 1024) {
    precondition(limit > 0 && limit < source.capacity, "a line limit of \(limit) bytes does not fit the buffer")
    self.source = source
    self.limit = limit
  }

  /// Bytes that were passed, the end of the line returned last included.
  var bytesRead: Int { source.bytesConsumed + pending }

  /// The unread bytes that are buffered, for a caller that can use many lines at once; it says how much it used with
  /// `skip`.
  var unread: UnsafeBufferPointer<UInt8> {
    mutating get {
      release()
      return source.buffered.bindMemory(to: UInt8.self)
    }
  }

  /// Passes `byteCount` bytes that hold `lineCount` whole lines.
  mutating func skip(byteCount: Int, lineCount: Int) {
    release()
    source.consume(byteCount)
    searched = 0
    lineNumber += lineCount
  }

  /// The next line, or `nil` at the end.
  mutating func next() throws -> Line? {
    release()
    var isOverlong = false
    while true {
      let bytes = source.buffered.bindMemory(to: UInt8.self)
      if let end = Self.index(of: 0x0A, in: bytes, from: searched) {
        if isOverlong || end > limit {
          passOver()
          source.consume(end + 1)
          searched = 0
          isOverlong = false
          continue
        }
        return take(bytes, end: end, isTerminated: true)
      }
      searched = bytes.count
      if isOverlong || searched > limit {
        isOverlong = true
        source.consume(searched)
        searched = 0
      }
      if try source.fill() { continue }
      guard isOverlong || !source.buffered.isEmpty else { return nil }
      if isOverlong {
        passOver()
        return nil
      }
      return take(source.buffered.bindMemory(to: UInt8.self), end: searched, isTerminated: false)
    }
  }

  private mutating func passOver() {
    lineNumber += 1
    tooLong += 1
    untold = (untold.count + 1, untold.count == 0 ? lineNumber : untold.line)
  }

  /// How many lines were passed over since the last call, and the number of the first of them; `nil` where there were none.
  mutating func takeTooLong() -> (count: Int, line: Int)? {
    guard untold.count > 0 else { return nil }
    defer { untold = (0, 0) }
    return untold
  }

  private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, end: Int, isTerminated: Bool) -> Line {
    let hasReturn = end > 0 && bytes[end - 1] == 0x0D
    lineNumber += 1
    pending = isTerminated ? end + 1 : end
    searched = 0
    // A CR is half of a line's end: what comes before it is whole, even where the LF was cut off.
    return Line(
      bytes: UnsafeBufferPointer(rebasing: bytes[..<(hasReturn ? end - 1 : end)]),
      isTerminated: isTerminated || hasReturn)
  }

  // The line returned last stays in the buffer until the next call, so that its bytes stay valid.
  private mutating func release() {
    guard pending > 0 else { return }
    source.consume(pending)
    pending = 0
  }

  private static func index(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard let base = bytes.baseAddress, start < bytes.count,
      let found = memchr(base + start, Int32(byte), bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }
}
