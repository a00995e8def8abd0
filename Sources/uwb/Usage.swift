import ArgumentParser
import Foundation
import UWBCapture

/// What the argument parser leaves open when something is wrong with a command line: the nearest name for one that is misspelt,
/// and the usage of the verb that was meant.
enum Usage {
  /// - Returns: the verb that is named, or the group of verbs, and the arguments behind its name.
  /// - Throws: `WrongUsage` for a verb that is not known, or a name that is no text.
  @discardableResult
  static func check(
    _ arguments: [String]
  ) throws -> (verb: any ParsableCommand.Type, rest: ArraySlice<String>) {
    if let position = arguments.firstIndex(where: { $0.unicodeScalars.contains("\u{FFFD}") }) {
      throw WrongUsage(
        problem:
          "Argument \(position + 1), “\(arguments[position])”, is not UTF-8 text. Rename the file, or give it by standard "
          + "input: uwb replay - < FILE", verb: Uwb.self)
    }
    var group: any ParsableCommand.Type = Uwb.self
    for (position, argument) in arguments.enumerated() {
      let verbs = group.configuration.subcommands
      guard !verbs.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return (group, arguments[position...]) }
      guard let verb = verbs.first(where: { $0._commandName == argument }) else {
        throw WrongUsage(problem: unknownVerb(argument, verbs), verb: group)
      }
      group = verb
    }
    return (group, [])
  }

  private static func unknownVerb(_ name: String, _ verbs: [any ParsableCommand.Type]) -> String {
    let known = verbs.map { $0._commandName }
    let problem = "There is no verb “\(name)”. "
    if FileManager.default.fileExists(atPath: name) {
      return problem + "To read a file, name the verb first: uwb replay \(name)"
    }
    // A verb of a group, as in `uwb ranging`.
    for group in verbs where group.configuration.subcommands.contains(where: { $0._commandName == name }) {
      return problem + "Did you mean “\(group._commandName) \(name)”?"
    }
    return problem + Suggestion.question(for: name, among: known) + "Known ones: \(known.joined(separator: ", "))."
  }

  /// For a name that is none of `known`; `listed` shows them where they are a pattern.
  static func unknown(_ kind: String, _ name: String, _ known: [String], listed: String? = nil) -> ValidationError {
    ValidationError(
      "There is no \(kind) “\(name)”. \(Suggestion.question(for: name, among: known))"
        + "Known ones: \(listed ?? known.joined(separator: ", ")).")
  }

  /// The parser's own message, and behind its first line what was meant, where it names a value or an option that is not known.
  static func explained(_ message: String, _ arguments: [String]) -> String {
    guard let hint = hint(for: message, arguments) else { return message }
    let end = message.firstIndex(of: "\n") ?? message.endIndex
    return "\(message[..<end])\n\(hint)\(message[end...])"
  }

  private static func hint(for message: String, _ arguments: [String]) -> String? {
    if let match = message.firstMatch(of: #/The value '(.*)' is invalid for .*\. Please provide one of /#) {
      // A few stand in the sentence, many on lines of their own.
      let list = message[match.range.upperBound...]
      let known = list.matches(of: /'([^' ]+)'|\n +- (.+)/).compactMap { ($0.1 ?? $0.2).map(String.init) }
      return Suggestion.nearest(to: String(match.1), among: known).map { "Did you mean “\($0)”?" }
    }
    guard let match = message.firstMatch(of: /Unknown option '(--[^']*)'$/.anchorsMatchLineEndings()) else {
      return nil
    }
    let option = String(match.1)
    let verbs = leaves(of: Uwb.self, []).filter { path, verb in
      path != Array(arguments.prefix(path.count)) && Uwb.helpMessage(for: verb).contains("\(option) ")
    }
    guard !verbs.isEmpty else { return nil }
    return "\(option) is an option of: \(verbs.map { $0.path.joined(separator: " ") }.joined(separator: ", "))."
  }

  private static func leaves(
    of command: any ParsableCommand.Type, _ path: [String]
  ) -> [(path: [String], verb: any ParsableCommand.Type)] {
    let parts = command.configuration.subcommands
    if parts.isEmpty { return [(path, command)] }
    return parts.flatMap { leaves(of: $0, path + [$0._commandName]) }
  }
}

/// A command line that makes no sense, and the verb whose usage tells how it does.
struct WrongUsage: Error {
  var problem: String
  var verb: any ParsableCommand.Type

  var text: String {
    let usage = Uwb.usageString(for: verb)
    let path = usage.prefix { !"<[".contains($0) }.trimmingCharacters(in: .whitespaces)
    return "Error: \(problem)\nUsage: \(usage)\n  See '\(path) --help' for more information."
  }
}
