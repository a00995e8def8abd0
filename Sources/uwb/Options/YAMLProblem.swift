import Foundation
import UWBCapture
import Yams

/// What is wrong with a YAML file, in words for whoever wrote it, with the line and the column.
struct YAMLProblem {
  private let text: String

  init(text: String) { self.text = text }

  /// What a decoder found wrong.
  func describe(_ error: any Error) -> (place: String?, problem: String) {
    switch error {
    case let error as YamlError: return syntax(error)
    case DecodingError.keyNotFound(let key, let context):
      return (place(context.codingPath, "\(key.stringValue)"), "is missing")
    case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
      return (place(context.codingPath), "\(value(context.codingPath))is not \(Self.kind(type))")
    case DecodingError.dataCorrupted(let context):
      if let cause = context.underlyingError { return describe(cause) }
      return (place(context.codingPath), described(context))
    default: return (nil, "can't be read as YAML")
    }
  }

  /// A place such as `devices.anna.motion` or `events[2].at_s`, with its line and column.
  func place(_ dotted: String) -> String {
    let steps = dotted.replacing("[", with: ".").replacing("]", with: "").split(separator: ".").map(String.init)
    return marked(dotted, steps)
  }

  private func place(_ path: [any CodingKey], _ missing: String? = nil) -> String? {
    let steps = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
    var shown = ""
    for key in path {
      shown += key.intValue.map { "[\($0)]" } ?? (shown.isEmpty ? key.stringValue : ".\(key.stringValue)")
    }
    if let missing { shown += shown.isEmpty ? missing : ".\(missing)" }
    return shown.isEmpty ? nil : marked(shown, steps)
  }

  private func marked(_ shown: String, _ steps: [String]) -> String {
    guard let mark = node(steps).mark else { return shown }
    return "line \(mark.line), column \(mark.column), \(shown)"
  }

  /// The scalar at a path, quoted, and a blank.
  private func value(_ path: [any CodingKey]) -> String {
    let found = node(path.map { $0.intValue.map(String.init) ?? $0.stringValue })
    guard found.isWhole, let scalar = found.node?.scalar?.string else { return "" }
    return "“\(scalar.prefix(40))” "
  }

  /// What lies at the end of `steps`, or as far as they lead.
  private func node(_ steps: [String]) -> (node: Node?, mark: Mark?, isWhole: Bool) {
    guard var node = try? Yams.compose(yaml: text) else { return (nil, nil, false) }
    var mark: Mark?
    for step in steps {
      if let mapping = node.mapping, let pair = mapping.first(where: { $0.key.scalar?.string == step }) {
        mark = pair.key.mark
        node = pair.value
      } else if let sequence = node.sequence, let item = Self.item(step, of: sequence) {
        mark = item.mark
        node = item
      } else {
        return (node, mark, false)
      }
    }
    return (node, mark ?? node.mark, true)
  }

  /// By its number, or by its name.
  private static func item(_ step: String, of sequence: Node.Sequence) -> Node? {
    if let index = Int(step) { return sequence.indices.contains(index) ? sequence[index] : nil }
    return sequence.first { $0.mapping?["name"]?.scalar?.string == step }
  }

  private func described(_ context: DecodingError.Context) -> String {
    let text = context.debugDescription
    // The format's own words begin so; others are a library's.
    guard text.hasPrefix("is ") else {
      let value = value(context.codingPath)
      return value.isEmpty ? "is not of the right kind or length" : "\(value)is none of the values that are known here"
    }
    guard let key = context.codingPath.last?.stringValue, let list = text.firstMatch(of: /known ones are (.*)/) else {
      return text
    }
    guard let meant = Suggestion.nearest(to: key, among: list.1.split(separator: ", ").map(String.init)) else {
      return text
    }
    return "is no key here (did you mean “\(meant)”?); known ones are \(list.1)"
  }

  private static func kind(_ type: any Any.Type) -> String {
    switch type {
    case is any BinaryFloatingPoint.Type: "a number"
    case is any BinaryInteger.Type: "a whole number"
    case is Bool.Type: "true or false"
    case is String.Type: "text"
    default: "\(type)".hasPrefix("Array") ? "a list, as in [1, 2, 3]" : "what is expected here: see the format"
    }
  }

  private func syntax(_ error: YamlError) -> (place: String?, problem: String) {
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let begin = context.map { $0.mark.line < mark.line ? " (in what line \($0.mark.line) begins)" : "" } ?? ""
      return ("line \(mark.line), column \(mark.column)", Self.words(problem) + begin)
    case .duplicatedKeysInMapping(let duplicates, let context):
      return (
        "line \(context.mark.line), column \(context.mark.column)",
        "the key \(duplicates.map { "“\($0)”" }.joined(separator: ", ")) is there twice"
      )
    case .reader(_, let offset, _, _):
      return (offset.map { "byte \($0)" }, "a character that YAML does not allow")
    default: return (nil, "can't be read as YAML")
    }
  }

  /// For each problem that the parser knows: what to look for.
  private static func words(_ problem: String) -> String {
    let known: [(String, String)] = [
      ("mapping values are not allowed", "a second “:” on the line, or a line that is indented too far"),
      ("did not find expected ',' or ']'", "a list in [ ] lacks a comma or its ]"),
      ("did not find expected ',' or '}'", "a mapping in { } lacks a comma or its }"),
      ("tab character", "a tab indents the line: indent with blanks"),
      ("cannot start any token", "a tab, or a character that has to be quoted, begins a value: indent with blanks"),
      ("expected ':'", "a “:” and a blank are missing behind a key"),
      ("did not find expected key", "a key is expected here: check the indentation of this line and those before"),
      ("did not find expected '-' indicator", "a “-” is expected here: check the indentation of the list"),
      ("block sequence entries are not allowed", "a “-” can't stand here: begin the list on a line of its own"),
      ("unexpected end of stream", "a quote or a bracket is not closed"),
      ("undefined alias", "an alias (*name) without its anchor (&name)"),
      ("control characters are not allowed", "a control character"),
    ]
    return known.first { problem.contains($0.0) }?.1 ?? "is not YAML here"
  }
}
