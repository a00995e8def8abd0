import Foundation

/// The captures that a command line names: files, folders of them, and patterns that no shell has resolved.
public struct CapturePaths {
  /// In the order of the arguments; those of a folder or a pattern as people count: `2.log` before `10.log`.
  public private(set) var captures: [String] = []
  /// Files of folders that are no captures, and why.
  public private(set) var passedOver: [(path: String, problem: String)] = []

  /// What fits nothing stays as it is: opening it says what is wrong.
  ///
  /// - Parameter open: tries a folder's file as a capture; its error says why it is none.
  public init(_ arguments: [String], opening open: (String) throws -> Void = { _ = try openCapture($0) }) {
    for argument in arguments {
      for path in Self.matches(argument) {
        if FileIdentity(path)?.kind == S_IFDIR { addFolder(path, open) } else { captures.append(path) }
      }
    }
  }

  private mutating func addFolder(_ folder: String, _ open: (String) throws -> Void) {
    let files = Self.files(under: folder)
    let members = Self.members(among: files)
    let count = captures.count
    for file in files where !members.contains(file) {
      do {
        try open(file)
        captures.append(file)
      } catch {
        passedOver.append((file, (error as? CaptureError)?.problem ?? "\(error)"))
      }
    }
    if captures.count == count { captures.append(folder) }
  }

  /// How the name of the file ends that says beside a capture what the capture doesn't.
  public static let descriptionEnding = ".uwb.json"

  /// Files that belong to others: samples to their metadata, recordings to their collection, descriptions to captures.
  private static func members(among files: [String]) -> Set<String> {
    Set(
      files.flatMap { file in
        if file.hasSuffix(SigMFPaths.collectionEnding) { return Array(captureFiles(file).dropFirst()) }
        if file.hasSuffix(descriptionEnding) { return [file] }
        return file.hasSuffix(".sigmf-meta") ? [SigMFPaths(file).data] : []
      })
  }

  /// The plain files of a folder and of those in it. Hidden ones belong to the system or an editor.
  private static func files(under folder: String) -> [String] {
    let base = folder.hasSuffix("/") ? folder : folder + "/"
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return sorted(
      names.filter { !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
        .map { base + $0 }.filter { FileIdentity($0)?.kind == S_IFREG })
  }

  private static func sorted(_ paths: [String]) -> [String] {
    paths.sorted { one, other in
      let order = one.compare(other, options: [.numeric, .caseInsensitive])
      return order == .orderedSame ? one < other : order == .orderedAscending
    }
  }

  /// The files that a pattern fits; the argument itself where it is none, or fits nothing.
  private static func matches(_ argument: String) -> [String] {
    guard argument.contains(where: { "*?[".contains($0) }), FileIdentity(argument) == nil else { return [argument] }
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(argument, 0, nil, &found) == 0, let paths = found.gl_pathv else { return [argument] }
    return sorted((0..<Int(found.gl_pathc)).compactMap { paths[$0].map { String(cString: $0) } })
  }
}
