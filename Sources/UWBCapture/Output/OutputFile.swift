import Foundation

/// A file that is written beside its target, under a temporary name of its own, and takes the target's place whole when it is
/// complete: two writers of one target never mix, and what was there before stays until then.
///
/// Symbolic links are followed, the target's permissions are kept. Standard output (`-`, or a name of it), pipes and devices
/// are written directly. A file that was not published goes with its owner.
public final class OutputFile {
  private let path: String
  /// The file that is replaced: `path` with its last symbolic links resolved.
  private let target: String
  /// Where the bytes lie now.
  private(set) var writtenPath: String
  private var descriptor: Int32
  private var end = 0
  private let isDirect: Bool
  private var isTemporary = false

  /// Begins to write the file at `path`; `-` is standard output.
  ///
  /// - Throws: `CaptureError` where it can't be written; nothing is changed then.
  public init(path: String) throws {
    self.path = path
    writtenPath = path
    if let direct = try Self.openDirectly(path) {
      descriptor = direct
      target = path
      isDirect = true
      return
    }
    isDirect = false
    let resolved = Self.resolvingLinks(path)
    target = resolved
    if access(resolved, F_OK) == 0, access(resolved, W_OK) != 0 {
      throw Self.error(path, "may not be written", remedy: Self.folderRemedy)
    }
    (writtenPath, descriptor) = try Self.createTemporary(beside: resolved, for: path)
    isTemporary = true
  }

  deinit {
    if descriptor >= 0 { _ = Foundation.close(descriptor) }
    if isTemporary { TemporaryFiles.remove(writtenPath) }
  }

  /// Writes `bytes` behind all that was appended.
  public func append(_ bytes: UnsafeRawBufferPointer) throws {
    if isDirect {
      var rest = bytes
      while !rest.isEmpty {
        let count = try step { Foundation.write(descriptor, rest.baseAddress, rest.count) }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    } else {
      try write(bytes, at: end)
    }
    end += bytes.count
  }

  /// Appends bytes.
  public func append(_ data: Data) throws {
    try data.withUnsafeBytes { try append($0) }
  }

  /// Writes `data` from byte `position` on.
  func write(_ data: Data, at position: Int) throws {
    try data.withUnsafeBytes { try write($0, at: position) }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws {
    var written = 0
    while written < bytes.count {
      written += try step {
        pwrite(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written, off_t(position + written))
      }
    }
  }

  /// Bytes that one call of the system wrote.
  private func step(_ call: () -> Int) throws -> Int {
    while true {
      let count = call()
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.error(path, "can't be written", remedy: Self.spaceRemedy) }
      return count
    }
  }

  /// Closes the file: some disks tell only then that they are full.
  func close() throws {
    guard descriptor >= 0 else { return }
    // Before it takes the target's place, its bytes are on the disk.
    if !isDirect { fsync(descriptor) }
    let result = Foundation.close(descriptor)
    descriptor = -1
    guard result == 0 else { throw Self.error(path, "can't be written", remedy: Self.spaceRemedy) }
  }

  /// Takes the target's place, complete or not: what is written later goes there, too.
  func publish() throws {
    guard isTemporary else { return }
    guard rename(writtenPath, target) == 0 else {
      throw Self.error(path, "can't be replaced", remedy: Self.folderRemedy)
    }
    TemporaryFiles.forget(writtenPath)
    isTemporary = false
    writtenPath = target
  }

  /// Closes the file and puts it into the target's place.
  public func commit() throws {
    try close()
    try publish()
  }

  /// Closes files that belong together and puts them into their places together.
  public static func commit(_ files: [OutputFile]) throws {
    for file in files { try file.close() }
    try publish(files)
  }

  /// Publishes files that belong together, so that those of another writer do not come between.
  static func publish(_ files: [OutputFile]) throws {
    guard let first = files.first else { return }
    try TemporaryFiles.keepingAll {
      try locked(first.path) { for file in files { try file.publish() } }
    }
  }

  /// Runs `body` while no other program that asks so, too, changes files in the folder of `path`. Not to be nested.
  public static func locked<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    let folder = SigMFPaths.path(of: ".", beside: resolvingLinks(path))
    let lock = open(folder, O_RDONLY | O_CLOEXEC)
    // Some file systems know no locks: a single writer needs none.
    defer { if lock >= 0 { _ = Foundation.close(lock) } }
    if lock >= 0 { while flock(lock, LOCK_EX) != 0, errno == EINTR {} }
    return try body()
  }

  /// Writes a whole file.
  ///
  /// - Throws: `CaptureError` that names the file.
  public static func write(_ data: Data, to path: String) throws {
    let file = try OutputFile(path: path)
    try file.append(data)
    try file.commit()
  }

  /// Writes a file whole: it is replaced once everything is written.
  public static func write(_ text: String, to path: String) throws {
    try write(Data(text.utf8), to: path)
  }

  // MARK: -

  private static let folderRemedy = "Check the folder and your rights in it."
  private static let spaceRemedy = "Check the free space on its disk, or the pipe's reader."

  private static func error(_ path: String, _ problem: String, remedy: String) -> CaptureError {
    CaptureError(file: path, problem: "\(problem): \(String(cString: strerror(errno)))", remedy: remedy)
  }

  /// A descriptor for what can't be replaced: standard output by any name, pipes, devices.
  private static func openDirectly(_ path: String) throws -> Int32? {
    if path == "-" { return dup(STDOUT_FILENO) }
    guard let identity = FileIdentity(path) else { return nil }
    if let standard = [STDOUT_FILENO, STDERR_FILENO].first(where: { FileIdentity(descriptor: $0) == identity }) {
      return dup(standard)
    }
    switch identity.kind {
    case S_IFREG: return nil
    case S_IFDIR: throw CaptureError(file: path, problem: "is a folder", remedy: "Name a file in it.")
    default:
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw error(path, "can't be opened", remedy: folderRemedy) }
      return descriptor
    }
  }

  static func resolvingLinks(_ path: String) -> String {
    var path = path
    for _ in 0..<40 {
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
      path = link.hasPrefix("/") ? link : SigMFPaths.path(of: link, beside: path)
    }
    return path
  }

  private static func createTemporary(beside target: String, for path: String) throws -> (String, Int32) {
    var status = stat()
    let permissions = stat(target, &status) == 0 ? status.st_mode & 0o7777 : nil
    // Hidden, and without the target's ending: no pattern of a shell's takes it for a capture.
    let name = SigMFPaths.path(of: ".\(SigMFPaths.lastName(target).prefix(48))", beside: target)
    while true {
      let temporary = "\(name).\(String(UInt64.random(in: 0 ... .max), radix: 36)).partial"
      let descriptor = TemporaryFiles.create(temporary)
      if descriptor < 0, errno == EEXIST { continue }
      guard descriptor >= 0 else { throw error(path, "can't be created", remedy: folderRemedy) }
      if let permissions { fchmod(descriptor, permissions) }
      return (temporary, descriptor)
    }
  }
}
