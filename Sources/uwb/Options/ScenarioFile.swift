import Foundation
import NearbySimulation
import UWBCapture
import Yams

/// Scenario files in YAML (`Documentation/Scenarios.md`).
enum ScenarioFile {
  /// Whether an argument names a file of this kind rather than a built-in scenario.
  static func isNamed(by argument: String) -> Bool {
    argument.hasSuffix(".yaml") || argument.hasSuffix(".yml")
  }

  static func read(_ path: String) throws -> RoomScenario {
    let remedy = "Documentation/Scenarios.md describes the format; Scenarios/ holds examples."
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw CaptureError(file: path, problem: "can't be read as UTF-8 text", remedy: "Check the path.")
    }
    do {
      let scenario = try YAMLDecoder().decode(RoomScenario.self, from: text)
      _ = try RoomScore(scenario)
      return scenario
    } catch let error as ScenarioError {
      throw CaptureError(file: path, place: error.place, problem: error.problem, remedy: error.remedy)
    } catch let error as DecodingError {
      throw captureError(error, path, remedy)
    } catch {
      throw CaptureError(file: path, problem: "is not YAML: \(error)", remedy: remedy)
    }
  }

  private static func captureError(_ error: DecodingError, _ path: String, _ remedy: String) -> CaptureError {
    func place(_ codingPath: [any CodingKey]) -> String? {
      codingPath.isEmpty
        ? nil
        : codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
          .replacingOccurrences(of: ".[", with: "[")
    }
    switch error {
    case .keyNotFound(let key, let context):
      return CaptureError(file: path, place: place(context.codingPath + [key]), problem: "is missing", remedy: remedy)
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return CaptureError(
        file: path, place: place(context.codingPath), problem: "is not of the right kind", remedy: remedy)
    case .dataCorrupted(let context):
      // The decoder wraps what YAML itself found.
      let problem = context.underlyingError.map { "\($0)" } ?? context.debugDescription
      return CaptureError(file: path, place: place(context.codingPath), problem: problem, remedy: remedy)
    @unknown default:
      return CaptureError(file: path, problem: "\(error)", remedy: remedy)
    }
  }
}
