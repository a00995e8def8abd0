import Foundation
import Testing

// Part of POSIX, and not in the module of every C library.
@_silgen_name("posix_openpt") private func openTerminal(_ flags: Int32) -> Int32
@_silgen_name("grantpt") private func grantTerminal(_ descriptor: Int32) -> Int32
@_silgen_name("unlockpt") private func unlockTerminal(_ descriptor: Int32) -> Int32
@_silgen_name("ptsname") private func terminalName(_ descriptor: Int32) -> UnsafePointer<CChar>?

/// The two ends of a pseudo-terminal, set as a serial port's reader sets its port: no editing of lines, no echo.
final class PseudoTerminal {
  let terminal: Int32
  private let main: Int32

  init() throws {
    main = openTerminal(O_RDWR | O_NOCTTY)
    try #require(main >= 0 && grantTerminal(main) == 0 && unlockTerminal(main) == 0)
    terminal = open(String(cString: try #require(terminalName(main))), O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    var attributes = termios()
    tcgetattr(terminal, &attributes)
    cfmakeraw(&attributes)
    tcsetattr(terminal, TCSANOW, &attributes)
  }

  func write(_ bytes: ArraySlice<UInt8>) throws {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { Foundation.write(main, $0 + written, buffer.count - written) } ?? 0
      }
      try #require(count > 0)
      written += count
    }
  }

  func hangUp() {
    close(main)
  }

  /// Runs `uwb` with this for its standard output and standard error, and returns all that it writes there.
  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
    let process = Process()
    process.executableURL = UwbProcess.executable
    process.arguments = arguments
    process.environment = ["TERM": "xterm"].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(fileDescriptor: terminal, closeOnDealloc: false)
    process.standardError = FileHandle(fileDescriptor: terminal, closeOnDealloc: false)
    try process.run()
    var bytes: [UInt8] = []
    var isOver = false
    while true {
      var waiting = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
      if poll(&waiting, 1, isOver ? 0 : 20) > 0 {
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = read(main, &piece, piece.count)
        if count > 0 { bytes += piece[..<count] }
        if count <= 0 { break }
      } else if isOver {
        break
      }
      isOver = !process.isRunning
    }
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
  }
}
