import Foundation

/// The files that a program reads and writes, declared before it writes any: an output must not be an input.
public struct FileUse {
  /// Captures that are read; `-` is standard input.
  public var captures: [String]
  /// Other files that are read: truth, calibrations, antennas, …
  public var files: [String]
  /// Files that are written. Standard output always is one.
  public var outputs: [String]

  /// Creates one with the given values.
  public init(captures: [String] = [], files: [String?] = [], outputs: [String?] = []) {
    self.captures = captures
    self.files = files.compactMap { $0 }
    self.outputs = outputs.compactMap { $0 }
  }

  /// Holds outputs against inputs by device and number, so that links and other ways to write a path don't matter, and against
  /// each other.
  ///
  /// - Throws: `CaptureError` for an output that is an input or another output, is a folder, or whose folder is not there or may
  ///   not be written.
  public func check() throws {
    var inputs: [FileIdentity: String] = [:]
    for file in files { note(file, "is a file that is to be read", in: &inputs) }
    for capture in captures {
      for file in captureFiles(capture) + [capture] { note(file, "is the capture that is to be read", in: &inputs) }
    }
    if let standard = FileIdentity(descriptor: STDOUT_FILENO), standard.holdsData, let problem = inputs[standard] {
      throw Self.error("standard output", problem)
    }
    var targets: Set<Target> = []
    for output in outputs where output != "-" {
      let identity = FileIdentity(output)
      if let identity, let problem = inputs[identity] { throw Self.error(output, problem) }
      if let identity, identity.kind == S_IFDIR {
        throw CaptureError(file: output, problem: "is a folder", remedy: "Name a file in it.")
      }
      // Pipes and devices take what many write.
      guard identity == nil || identity?.kind == S_IFREG else { continue }
      guard targets.insert(try Target(output)).inserted else { throw Self.error(output, "is written twice") }
    }
  }

  private func note(_ path: String, _ problem: String, in inputs: inout [FileIdentity: String]) {
    let identity = path == "-" ? FileIdentity(descriptor: STDIN_FILENO) : FileIdentity(path)
    if let identity, identity.holdsData { inputs[identity] = problem }
  }

  private static func error(_ path: String, _ problem: String) -> CaptureError {
    CaptureError(file: path, problem: problem, remedy: "Choose another name for the output.")
  }

  /// Where an output will lie: its folder and its name in it.
  private struct Target: Hashable {
    let place: FileIdentity
    let name: String

    init(_ path: String) throws {
      let resolved = OutputFile.resolvingLinks(path)
      let folder = SigMFPaths.path(of: ".", beside: resolved)
      guard let identity = FileIdentity(folder), identity.kind == S_IFDIR else {
        throw CaptureError(
          file: path, problem: "its folder is not there", remedy: "Make the folder, or choose another.")
      }
      guard access(folder, W_OK | X_OK) == 0, FileIdentity(path) == nil || access(path, W_OK) == 0 else {
        throw CaptureError(file: path, problem: "may not be written", remedy: "Check the folder and your rights in it.")
      }
      place = identity
      name = SigMFPaths.lastName(resolved)
    }
  }
}
