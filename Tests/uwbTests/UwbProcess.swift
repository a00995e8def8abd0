import Foundation
import TestSupport
import Testing

/// Runs the built `uwb` as a user does.
struct UwbProcess {
  let status: Int32
  let output: String
  let errors: String

  var lines: [Substring] { output.split(separator: "\n") }

  /// The JSON objects of an ndjson output.
  func events() throws -> [[String: Any]] {
    try lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require(object as? [String: Any], "no JSON object: \(line)")
    }
  }

  /// - Parameter input: bytes for standard input; `nil` for none.
  static func run(_ arguments: String..., input: Data? = nil) throws -> UwbProcess {
    try run(arguments, input: input)
  }

  /// Runs a line of the shell; `$0` is `uwb`, `$1` and on are `arguments`.
  static func shell(_ line: String, _ arguments: String...) throws -> UwbProcess {
    try run(["-c", line, executable.path] + arguments, program: URL(fileURLWithPath: "/bin/bash"))
  }

  /// - Parameter environment: variables beside those of the test's own.
  static func run(
    _ arguments: [String], input: Data? = nil, environment: [String: String] = [:], program: URL = executable
  ) throws -> UwbProcess {
    let folder = try TemporaryFolder()
    let outputFile = folder.path("stdout")
    let errorFile = folder.path("stderr")
    let inputFile = folder.path("stdin")
    for file in [outputFile, errorFile] { try Data().write(to: URL(fileURLWithPath: file)) }
    try (input ?? Data()).write(to: URL(fileURLWithPath: inputFile))

    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    // Files, not pipes: a pipe nobody empties would stop the program after 64 kB.
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: outputFile))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errorFile))
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: inputFile))
    try process.run()
    process.waitUntilExit()
    return UwbProcess(
      status: process.terminationReason == .exit ? process.terminationStatus : -1,
      output: try String(contentsOfFile: outputFile, encoding: .utf8),
      errors: try String(contentsOfFile: errorFile, encoding: .utf8))
  }

  /// Next to the test bundle, where SwiftPM puts all products.
  static var executable: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("uwb")
  }
}

/// A folder that goes when its owner goes.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("uwb-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func path(_ name: String) -> String {
    url.appendingPathComponent(name).path
  }
}

/// The public logs of a flat, for tests that need `.needsRealData("decaranging-apartment")`.
enum RealCaptures {
  static let folder = RealData.folder?.appendingPathComponent("decaranging-apartment")

  static let lineOfSight = ["1", "5", "12", "14", "34", "40"]

  static func log(_ name: String) throws -> String {
    try #require(folder).appendingPathComponent("\(name).log").path
  }

  static func allLogs() throws -> [String] {
    let folder = try #require(folder)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".log") }.sorted()
      .map { folder.appendingPathComponent($0).path }
  }
}
