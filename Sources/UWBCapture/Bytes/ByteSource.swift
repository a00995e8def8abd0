import Foundation

/// A stream of bytes read in blocks: a file, standard input, a serial port, or anything that a closure can read.
///
/// It holds one buffer of `capacity` bytes however long the stream is, and hands over what has arrived at once: on a
/// pipe it never waits to fill a block, so a live port can be read as a file is. Not thread-safe: one reader owns it.
public final class ByteSource {
  /// Reads at most the buffer's size into the buffer, blocking until there is something; 0 at the end.
  public typealias Read = (UnsafeMutableRawBufferPointer) throws -> Int

  /// Bytes that the buffer holds at first.
  public static let capacity = 256 * 1024

  /// The file's path as it was given, or `-` for standard input: what messages call it.
  public let name: String
  /// Bytes that were consumed so far.
  // One reader owns the source and never calls it while it runs: checks at run time would find nothing, line by line.
  @exclusivity(unchecked) public private(set) var bytesConsumed = 0
  /// Whether the stream has ended; what is buffered may still be there to be consumed.
  public private(set) var isAtEnd = false

  @exclusivity(unchecked) private var buffer: UnsafeMutableRawBufferPointer
  @exclusivity(unchecked) private var filled = 0..<0
  private let read: Read
  private let close: () -> Void

  /// Reads from `read`; `name` stands for it in messages.
  public init(name: String, read: @escaping Read) {
    self.name = name
    self.read = read
    close = {}
    buffer = Self.makeBuffer()
  }

  /// Hands over what `next` makes, piece by piece, until it makes `nil`.
  convenience init(name: String, making next: @escaping () throws -> [UInt8]?) {
    var piece: ArraySlice<UInt8> = []
    self.init(name: name) { target in
      while piece.isEmpty {
        guard let made = try next() else { return 0 }
        piece = made[...]
      }
      let count = min(target.count, piece.count)
      target.copyBytes(from: piece.prefix(count))
      piece = piece.dropFirst(count)
      return count
    }
  }

  /// Opens the file at `path`; `-` is standard input.
  ///
  /// - Parameter endDescriptor: a stream that is waited for (a pipe, a port) ends once this can be read from.
  /// - Throws: `CaptureError` where there is no such file, it is a directory, or it may not be read.
  public init(path: String, endDescriptor: Int32? = nil) throws {
    name = path
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.openError(path, code: errno) }
    close = { if descriptor != STDIN_FILENO { _ = Foundation.close(descriptor) } }
    var left = Self.pipeCapacity
    read = { target in
      guard let endDescriptor, Self.awaits(descriptor, orEndBy: endDescriptor) else {
        return try Self.readSome(descriptor, into: target, name: path)
      }
      // What had come until then still belongs to it.
      guard left > 0, Self.isReadable(descriptor) else { return 0 }
      let count = try Self.readSome(descriptor, into: target, name: path)
      left -= count
      return count
    }
    // Not before the file is open: an initialiser that throws half way runs no `deinit`, one whose fields are all set does.
    buffer = Self.makeBuffer()
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw CaptureError(
        file: path, problem: "is a directory, not a capture", remedy: "Name a capture, or a folder that has some in it."
      )
    }
  }

  /// Opens a file, or the part of it that `part` names.
  convenience init(_ part: FilePart) throws {
    guard let range = part.range else {
      try self.init(path: part.path)
      return
    }
    let descriptor = open(part.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.openError(part.path, code: errno) }
    let owner = FileDescriptor(descriptor)
    var position = range.lowerBound
    self.init(name: part.path) { target in
      let wanted = min(target.count, range.upperBound - position)
      guard wanted > 0 else { return 0 }
      let count = pread(owner.number, target.baseAddress, wanted, off_t(position))
      guard count >= 0 else {
        throw CaptureError(
          file: part.path, problem: "can't be read: \(String(cString: strerror(errno)))",
          remedy: "Check that its disk is still there.")
      }
      position += count
      return count
    }
  }

  deinit {
    close()
    buffer.deallocate()
  }

  /// What has been read and not consumed yet: valid until `fill` or the end of the source's life.
  public var buffered: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer[filled])
  }

  /// Marks the first `count` buffered bytes as used.
  ///
  /// - Precondition: so many bytes are buffered.
  public func consume(_ count: Int) {
    precondition(count >= 0 && count <= filled.count, "\(count) bytes of \(filled.count) buffered can't be consumed")
    filled = filled.lowerBound + count..<filled.upperBound
    bytesConsumed += count
  }

  /// Bytes that the buffer holds now.
  var capacity: Int { buffer.count }

  /// Makes the buffer hold at least so many bytes, for formats whose records are long; what is buffered stays.
  func reserve(_ byteCount: Int) {
    guard byteCount > buffer.count else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
    larger.copyMemory(from: buffered)
    filled = 0..<filled.count
    buffer.deallocate()
    buffer = larger
  }

  /// Adds what the stream has next to the buffered bytes, waiting only until there is something.
  ///
  /// - Returns: `false` at the end of the stream, or where the buffer is full.
  public func fill() throws -> Bool {
    guard !isAtEnd else { return false }
    if filled.lowerBound > 0 {
      let kept = filled.count
      if kept > 0, let base = buffer.baseAddress {
        memmove(base, base + filled.lowerBound, kept)
      }
      filled = 0..<kept
    }
    guard filled.upperBound < buffer.count else { return false }
    let count = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[filled.upperBound...]))
    precondition(
      count >= 0 && count <= buffer.count - filled.upperBound, "\(name): a read of \(count) bytes is out of range")
    isAtEnd = count == 0
    filled = 0..<filled.upperBound + count
    return count > 0
  }

  /// All that is left of the stream, for formats that are read whole.
  ///
  /// - Throws: `CaptureError` where it is longer than `limit` bytes, or can't be read.
  public func contents(limit: Int = 64 << 20) throws -> Data {
    var contents = Data()
    repeat {
      contents.append(contentsOf: buffered)
      consume(buffered.count)
      guard contents.count <= limit else {
        throw CaptureError(
          file: name, problem: "is longer than \(limit) bytes", remedy: "Check that it is the file that was meant.")
      }
    } while try fill()
    return contents
  }

  private static func makeBuffer() -> UnsafeMutableRawBufferPointer {
    .allocate(byteCount: capacity, alignment: 64)
  }

  /// No pipe holds more, bytes.
  private static let pipeCapacity = 1 << 20

  /// Waits until there is something to read, or to end for; whether it is to end.
  private static func awaits(_ descriptor: Int32, orEndBy endDescriptor: Int32) -> Bool {
    var waiting = [descriptor, endDescriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&waiting, 2, -1) < 0, errno == EINTR {}
    return waiting[1].revents != 0
  }

  private static func isReadable(_ descriptor: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) > 0
  }

  private static func readSome(
    _ descriptor: Int32, into target: UnsafeMutableRawBufferPointer, name: String
  ) throws -> Int {
    while true {
      let count = Foundation.read(descriptor, target.baseAddress, target.count)
      if count >= 0 { return count }
      let code = errno
      switch code {
      case EINTR:
        continue
      case EAGAIN:
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&waiting, 1, -1)
      case EIO where isCharacterDevice(descriptor):
        // A port whose other side has hung up says so by an input error: that is how a live stream ends.
        return 0
      default:
        throw CaptureError(
          file: name, problem: "can't be read: \(String(cString: strerror(code)))",
          remedy: "Check that it is a readable file and that its disk or port is still there.")
      }
    }
  }

  /// A terminal that has hung up no longer calls itself one (`isatty`), but it stays this.
  private static func isCharacterDevice(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
  }

  private static func openError(_ path: String, code: Int32) -> CaptureError {
    switch code {
    case ENOENT, ENOTDIR:
      CaptureError(
        file: path, problem: "there is no such file",
        remedy: path.contains(where: { "*?".contains($0) })
          ? "The shell found no file of this pattern; check its folder." : "Check the path.")
    case EACCES, EPERM:
      CaptureError(file: path, problem: "may not be read", remedy: "Ask for the right to read it (chmod +r).")
    default:
      CaptureError(
        file: path, problem: "can't be opened: \(String(cString: strerror(code)))", remedy: "Check the path.")
    }
  }
}

/// An open file, closed with its last owner.
final class FileDescriptor {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { _ = close(number) }
}

/// A file, or some bytes of it: a member of an archive.
struct FilePart: Equatable {
  var path: String
  /// `nil` for all of it.
  var range: Range<Int>?
}
