import Foundation

/// Text that is written from its start to its end: a file, or standard output.
final class TextOutput {
  private static let usualSize = 256 * 1024
  private let path: String
  private var descriptor: Int32
  /// What is to be written next.
  var bytes: [UInt8] = []

  /// Creates the file, or empties it; `-` is standard output.
  init(path: String) throws {
    self.path = path
    descriptor = path == "-" ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw error("can't be created", "Check the folder and your rights in it.") }
    bytes.reserveCapacity(Self.usualSize)
  }

  deinit {
    if descriptor >= 0, descriptor != STDOUT_FILENO { _ = Foundation.close(descriptor) }
  }

  func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// The shortest decimals that read back as the same number.
  func append(_ value: Double) {
    let text = value.description
    bytes.append(contentsOf: text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8)
  }

  func append(_ value: Float) {
    let text = value.description
    bytes.append(contentsOf: text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8)
  }

  func append(_ value: Int) {
    if value >= 0, value < 10 {
      bytes.append(UInt8(ascii: "0") + UInt8(value))
      return
    }
    let start = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes[start...].reverse()
  }

  /// Writes out what there is. To be called after each record: somebody may be waiting behind a pipe, and what a program that
  /// is killed had recorded is in the file.
  func flush() throws {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { write(descriptor, $0 + written, buffer.count - written) } ?? 0
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw error("can't be written", "Check the free space on its disk, or the pipe's reader.")
      }
      written += count
    }
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes the rest and closes the file.
  func close() throws {
    try flush()
    guard descriptor >= 0, descriptor != STDOUT_FILENO else { return }
    let result = Foundation.close(descriptor)
    descriptor = -1
    guard result == 0 else { throw error("can't be written", "Check the free space on its disk.") }
  }

  private func error(_ problem: String, _ remedy: String) -> CaptureError {
    CaptureError(file: path, problem: "\(problem): \(String(cString: strerror(errno)))", remedy: remedy)
  }
}
