import Foundation
import TestSupport
import Testing
import UWBCapture

// Part of POSIX, and not in the module of every C library.
@_silgen_name("posix_openpt") private func openTerminal(_ flags: Int32) -> Int32
@_silgen_name("grantpt") private func grantTerminal(_ descriptor: Int32) -> Int32
@_silgen_name("unlockpt") private func unlockTerminal(_ descriptor: Int32) -> Int32
@_silgen_name("ptsname") private func terminalName(_ descriptor: Int32) -> UnsafePointer<CChar>?

/// A running `uwb` whose input and output are at hand.
private final class RunningUwb {
  let process = Process()
  let input: FileHandle
  private let output = Pipe()
  private var pending: [UInt8] = []

  /// - Parameter terminal: a descriptor for standard input; `nil` for a pipe.
  init(_ arguments: [String], terminal: Int32? = nil) throws {
    process.executableURL = UwbProcess.executable
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
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

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  deinit {
    if process.isRunning { kill() }
  }
}

@Suite("live input and sudden ends")
struct LiveTests {
  /// Every exchange's update is out before the next exchange has come in: the input waits for it.
  private func play(_ text: String, ends: [Int], through write: ([UInt8]) throws -> Void, _ running: RunningUwb) throws
  {
    var start = 0
    for (number, end) in ends.enumerated() {
      // As a serial port hands it over: in pieces that know nothing of lines.
      let bytes = Array(text.utf8)[start..<end]
      for piece in stride(from: bytes.startIndex, to: bytes.endIndex, by: 1000) {
        try write(Array(bytes[piece..<min(piece + 1000, bytes.endIndex)]))
      }
      start = end
      let line = try #require(running.line(), "no update of exchange \(number)")
      #expect(line.contains("\"exchange\":\(number),"), "\(line)")
    }
  }

  @Test("on a pipe, an update is out before the next exchange")
  func pipe() throws {
    let (text, ends) = ConvertTests.log(5)
    let running = try RunningUwb(["replay", "-", "--delay", "chip"])
    try play(text, ends: ends, through: { try running.input.write(contentsOf: Data($0)) }, running)
    try running.input.close()
    running.process.waitUntilExit()
    #expect(running.process.terminationStatus == 0)
  }

  @Test("on a pseudo-terminal, which is what a serial port looks like, too")
  func pseudoTerminal() throws {
    let main = openTerminal(O_RDWR | O_NOCTTY)
    try #require(main >= 0 && grantTerminal(main) == 0 && unlockTerminal(main) == 0)
    let name = String(cString: try #require(terminalName(main)))
    let terminal = open(name, O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    // As a serial port's reader sets it: no editing of lines, no echo.
    var attributes = termios()
    tcgetattr(terminal, &attributes)
    cfmakeraw(&attributes)
    tcsetattr(terminal, TCSANOW, &attributes)
    let (text, ends) = ConvertTests.log(4, seed: 10)
    let running = try RunningUwb(["replay", "-", "--delay", "chip"], terminal: terminal)
    try play(
      text, ends: ends,
      through: { bytes in
        var written = 0
        while written < bytes.count {
          let count = bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.map { write(main, $0 + written, buffer.count - written) } ?? 0
          }
          try #require(count > 0)
          written += count
        }
      }, running)
    try running.input.close()
    close(main)
    running.process.waitUntilExit()
    #expect(running.process.terminationStatus == 0)
  }

  @Test("broken and interleaved lines cost their exchange alone")
  func resynchronises() throws {
    var writer = DecaRangingLogWriter(seed: 12)
    let parts = (0..<3).map { _ in writer.text(writer.exchange(tapCount: 64)) }
    let broken = parts[0] + parts[1].prefix(parts[1].count / 2) + "boot: reset\r\nfoo 1, 2\r\n" + parts[2]
    let run = try UwbProcess.run("replay", "-", "--delay", "chip", input: Data(broken.utf8))
    let updates = try run.events().filter { $0["event"] as? String != "capture" && $0["exchange"] != nil }
    #expect(updates.count == 2)
    let skipped = try #require(try run.events().last?["skipped_input"] as? [String: Int])
    #expect(!skipped.isEmpty)
  }

  @Test("killed while it records, the capture opens and holds what was whole")
  func killedWhileRecording() throws {
    let folder = try TemporaryFolder()
    let (text, ends) = ConvertTests.log(6, tapCount: 256, seed: 13)
    let bytes = Array(text.utf8)
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path("log.txt")))
    let expected = try ConvertTests.read(folder.path("log.txt")).map(ConvertTests.fingerprint)
    for whole in [1, 4] {
      let path = folder.path("live\(whole)")
      let running = try RunningUwb(["convert", "-", path])
      // Half of the next exchange has come in, too.
      let end = ends[whole - 1] + (ends[whole] - ends[whole - 1]) / 2
      try running.input.write(contentsOf: Data(bytes[..<end]))
      var found: [String] = []
      // It is recorded as it comes, so this ends; the limit is for a program that does not.
      for _ in 0..<600 where found.count < whole {
        Thread.sleep(forTimeInterval: 0.05)
        found = (try? ConvertTests.read(path).map(ConvertTests.fingerprint)) ?? []
      }
      running.kill()
      #expect(try ConvertTests.read(path).map(ConvertTests.fingerprint) == Array(expected.prefix(whole)))
    }
  }

  @Test("killed at any time, a simulation leaves a capture that opens")
  func killedWhileSimulating() throws {
    let folder = try TemporaryFolder()
    let complete = try UwbProcess.run("simulate", "walk", "--out", folder.path("whole"))
    #expect(complete.status == 0)
    let expected = try ConvertTests.read(folder.path("whole")).map(ConvertTests.fingerprint)
    for round in 0..<6 {
      let path = folder.path("cut\(round)")
      let running = try RunningUwb(["simulate", "walk", "--out", path])
      Thread.sleep(forTimeInterval: 0.03 + 0.06 * Double(round))
      running.kill()
      guard FileManager.default.fileExists(atPath: path + ".sigmf-meta") else { continue }
      do {
        let found = try ConvertTests.read(path).map(ConvertTests.fingerprint)
        #expect(found == Array(expected.prefix(found.count)), "round \(round)")
        let segments = try String(contentsOfFile: path + ".sigmf-meta", encoding: .utf8).ranges(of: "message_count")
          .count
        #expect(found.count >= segments - 1, "round \(round)")
      } catch let error as CaptureError {
        // Killed before the first byte of metadata.
        #expect(error.problem == "is empty", "round \(round): \(error)")
      }
    }
  }
}
