import Foundation
import NearbyUCI

/// Records UCI traffic as pcapng: link type 299, packets as on the wire, times in µs since 1970. Each packet is in the file at once.
public final class UCIRecordingWriter {
  private let path: String
  private let file: FileDescriptor

  /// Makes the file, or empties it.
  ///
  /// - Throws: `CaptureError`
  public init(path: String) throws {
    self.path = path
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.error(path, errno) }
    file = FileDescriptor(descriptor)
    let section = Self.words([UCIRecording.byteOrder, 1, .max, .max])
    let interface = Self.words([UInt32(UCIRecording.linkType), 0])
    try write(Self.block(UCIRecording.sectionHeader, section) + Self.block(1, interface))
  }

  /// Appends a packet with its time, µs.
  public func append(_ packet: UCIPacket, microseconds: UInt64) throws {
    let bytes = try packet.bytes
    let count = UInt32(bytes.count)
    let head = Self.words([
      0, UInt32(truncatingIfNeeded: microseconds >> 32), UInt32(truncatingIfNeeded: microseconds), count, count,
    ])
    try write(Self.block(6, head + bytes))
  }

  /// Type, length, body filled up to four bytes, length.
  private static func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    let length = UInt32(12 + body.count + padding.count)
    return words([type, length]) + body + padding + words([length])
  }

  private static func words(_ values: [UInt32]) -> [UInt8] {
    values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
  }

  private func write(_ bytes: [UInt8]) throws {
    let code = bytes.withUnsafeBytes { DescriptorWrite.all($0, to: file.number) }
    guard code == 0 else { throw Self.error(path, code) }
  }

  private static func error(_ path: String, _ code: Int32) -> CaptureError {
    CaptureError(
      file: path, problem: "can't be written: \(String(cString: strerror(code)))",
      remedy: "Check the folder, and that its disk has room.")
  }
}
