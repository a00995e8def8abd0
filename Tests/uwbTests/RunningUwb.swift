import Foundation

/// A running `uwb` whose input and output are at hand.
final class RunningUwb {
  let process = Process()
  let input: FileHandle
  private let output = Pipe()
  private let errors: FileHandle
  private var pending: [UInt8] = []

  /// - Parameters:
  ///   - terminal: a descriptor for standard input; `nil` for a pipe.
  ///   - errors: for standard error.
  init(_ arguments: [String], terminal: Int32? = nil, errors: FileHandle = .nullDevice) throws {
    self.errors = errors
    process.executableURL = UwbProcess.executable
    process.arguments = arguments
    process.standardError = errors
    process.standardOutput = output
    if let terminal {
      input = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
      process.standardInput = input
    } else {
      let pipe = Pipe()
      process.standardInput = pipe
      input = pipe.fileHandleForWriting
    }
    try process.run()
  }

  /// The next line of output; it waits until there is one, `nil` at the end or after a minute.
  func line() -> String? {
    while true {
      if let end = pending.firstIndex(of: 0x0A) {
        let line = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeFirst(end + 1)
        return line
      }
      let descriptor = output.fileHandleForReading.fileDescriptor
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 60_000) > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 65536)
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return nil }
      pending += bytes[..<count]
    }
  }

  func send(_ signal: Int32) {
    Foundation.kill(process.processIdentifier, signal)
  }

  func kill() {
    send(SIGKILL)
    process.waitUntilExit()
  }

  /// All lines that are left.
  func rest() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    return lines
  }

  deinit {
    if process.isRunning { kill() }
  }
}
