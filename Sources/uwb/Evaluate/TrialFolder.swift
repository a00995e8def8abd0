import Foundation

/// A folder of an evaluation's cases for other programs: samples in `<n>.<ending>`, and `<n>.json`, which says what is true of
/// them; n counts the cases from 0.
struct TrialFolder {
  private static let remedy = "Check the folder, its permissions and the disk."
  private let folder: URL
  private var count = 0

  /// - Parameter path: made where it is not there yet.
  init(_ path: String) throws {
    let folder = URL(fileURLWithPath: path, isDirectory: true)
    try WrittenFile.guarded(path, remedy: Self.remedy) {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    self.folder = folder
  }

  /// Adds one case: `write` puts its samples into the file, and returns what is true of them.
  mutating func add<Truth: Encodable>(ending: String, _ write: (FileHandle) throws -> Truth) throws {
    let data = folder.appendingPathComponent("\(count).\(ending)")
    let truth = try WrittenFile.guarded(data.path, remedy: Self.remedy) {
      try Data().write(to: data)
      let file = try FileHandle(forWritingTo: data)
      let truth = try write(file)
      try file.close()
      return truth
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let description = folder.appendingPathComponent("\(count).json")
    try WrittenFile.guarded(description.path, remedy: Self.remedy) { try encoder.encode(truth).write(to: description) }
    count += 1
  }

  /// Numbers' bit patterns as bytes, the least significant first.
  static func littleEndian<Pattern: FixedWidthInteger>(_ patterns: [Pattern]) -> Data {
    patterns.map(\.littleEndian).withUnsafeBytes { Data($0) }
  }
}
