import Foundation

/// The files of a recording, `NAME.sigmf-meta` and `NAME.sigmf-data`, and those that hold several: an archive
/// (`NAME.sigmf`), a collection (`NAME.sigmf-collection`).
struct SigMFPaths: Equatable {
  static let archiveEnding = ".sigmf"
  static let collectionEnding = ".sigmf-collection"
  static let endings = [".sigmf-meta", ".sigmf-data", collectionEnding, archiveEnding]

  let base: String

  var metadata: String { base + ".sigmf-meta" }
  var data: String { base + ".sigmf-data" }
  var collection: String { base + Self.collectionEnding }
  var archive: String { base + Self.archiveEnding }

  /// The recording that `path` names: by any of its files or by their name without ending.
  init(_ path: String) {
    let ending = Self.endings.first { path.hasSuffix($0) }
    base = String(path.dropLast(ending?.count ?? 0))
  }

  /// The last name of a path. (NSString's `lastPathComponent` crashes on a name that ends in some hundred slashes.)
  static func lastName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

  /// The path of `name` in the folder of `path`.
  static func path(of name: String, beside path: String) -> String {
    (path.lastIndex(of: "/").map { path[...$0] } ?? "") + name
  }

  /// Whether `path` names a recording: by its ending, or because both files are there and none is called `path`.
  static func isRecording(_ path: String) -> Bool {
    let paths = SigMFPaths(path)
    guard paths.base == path else { return true }
    let files = FileManager.default
    guard !files.fileExists(atPath: path) else { return false }
    return files.fileExists(atPath: paths.metadata) && files.fileExists(atPath: paths.data)
      || files.fileExists(atPath: paths.collection)
  }

  /// Whether `path` names the collection rather than the recording of this name.
  ///
  /// - Throws: `CaptureError` for a name without ending where both are there.
  func isCollection(_ path: String) throws -> Bool {
    guard path == base else { return path.hasSuffix(Self.collectionEnding) }
    let files = FileManager.default
    guard files.fileExists(atPath: collection) else { return false }
    guard !files.fileExists(atPath: metadata) else {
      throw CaptureError(
        file: path, problem: "\(metadata) and \(collection) are both there", remedy: "Name one of them, ending and all."
      )
    }
    return true
  }

  /// The files that `path` stands for, those of a collection's recordings included.
  static func files(_ path: String) -> [String] {
    if path.hasSuffix(archiveEnding) { return [path] }
    let paths = SigMFPaths(path)
    guard (try? paths.isCollection(path)) != false,
      let recordings = try? SigMFCollection.recordings(paths.collection).found
    else {
      return [paths.metadata, paths.data]
    }
    return [paths.collection] + recordings.flatMap { [$0.metadata.path, $0.data.path] }
  }
}

/// Where a recording's two parts lie: files of their own, or members of an archive.
struct SigMFRecording: Equatable {
  var name: String
  var metadata: FilePart
  var data: FilePart
  /// SHA-512 of the metadata as a collection states it; `nil` where it states none.
  var metadataHash: String?

  init(name: String, metadata: FilePart, data: FilePart) {
    self.name = name
    self.metadata = metadata
    self.data = data
  }

  init(_ paths: SigMFPaths, metadataHash: String? = nil) {
    self.init(
      name: paths.base, metadata: FilePart(path: paths.metadata), data: FilePart(path: paths.data))
    self.metadataHash = metadataHash
  }

  /// Where something was passed over.
  var place: String { Self.place(name) }
  static func place(_ name: String) -> String { "recording “\(SigMFPaths.lastName(name))”" }

  /// Whether the metadata are those that the collection means; `nil` where it doesn't say.
  func metadataFit() throws -> Bool? {
    try metadataHash.map { try SHA512.hexadecimal(of: metadata) == $0.lowercased() }
  }
}
