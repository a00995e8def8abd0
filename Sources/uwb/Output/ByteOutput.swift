#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output (or a file descriptor of a test's), buffered: until enough has gathered, or until it has waited for long
/// when more is written. So the first line leaves at once.
final class ByteOutput {
  private static let flushSize = 64 * 1024
  private static let longestWait = Duration.milliseconds(20)
  private let descriptor: Int32
  private var lastFlush: ContinuousClock.Instant?
  private(set) var bytes: [UInt8] = []

  init(descriptor: Int32 = STDOUT_FILENO) {
    self.descriptor = descriptor
    bytes.reserveCapacity(2 * Self.flushSize)
  }

  /// Lets `body` append; writes out what has gathered when it is time.
  func write(_ body: (inout [UInt8]) -> Void) throws {
    body(&bytes)
    let isLate = lastFlush.map { $0.duration(to: .now) > Self.longestWait } ?? true
    if isLate || bytes.count >= Self.flushSize { try flush() }
  }

  func write(_ text: String) throws {
    try write { $0.append(contentsOf: text.utf8) }
  }

  func flush() throws {
    lastFlush = .now
    var start = 0
    while start < bytes.count {
      let written = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { DescriptorWrite.write(descriptor, $0 + start, buffer.count - start) } ?? 0
      }
      if written < 0 {
        if errno == EINTR { continue }
        let reason = String(cString: strerror(errno))
        bytes.removeAll(keepingCapacity: true)
        throw OutputError(problem: "can't write to standard output: \(reason)")
      }
      start += written
    }
    bytes.removeAll(keepingCapacity: true)
  }
}

/// `write(2)` under a name that the methods above don't hide.
private enum DescriptorWrite {
  static func write(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, start, count)
    #else
      Darwin.write(descriptor, start, count)
    #endif
  }
}

/// Why output could not be written.
struct OutputError: Error, CustomStringConvertible {
  var problem: String
  var description: String { "\(problem). Check that the disk has room and the reader of a pipe is still there." }
}
