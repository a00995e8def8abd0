/// Takes JSON apart into whole values, one after the other, in constant memory: what stands between brackets is found,
/// not understood, so that a metadata file of any length can be read value by value.
struct JSONStream {
  /// What stands next in the stream.
  enum Value {
    /// A whole value's bytes, valid until the stream is used again.
    case whole(UnsafeRawBufferPointer)
    /// A value longer than the source's buffer; it was passed over.
    case tooLong
    /// The stream ends inside or before the value.
    case cut
  }

  let source: ByteSource
  private var pending = 0

  init(_ source: ByteSource) {
    self.source = source
  }

  /// The next byte that is no white space, left where it is; `nil` at the end.
  mutating func peek() throws -> UInt8? {
    release()
    while true {
      let bytes = source.buffered
      if let index = bytes.firstIndex(where: { !Self.isSpace($0) }) {
        source.consume(index)
        return bytes[index]
      }
      source.consume(bytes.count)
      guard try source.fill() else { return nil }
    }
  }

  /// Passes `byte` if it stands next, white space aside.
  mutating func skip(_ byte: UInt8) throws -> Bool {
    guard try peek() == byte else { return false }
    source.consume(1)
    return true
  }

  /// Takes the next value.
  mutating func take() throws -> Value {
    guard try peek() != nil else { return .cut }
    var scanner = ValueScanner()
    var scanned = 0
    var isTooLong = false
    while true {
      if let end = scanner.end(in: source.buffered, from: &scanned) {
        let length = scanned - (end == .here ? 0 : 1)
        if isTooLong {
          source.consume(length)
          return .tooLong
        }
        pending = length
        return .whole(UnsafeRawBufferPointer(rebasing: source.buffered[..<length]))
      }
      if try source.fill() { continue }
      if source.isAtEnd { return isTooLong ? .tooLong : .cut }
      // The buffer is full of a value that has no end in it.
      isTooLong = true
      source.consume(source.buffered.count)
      scanned = 0
    }
  }

  private mutating func release() {
    if pending > 0 { source.consume(pending) }
    pending = 0
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Finds the end of one value, byte by byte.
  private struct ValueScanner {
    enum End {
      /// The byte is the value's last, or already beyond it.
      case here, before
    }

    private var depth = 0
    private var isString = false
    private var isEscaped = false
    private var isScalar = false

    /// Looks at the bytes from `position` on, and leaves it behind the last one it saw.
    mutating func end(in bytes: UnsafeRawBufferPointer, from position: inout Int) -> End? {
      guard let base = bytes.baseAddress else { return nil }
      while position < bytes.count {
        if isString, !isEscaped {
          // Most bytes stand in strings: to the next quote or backslash in one go.
          while position < bytes.count {
            let byte = base.load(fromByteOffset: position, as: UInt8.self)
            if byte == 0x22 || byte == 0x5C { break }
            position += 1
          }
          guard position < bytes.count else { return nil }
        }
        let byte = base.load(fromByteOffset: position, as: UInt8.self)
        position += 1
        if let end = end(after: byte) { return end }
      }
      return nil
    }

    private mutating func end(after byte: UInt8) -> End? {
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == 0x5C {
          isEscaped = true
        } else if byte == 0x22 {
          isString = false
          return depth == 0 ? .here : nil
        }
        return nil
      }
      switch byte {
      case 0x22 where !isScalar:
        isString = true
        return nil
      case 0x5B, 0x7B:
        depth += 1
        return nil
      case 0x5D, 0x7D:
        if depth == 0 { return .before }
        depth -= 1
        return depth == 0 ? .here : nil
      case 0x2C, 0x3A, 0x20, 0x09, 0x0A, 0x0D:
        return depth == 0 ? .before : nil
      default:
        if depth == 0 { isScalar = true }
        return nil
      }
    }
  }
}
