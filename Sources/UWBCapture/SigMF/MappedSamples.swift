import Foundation
import UWBDSP

/// The data file of a recording, mapped into memory a window at a time: CIRs borrow it, and a window goes when the last
/// of them does, so that a file of any length takes the memory of one or two windows.
struct MappedSamples {
  /// Bytes of the file.
  let byteCount: Int

  private let path: String
  private let descriptor: FileDescriptor
  private var window: (storage: TapStorage, range: Range<Int>)?
  private static let windowByteCount = 32 << 20

  /// Opens the file.
  ///
  /// - Throws: `CaptureError` where it is missing or may not be read.
  init(path: String) throws {
    self.path = path
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else {
      throw CaptureError(
        file: path, problem: "can't be opened: \(String(cString: strerror(errno)))",
        remedy: "A recording is two files, .sigmf-meta and .sigmf-data: keep both in one folder.")
    }
    descriptor = FileDescriptor(number)
    var status = stat()
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw CaptureError(file: path, problem: "is no plain file", remedy: "Name the recording's two files.")
    }
    byteCount = Int(status.st_size)
  }

  /// Memory that holds `range` of the file, and where the range starts in it; `nil` where the file ends before.
  ///
  /// - Throws: `CaptureError` where the file can't be mapped.
  mutating func bytes(_ range: Range<Int>) throws -> (storage: TapStorage, offset: Int)? {
    guard range.lowerBound >= 0, range.upperBound <= byteCount, !range.isEmpty else { return nil }
    if let window, window.range.lowerBound <= range.lowerBound, range.upperBound <= window.range.upperBound {
      return (window.storage, range.lowerBound - window.range.lowerBound)
    }
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let start = range.lowerBound / page * page
    let length = min(max(range.upperBound - start, Self.windowByteCount), byteCount - start)
    guard let memory = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor.number, off_t(start)), memory != MAP_FAILED
    else {
      throw CaptureError(
        file: path, place: "byte \(start)", problem: "can't be mapped: \(String(cString: strerror(errno)))",
        remedy: "Copy the recording to a local disk.")
    }
    let address = Int(bitPattern: memory)
    let storage = TapStorage(borrowing: UnsafeRawBufferPointer(start: memory, count: length)) {
      munmap(UnsafeMutableRawPointer(bitPattern: address), length)
    }
    window = (storage, start..<start + length)
    return (storage, range.lowerBound - start)
  }

  private final class FileDescriptor {
    let number: Int32
    init(_ number: Int32) { self.number = number }
    deinit { close(number) }
  }
}
