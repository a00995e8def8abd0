#if !os(Windows)
  import UWBPlatform

  /// A serial device made by a program: others open `path` as they would a real one.
  public final class PseudoTerminal: Sendable {
    /// This program's end.
    public let port: BytePort
    /// The other end's device.
    public let path: String
    /// Held open, so that the device outlives those who open it.
    private let device: SharedDescriptor

    /// Opens a pair of terminals.
    public init() throws(PortError) {
      let name = "a pseudo-terminal"
      let descriptor = UWBPlatform.open("/dev/ptmx", O_RDWR | O_NOCTTY)
      guard descriptor >= 0 else { throw .last("make it", name) }
      port = try BytePort(descriptor, name: name, isSocket: false)
      guard let path = Self.unlock(descriptor) else { throw .last("make it", name) }
      self.path = path
      let device = UWBPlatform.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
      guard device >= 0 else { throw .last("open it", path) }
      self.device = SharedDescriptor(device)
      try SerialLine.makeRaw(device, path, speed: 115_200)
    }

    /// Lets others open the device; returns its path.
    private static func unlock(_ descriptor: Int32) -> String? {
      #if os(Linux) || os(Android)
        // TIOCSPTLCK and TIOCGPTN, macros that Swift does not import: Glibc declares `unlockpt` and `ptsname` only to those who ask for it.
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        guard ioctl(descriptor, 0x4004_5431, &isLocked) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0 else {
          return nil
        }
        return "/dev/pts/\(number)"
      #else
        guard grantpt(descriptor) == 0, unlockpt(descriptor) == 0 else { return nil }
        return ptsname(descriptor).map { String(cString: $0) }
      #endif
    }

    /// Unplugs the device: who has it open reads its end.
    public func close() {
      device.close()
      port.close()
    }
  }
#endif
