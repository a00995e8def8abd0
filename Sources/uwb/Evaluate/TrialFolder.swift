import Foundation
import UWBCapture

/// A folder of an evaluation's cases for other programs: samples in `<n>.<ending>`, and `<n>.json`, which says what is true of
/// them; n counts the cases from 0.
struct TrialFolder {
  private let path: String
  private var count = 0

  /// - Parameters:
  ///   - path: made where it is not there yet.
  ///   - inputs: files that are read meanwhile, of which none may be replaced.
  init(_ path: String, inputs: [String?] = []) throws {
    self.path = path
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw CaptureError(
        file: path, problem: "can't be made a folder", remedy: "Check the folder, its permissions and the disk.")
    }
    let cases = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.first?.isNumber == true }
    try FileUse(files: inputs, outputs: cases.map { "\(path)/\($0)" }).check()
  }

  /// Adds one case: `write` puts its samples into the file, and returns what is true of them.
  mutating func add<Truth: Encodable>(ending: String, _ write: (OutputFile) throws -> Truth) throws {
    let data = try OutputFile(path: "\(path)/\(count).\(ending)")
    let truth = try write(data)
    let description = try OutputFile(path: "\(path)/\(count).json")
    try description.append(try JSONFile.encode(truth))
    try OutputFile.commit([data, description])
    count += 1
  }

  /// Numbers' bit patterns as bytes, the least significant first.
  static func littleEndian<Pattern: FixedWidthInteger>(_ patterns: [Pattern]) -> Data {
    patterns.map(\.littleEndian).withUnsafeBytes { Data($0) }
  }
}
