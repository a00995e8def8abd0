import Foundation

/// A file that is written, with errors that say which and why.
final class OutputFile {
  private let path: String
  private var descriptor: Int32
  private var end = 0

  /// Creates the file, or empties it.
  init(path: String) throws {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw error("can't be created", remedy: "Check the folder and your rights in it.") }
  }

  deinit {
    if descriptor >= 0 { _ = Foundation.close(descriptor) }
  }

  /// Writes `bytes` behind all that was appended.
  func append(_ bytes: UnsafeRawBufferPointer) throws {
    try write(bytes, at: end)
    end += bytes.count
  }

  /// Writes `data` from byte `position` on.
  func write(_ data: Data, at position: Int) throws {
    try data.withUnsafeBytes { try write($0, at: position) }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws {
    var written = 0
    while written < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written, off_t(position + written))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw error("can't be written", remedy: "Check the free space on its disk.") }
      written += count
    }
  }

  /// Closes the file: some disks tell only then that they are full.
  func close() throws {
    guard descriptor >= 0 else { return }
    let result = Foundation.close(descriptor)
    descriptor = -1
    guard result == 0 else { throw error("can't be written", remedy: "Check the free space on its disk.") }
  }

  private func error(_ problem: String, remedy: String) -> CaptureError {
    CaptureError(file: path, problem: "\(problem): \(String(cString: strerror(errno)))", remedy: remedy)
  }
}
