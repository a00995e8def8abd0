#if !os(Windows)
  import UWBPlatform

  /// Ends a wait on a descriptor from another thread.
  final class WakePipe: Sendable {
    private let reading: SharedDescriptor
    private let writing: SharedDescriptor

    init(_ name: String) throws(PortError) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw .last("make a pipe", name) }
      reading = SharedDescriptor(ends[0])
      writing = SharedDescriptor(ends[1])
      try reading.makeNonBlocking(name)
      try writing.makeNonBlocking(name)
    }

    /// A full pipe wakes as well.
    func wake() {
      try? writing.use("") { descriptor in
        var byte: UInt8 = 0
        _ = write(descriptor, &byte, 1)
      }
    }

    /// What `descriptor` is ready for, of what is `wanted`; 0 where the time has run out or somebody called `wake`.
    func wait(
      for wanted: Int32, on descriptor: Int32, timeout: Double?, _ name: String
    ) throws(PortError) -> Int32 {
      let milliseconds = timeout.map { Int32(max(0, min($0 * 1000, 1e9)).rounded(.up)) } ?? -1
      return try reading.use(name) { (pipe) throws(PortError) in
        var polled = [
          pollfd(fd: wanted == 0 ? -1 : descriptor, events: Int16(wanted), revents: 0),
          pollfd(fd: pipe, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&polled, nfds_t(polled.count), milliseconds) >= 0 else {
          if errno == EINTR { return 0 }
          throw .last("wait", name)
        }
        if polled[1].revents != 0 {
          var bytes = [UInt8](repeating: 0, count: 64)
          while read(pipe, &bytes, bytes.count) > 0 {}
        }
        return Int32(polled[0].revents)
      }
    }
  }
#endif
