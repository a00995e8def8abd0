import Foundation

/// `write(2)` until all is written.
package enum DescriptorWrite {
  /// Writes all of `bytes`.
  ///
  /// - Returns: 0, or the system's number for why it can't (`errno`).
  package static func all(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
      let count = write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      if count > 0 {
        written += count
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN where count < 0:
        // Somebody else made the pipe or terminal non-blocking: wait until it takes more.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      default: return errno
      }
    }
    return 0
  }
}
