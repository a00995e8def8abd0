import Foundation
import NearbySimulation
import UWBCapture
import Yams

/// Scenario files in YAML (`Documentation/reference/Scenarios.md`).
package enum ScenarioFile {
  /// Whether an argument names a file of this kind rather than a built-in scenario.
  static func isNamed(by argument: String) -> Bool {
    argument.hasSuffix(".yaml") || argument.hasSuffix(".yml")
  }

  package static func read(_ path: String) throws -> RoomScenario {
    let remedy = "Documentation/reference/Scenarios.md describes the format; Scenarios/ holds examples."
    guard let text = String(data: try ByteSource(path: path).contents(limit: maximumByteCount), encoding: .utf8) else {
      throw CaptureError(file: path, problem: "can't be read as UTF-8 text", remedy: remedy)
    }
    try refuseAliases(in: text, path)
    do {
      let scenario = try YAMLDecoder().decode(RoomScenario.self, from: text)
      _ = try RoomScore(scenario)
      return scenario
    } catch let error as ScenarioError {
      throw CaptureError(
        file: path, place: YAMLProblem(text: text).place(error.place), problem: error.problem, remedy: error.remedy)
    } catch {
      let (place, problem) = YAMLProblem(text: text).describe(error)
      throw CaptureError(file: path, place: place, problem: problem, remedy: remedy)
    }
  }

  private static let maximumByteCount = 1 << 20

  /// An alias stands for all that its anchor holds: a few lines of aliases of aliases unfold to more than any memory holds.
  private static func refuseAliases(in text: String, _ path: String) throws {
    let anchors = Set(text.matches(of: /&([A-Za-z0-9_-]+)/).map(\.1))
    guard !anchors.isEmpty, let alias = text.matches(of: /\*([A-Za-z0-9_-]+)/).first(where: { anchors.contains($0.1) })
    else { return }
    let line = text[..<alias.range.lowerBound].count { $0.isNewline } + 1
    throw CaptureError(
      file: path, place: "line \(line)", problem: "“\(alias.0.prefix(40))” is an alias, which scenarios don't have",
      remedy: "Write out what it stands for.")
  }
}
