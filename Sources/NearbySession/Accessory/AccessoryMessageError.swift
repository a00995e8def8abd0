/// What is wrong with an accessory's message. Offsets count from the start of the data, after the id byte.
public enum AccessoryMessageError: Error, Sendable, Hashable {
  /// No byte, so no id.
  case empty
  /// The data ends before what its format needs.
  case truncated(actual: Int, expected: Int)
  /// Another major version than 1, whose layout is not known.
  case unsupportedVersion(major: UInt16, minor: UInt16)
  /// A stated length below that of the oldest version.
  case statedLength(actual: UInt8, known: [UInt8], offset: Int)
  /// The accessory's role is neither controlee and responder (0) nor controller and initiator (1).
  case unknownRole(UInt8, offset: Int)
  /// The country is not two ASCII letters.
  case country([UInt8], offset: Int)
  /// A message that is its id alone carries data.
  case unexpectedData(id: UInt8, count: Int)
}

extension AccessoryMessageError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .empty:
      "an empty message"
    case .truncated(let actual, let expected):
      "\(actual) bytes where \(expected) are needed"
    case .unsupportedVersion(let major, let minor):
      "version \(major).\(minor), expected 1.x"
    case .statedLength(let actual, let known, let offset):
      "length \(actual) at offset \(offset), expected \(known.map(String.init).joined(separator: ", ")) or more"
    case .unknownRole(let role, let offset):
      "role \(role) at offset \(offset), expected 0 or 1"
    case .country(let bytes, let offset):
      "country \(bytes) at offset \(offset), expected two ASCII letters"
    case .unexpectedData(let id, let count):
      "message \(id) with \(count) bytes of data, expected none"
    }
  }
}
