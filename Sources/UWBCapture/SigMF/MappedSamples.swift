import Foundation
import UWBDSP

/// The data file of a recording, mapped into memory a window at a time: CIRs borrow it, and a window goes when the last
/// of them does, so that a file of any length takes the memory of one or two windows.
struct MappedSamples {
  /// Bytes of the samples.
  let byteCount: Int
  /// Where they lie.
  let file: FilePart

  private var path: String { file.path }
  private let first: Int
  private let descriptor: FileDescriptor
  private var window: (storage: TapStorage, range: Range<Int>)?
  private static let windowByteCount = 32 << 20

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
      throw CaptureError(file: file.path, problem: "is no plain file", remedy: "Name the recording's two files.")
    }
    let size = Int(status.st_size)
    first = min(file.range?.lowerBound ?? 0, size)
    byteCount = min(file.range?.upperBound ?? size, size) - first
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
    let start = (first + range.lowerBound) / page * page
    let length = min(max(first + range.upperBound - start, Self.windowByteCount), first + byteCount - start)
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
    // In an archive the first page may begin before the samples do.
    window = (storage, start - first..<start - first + length)
    return (storage, range.lowerBound - (start - first))
  }

  private final class FileDescriptor {
    let number: Int32
    init(_ number: Int32) { self.number = number }
    deinit { close(number) }
  }
}
