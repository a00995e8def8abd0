import Foundation
import UWBCapture

/// Files that a verb writes beside its output: pictures, pages, calibrations, exported trials.
enum WrittenFile {
  /// - Throws: `CaptureError` that names the file.
  static func write(_ text: String, to path: String) throws {
    try guarded(path) { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
  }

  /// Turns whatever goes wrong in `body` into an error that names `path`.
  static func guarded<Result>(
    _ path: String, remedy: String = "Check the folder and its permissions.", _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      throw CaptureError(file: path, problem: "can't be written", remedy: remedy)
    }
  }
}
