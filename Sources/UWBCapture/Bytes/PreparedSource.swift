import Foundation

/// Where a file's bytes end too early, for a reader that yields what comes before.
final class SourceDamage {
  fileprivate(set) var reason: String?
  fileprivate(set) var place = ""

  func add(to skipped: inout SkippedInput) {
    if let reason { skipped.add(reason, at: place) }
  }
}

extension ByteSource {
  /// The source as readers want it: not empty, unpacked (gzip), text in UTF-8 without a byte-order mark.
  ///
  /// UTF-16 is told by its byte-order mark, or by the zeros between the characters of the first two.
  ///
  /// - Parameter damage: takes what is wrong with packed data; without it, that throws.
  /// - Throws: `CaptureError` for an empty stream, and for files of which it says what they are and what to do with them.
  func prepared(_ damage: SourceDamage? = nil) throws -> ByteSource {
    while buffered.count < 4, try fill() {}
    guard !buffered.isEmpty else {
      throw CaptureError(
        file: name, problem: "is empty", remedy: "Check that the recording was started and its output kept.")
    }
    if buffered.starts(with: Gunzip.magic) { return try unpacked(damage).decoded() }
    return try decoded()
  }

  private func unpacked(_ damage: SourceDamage?) throws -> ByteSource {
    let damaged = CaptureError(
      file: name, problem: "its packed data (gzip) are damaged or cut off",
      remedy: "Copy or record it again; gunzip -t FILE tells whether it is whole.")
    let source = try Gunzip(self) { reason in
      guard let damage else { throw damaged }
      damage.reason = reason.rawValue
      damage.place = "byte \(self.bytesConsumed) of the packed file"
    }.source
    while source.buffered.count < 4, try source.fill() {}
    guard !source.buffered.isEmpty else {
      guard damage?.reason == nil else { throw damaged }
      throw CaptureError(
        file: name, problem: "holds nothing, packed (gzip)",
        remedy: "Check that the recording was started and its output kept.")
    }
    if source.buffered.starts(with: Gunzip.magic) {
      throw CaptureError(
        file: name, problem: "is packed twice (gzip)", remedy: "Unpack it once: gunzip -c FILE > NEW.gz")
    }
    return source
  }

  private func decoded() throws -> ByteSource {
    // A packed file is told by its first bytes; a live stream is not held up for more.
    if let packed = ForeignContent.packed(buffered) { throw packed.error(name) }
    let start = Array(buffered.prefix(4))
    if start.starts(with: [0xEF, 0xBB, 0xBF]) {
      consume(3)
    } else if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
      consume(2)
      return UTF16Text(self, isLittleEndian: start[0] == 0xFF).source
    } else if start.count == 4, start[1] == 0, start[3] == 0, start[0] >= 0x20, start[2] >= 0x20 {
      return UTF16Text(self, isLittleEndian: true).source
    } else if start.count == 4, start[0] == 0, start[2] == 0, start[1] >= 0x20, start[3] >= 0x20 {
      return UTF16Text(self, isLittleEndian: false).source
    }
    return self
  }
}
