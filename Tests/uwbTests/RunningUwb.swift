import Foundation
import Testing

/// Waits until something that shows in no output is so, a minute at most.
func eventually(_ what: Comment, _ isSo: () throws -> Bool) throws {
  let end = ContinuousClock.now.advanced(by: .seconds(60))
  while try !isSo() {
    try #require(ContinuousClock.now < end, what)
    usleep(2000)
  }
}

/// A running `uwb` whose input and output are at hand.
final class RunningUwb {
  let process = Process()
  let input: FileHandle
  private let output = Pipe()
  private let errors: FileHandle
  private var pending: [UInt8] = []

  /// - Parameters:
  ///   - shell: a line that runs it: `$0` is `uwb`, `$@` its arguments.
  ///   - terminal: a descriptor for standard input; `nil` for a pipe.
  ///   - errors: for standard error.
  init(
    _ arguments: [String], shell: String? = nil, terminal: Int32? = nil, errors: FileHandle = .nullDevice
  ) throws {
    self.errors = errors
    process.executableURL = shell == nil ? UwbProcess.executable : URL(fileURLWithPath: "/bin/bash")
    process.arguments = (shell.map { ["-c", $0, UwbProcess.executable.path] } ?? []) + arguments
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

  /// Writes to its input and waits until all of that is read.
  func feed(_ bytes: some Sequence<UInt8>) throws {
    try input.write(contentsOf: Data(bytes))
    try eventually("its input is not read") {
      var left: Int32 = 0
      try #require(ioctl(input.fileDescriptor, UInt(FIONREAD), &left) == 0)
      return left == 0
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
