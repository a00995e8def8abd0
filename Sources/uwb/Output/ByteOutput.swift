import Foundation
import UWBCapture

/// Standard output (or a file descriptor of a test's, or somebody else who takes bytes), buffered: until enough has gathered, or until
/// it has waited for long when more is written. So the first line leaves at once.
final class ByteOutput {
  private enum Destination {
    case descriptor(Int32)
    case consumer(([UInt8]) -> Void)
    /// Nobody: `take` asks for what has gathered.
    case held
  }

  private static let flushSize = 64 * 1024
  private static let longestWait = Duration.milliseconds(20)
  private let destination: Destination
  private var lastFlush: ContinuousClock.Instant?
  private(set) var bytes: [UInt8] = []

  private init(_ destination: Destination) {
    self.destination = destination
    bytes.reserveCapacity(2 * Self.flushSize)
  }

  convenience init(descriptor: Int32 = STDOUT_FILENO) { self.init(.descriptor(descriptor)) }

  /// - Parameter consumer: gets whole lines where whole lines are written
  convenience init(to consumer: @escaping ([UInt8]) -> Void) { self.init(.consumer(consumer)) }

  /// One that keeps what it is given until `take`.
  static func held() -> ByteOutput { ByteOutput(.held) }

  /// What has gathered, which is no longer here afterwards.
  func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  /// Lets `body` append; writes out what has gathered when it is time.
  func write(_ body: (inout [UInt8]) -> Void) throws {
    body(&bytes)
    let isLate = lastFlush.map { $0.duration(to: .now) > Self.longestWait } ?? true
    if isLate || bytes.count >= Self.flushSize { try flush() }
  }

  /// Text for people: what steers a terminal is written out.
  func write(_ text: String) throws {
    let text = text.printable(keepingLines: true)
    try write { $0.append(contentsOf: text.utf8) }
  }

  func flush() throws {
    lastFlush = .now
    var code: Int32 = 0
    switch destination {
    case .held: return
    case .consumer(let consumer): if !bytes.isEmpty { consumer(bytes) }
    case .descriptor(let descriptor):
      code =
        descriptor == STDOUT_FILENO && Terminal.isShared && !bytes.isEmpty
        ? StatusLine.stepAside(forOutputEnding: bytes.last == UInt8(ascii: "\n")) { write(to: descriptor) }
        : write(to: descriptor)
    }
    bytes.removeAll(keepingCapacity: true)
    guard code == 0 else {
      throw OutputError(problem: "can't write to standard output: \(String(cString: strerror(code)))")
    }
  }

  private func write(to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { DescriptorWrite.all($0, to: descriptor) }
  }

  /// Columns of the terminal that this goes to; `nil` where it goes elsewhere.
  var width: Int? {
    guard case .descriptor(STDOUT_FILENO) = destination else { return nil }
    return Terminal.outputWidth
  }

  /// What was gathered is not lost where an error ends the verb.
  deinit { try? flush() }

  /// Writes `text` and all that was gathered: a verb's whole output.
  static func write(_ text: String) throws {
    let output = ByteOutput()
    try output.write(text)
    try output.flush()
  }
}

/// Why output could not be written.
struct OutputError: Error, CustomStringConvertible {
  var problem: String
  var description: String { "\(problem). Check that the disk has room and the reader of a pipe is still there." }
}
