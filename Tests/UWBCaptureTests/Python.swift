import Foundation
import Testing

/// The Python that files are compared with: the environment that `scripts/test` makes from `Tests/requirements.txt` and names by
/// `UWB_PYTHON`, elsewhere the `python3` on the path.
enum Python {
  private static let interpreter = ProcessInfo.processInfo.environment["UWB_PYTHON"] ?? "python3"

  /// Enabled where the packages `sigmf` and `numpy` can be imported.
  static let hasSigMF: ConditionTrait = .enabled(
    if: (try? run("import sigmf, numpy"))?.status == 0,
    "\(interpreter) has no packages sigmf and numpy: scripts/test installs them")

  /// Runs a Python program and returns what it prints; what it complains of goes to standard error.
  static func run(_ program: String, _ arguments: String...) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [interpreter, "-c", program] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
