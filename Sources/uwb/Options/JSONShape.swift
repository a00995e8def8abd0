import UWBCapture

/// What a JSON file may hold: names of fields, kinds and ranges of values, in one place for each file format.
indirect enum JSONShape: Sendable {
  case text
  /// Whatever the decoder takes.
  case any
  /// One of these words.
  case word([String])
  case number(ClosedRange<Double>)
  case integer(ClosedRange<Int>)
  case list(JSONShape)
  /// Fields that are absent, or null, are for the decoder to judge.
  case object([String: JSONShape])

  /// Something in a file that its shape does not allow.
  struct Misfit: Error {
    var place: String
    var problem: String
  }

  /// - Throws: `Misfit` for an unknown field, a value of another kind, or one out of range.
  func check(_ node: JSONTree.Node, at path: String = "") throws(Misfit) {
    func misfit(_ problem: String) -> Misfit {
      Misfit(place: path.isEmpty ? "line \(node.line)" : "\(path) (line \(node.line))", problem: problem)
    }
    switch (self, node.value) {
    case (_, .null), (.text, .text), (.any, _): break
    case (.word(let known), .text(let word)):
      guard known.contains(word) else { throw misfit("“\(word)” is not known\(Self.hint(word, known))") }
    case (.number(let range), .number(let number)):
      guard range.contains(number) else { throw misfit("\(number) is out of range: give \(Self.text(range))") }
    case (.integer(let range), .number(let number)):
      guard let whole = Int(exactly: number), range.contains(whole) else {
        throw misfit("\(number) is out of range: give a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
    case (.list(let shape), .list(let items)):
      for (index, item) in items.enumerated() { try shape.check(item, at: "\(path)[\(index)]") }
    case (.object(let fields), .object(let members)):
      for (key, member) in members {
        let place = path.isEmpty ? key : "\(path).\(key)"
        guard let shape = fields[key] else {
          throw Misfit(
            place: "\(place) (line \(member.line))",
            problem: "there is no field “\(key)” here\(Self.hint(key, fields.keys.sorted()))")
        }
        try shape.check(member, at: place)
      }
    default: throw misfit("it is not \(kind)")
    }
  }

  /// The name that was meant, or the known ones where none is near.
  private static func hint(_ word: String, _ known: [String]) -> String {
    Suggestion.nearest(to: word, among: known).map { " (did you mean “\($0)”?)" }
      ?? "; known ones: \(known.joined(separator: ", "))"
  }

  private var kind: String {
    switch self {
    case .text: "a text"
    case .any: "a value"
    case .word(let known): "one of \(known.joined(separator: ", "))"
    case .number: "a number"
    case .integer: "a whole number"
    case .list: "a list"
    case .object: "an object with fields"
    }
  }

  private static func text(_ range: ClosedRange<Double>) -> String { "\(range.lowerBound) to \(range.upperBound)" }
}
