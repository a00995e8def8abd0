import Foundation
import UWBTypes

/// The data file of a recording, read in blocks: CIRs borrow a block, which is read into again once the last of them is gone. A
/// file of any length takes the memory of a few blocks.
///
/// Read, not mapped: a mapped file that becomes shorter ends the process (SIGBUS). Here it ends the samples.
struct SampleFile {
  /// Bytes of the samples when the file was opened.
  let byteCount: Int
  /// Where they lie.
  let file: FilePart

  private let first: Int
  private let descriptor: FileDescriptor
  private var block: (storage: TapStorage, range: Range<Int>)?
  private var pool = TapStoragePool(capacity: 64)
  private static let blockByteCount = 256 << 10

  /// Opens the file.
  ///
  /// - Throws: `CaptureError` where it is missing or may not be read.
  init(_ file: FilePart) throws {
    self.file = file
    let number = open(file.path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else {
      throw CaptureError(
        file: file.path, problem: "can't be opened: \(String(cString: strerror(errno)))",
        remedy: "A recording is two files, .sigmf-meta and .sigmf-data: keep both in one folder.")
    }
    descriptor = FileDescriptor(number)
    var status = stat()
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw CaptureError(file: file.path, problem: "is not a regular file", remedy: "Name the recording's two files.")
    }
    let size = Int(status.st_size)
    first = min(file.range?.lowerBound ?? 0, size)
    byteCount = min(file.range?.upperBound ?? size, size) - first
  }

  /// Memory that holds `range` of the samples, and where the range starts in it; `nil` where the file ends before.
  ///
  /// - Throws: `CaptureError` where the file can't be read.
  mutating func bytes(_ range: Range<Int>) throws -> (storage: TapStorage, offset: Int)? {
    guard range.lowerBound >= 0, range.upperBound <= byteCount, !range.isEmpty else { return nil }
    if let block, block.range.lowerBound <= range.lowerBound, range.upperBound <= block.range.upperBound {
      return (block.storage, range.lowerBound - block.range.lowerBound)
    }
    // Who reads on gets a whole block; who jumps gets what was asked for, so that jumps cost no more than that.
    let readsOn = block.map { $0.range.contains(range.lowerBound) || $0.range.upperBound == range.lowerBound } ?? false
    let wanted = readsOn ? min(max(range.count, Self.blockByteCount), byteCount - range.lowerBound) : range.count
    block = nil
    let storage = pool.storage(byteCount: wanted)
    let count = try storage.withMutableBytes { try read(wanted, from: range.lowerBound, into: $0) }
    guard count >= range.count else { return nil }
    block = (storage, range.lowerBound..<range.lowerBound + count)
    return (storage, 0)
  }

  /// Bytes that were there, at most `wanted`.
  private func read(_ wanted: Int, from start: Int, into target: UnsafeMutableRawBufferPointer) throws -> Int {
    var filled = 0
    while filled < wanted {
      let count = pread(
        descriptor.number, target.baseAddress.map { $0 + filled }, wanted - filled, off_t(first + start + filled))
      if count == 0 { break }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw CaptureError(
          file: file.path, place: "byte \(first + start + filled)",
          problem: "can't be read: \(String(cString: strerror(errno)))", remedy: "Check that its disk is still there.")
      }
      filled += count
    }
    return filled
  }
}
