import Foundation

/// The two files of a recording: `NAME.sigmf-meta` and `NAME.sigmf-data`.
struct SigMFPaths: Equatable {
  let base: String

  var metadata: String { base + ".sigmf-meta" }
  var data: String { base + ".sigmf-data" }

  /// The recording that `path` names: by either of its files or by their name without ending.
  init(_ path: String) {
    let ending = [".sigmf-meta", ".sigmf-data"].first { path.hasSuffix($0) }
    base = String(path.dropLast(ending?.count ?? 0))
  }

  /// Whether `path` names a recording: by its ending, or because both files are there and none is called `path`.
  static func isRecording(_ path: String) -> Bool {
    let paths = SigMFPaths(path)
    guard paths.base == path else { return true }
    let files = FileManager.default
    return !files.fileExists(atPath: path) && files.fileExists(atPath: paths.metadata)
      && files.fileExists(atPath: paths.data)
  }
}
