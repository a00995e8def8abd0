/// What is wrong with UCI bytes, and where. Offsets count from the start of the message's payload.
public enum UCIError: Error, Sendable, Hashable {
  /// The payload ends inside a field.
  case truncated(field: String, offset: Int, needed: Int, available: Int)
  /// A value that the layout rules out.
  case invalid(field: String, offset: Int, value: UInt64)
  /// More elements, or more bytes, than the format can count.
  case tooLong(field: String, count: Int, limit: Int)
  /// A message's segments hold more than the receiver takes.
  case messageTooLong(count: Int, limit: Int)
}

extension UCIError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .truncated(let field, let offset, let needed, let available):
      "\(field) at offset \(offset) needs \(needed) bytes, \(available) are left"
    case .invalid(let field, let offset, let value):
      "\(field) at offset \(offset) can't be \(value)"
    case .tooLong(let field, let count, let limit):
      "\(field) has \(count) elements, the format counts up to \(limit)"
    case .messageTooLong(let count, let limit):
      "a message of \(count) bytes or more in segments, the limit is \(limit)"
    }
  }
}
