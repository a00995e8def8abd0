#if !os(Windows)
  import UWBPlatform

  /// Settings of a serial line: bytes pass as they are, eight bits, no parity, one stop bit, no flow control.
  enum SerialLine {
    static func makeRaw(_ descriptor: Int32, _ name: String, speed: Int) throws(PortError) {
      guard let constant = speeds.first(where: { $0.bauds == speed })?.constant else {
        throw .unsupportedSpeed(speed)
      }
      var settings = termios()
      guard tcgetattr(descriptor, &settings) == 0 else { throw .last("read its settings", name) }
      cfmakeraw(&settings)
      settings.c_cflag |= tcflag_t(CLOCAL | CREAD | CS8)
      settings.c_cflag &= ~tcflag_t(PARENB | CSTOPB)
      #if !canImport(Darwin)
        settings.c_cflag &= ~tcflag_t(CRTSCTS)
      #else
        settings.c_cflag &= ~tcflag_t(CCTS_OFLOW | CRTS_IFLOW)
      #endif
      // With at least one byte a read of none means that the line has hung up.
      withUnsafeMutableBytes(of: &settings.c_cc) { characters in
        characters[Int(VMIN)] = 1
        characters[Int(VTIME)] = 0
      }
      cfsetispeed(&settings, constant)
      cfsetospeed(&settings, constant)
      guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { throw .last("set its speed", name) }
    }

    private static var speeds: [(bauds: Int, constant: speed_t)] {
      var speeds: [(Int, speed_t)] = [
        (9600, speed_t(B9600)), (19_200, speed_t(B19200)), (38_400, speed_t(B38400)), (57_600, speed_t(B57600)),
        (115_200, speed_t(B115200)), (230_400, speed_t(B230400)),
      ]
      #if os(Linux) || os(Android)
        speeds += [
          (460_800, speed_t(B460800)), (921_600, speed_t(B921600)), (1_000_000, speed_t(B1000000)),
          (2_000_000, speed_t(B2000000)), (3_000_000, speed_t(B3000000)), (4_000_000, speed_t(B4000000)),
        ]
      #endif
      return speeds
    }
  }
#endif
