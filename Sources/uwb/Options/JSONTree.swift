import Foundation

/// A JSON document (RFC 8259) that knows where its values stand: for small files that people write and change by hand.
///
/// Stricter than Foundation's reader: a key that is there twice, a number beyond the range of a `Double`, and nesting beyond
/// `deepest` are errors with a line. Cost O(bytes).
struct JSONTree {
  struct Node {
    var value: Value
    /// Of the first byte.
    var line: Int
  }

  indirect enum Value {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([Node])
    case object([(key: String, node: Node)])
  }

  /// Why there is no tree.
  struct Failure: Error {
    var line: Int
    var problem: String
  }

  private static let deepest = 64
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  static func parse(_ data: Data) throws(Failure) -> Node {
    var tree = JSONTree([UInt8](data))
    let node = try tree.value(depth: 0)
    tree.skipSpace()
    guard tree.position == tree.bytes.count else { throw tree.failure("something stands after the end") }
    return node
  }

  private func failure(_ problem: String) -> Failure { Failure(line: line, problem: problem) }

  private mutating func skipSpace() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
      if bytes[position] == 0x0A { line += 1 }
      position += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(Failure) -> Node {
    guard depth < Self.deepest else { throw failure("it is nested more than \(Self.deepest) deep") }
    skipSpace()
    guard position < bytes.count else { throw failure("it ends too early") }
    let start = line
    let value: Value =
      switch bytes[position] {
      case UInt8(ascii: "{"): .object(try object(depth))
      case UInt8(ascii: "["): .list(try list(depth))
      case UInt8(ascii: "\""): .text(try text())
      default: try word()
      }
    return Node(value: value, line: start)
  }

  private mutating func object(_ depth: Int) throws(Failure) -> [(key: String, node: Node)] {
    position += 1
    var fields: [(key: String, node: Node)] = []
    var seen: Set<String> = []
    if take(UInt8(ascii: "}")) { return [] }
    repeat {
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { throw failure("a key should be here") }
      let key = try text()
      guard seen.insert(key).inserted else { throw failure("the key “\(key)” is there twice") }
      guard take(UInt8(ascii: ":")) else { throw failure("a colon should follow “\(key)”") }
      fields.append((key, try value(depth: depth + 1)))
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw failure("a comma or } should be here") }
    return fields
  }

  private mutating func list(_ depth: Int) throws(Failure) -> [Node] {
    position += 1
    var items: [Node] = []
    if take(UInt8(ascii: "]")) { return [] }
    repeat { items.append(try value(depth: depth + 1)) } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw failure("a comma or ] should be here") }
    return items
  }

  /// A string; Foundation resolves its escapes.
  private mutating func text() throws(Failure) -> String {
    let start = position
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      guard bytes[position] >= 0x20 else { throw failure("a string has no end on its line") }
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < bytes.count else { throw failure("a string has no end") }
    position += 1
    let quoted = Data(bytes[start..<position])
    guard let text = try? JSONSerialization.jsonObject(with: quoted, options: .fragmentsAllowed) as? String else {
      throw failure("a string is no UTF-8 or has an unknown escape")
    }
    return text
  }

  private mutating func word() throws(Failure) -> Value {
    let start = position
    while position < bytes.count, !Self.isEnd(bytes[position]) { position += 1 }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    switch word {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: break
    }
    guard let first = bytes[start..<position].first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
      !word.lowercased().contains(where: { "xnp".contains($0) }), let number = Double(word)
    else { throw failure("“\(word.prefix(40))” is no value of JSON") }
    guard number.isFinite else { throw failure("\(word.prefix(40)) is beyond the range of numbers") }
    return .number(number)
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
      || byte == UInt8(ascii: ":")
  }
}
