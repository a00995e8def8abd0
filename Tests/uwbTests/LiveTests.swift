import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// A DecaRanging log in pieces, each with the time at which it was written: from one adjusted receive time to the next.
private struct PacedLog {
  struct Frame {
    /// Seconds after the first frame.
    var time: Double
    var bytes: Range<Int>
    /// Exchanges that were whole before these bytes.
    var exchangesBefore: Int
  }

  private(set) var frames: [Frame] = []

  init(_ log: [UInt8]) {
    var first: Double?
    var whole = 0
    for line in log.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let text = String(decoding: line, as: UTF8.self)
      if let range = text.range(of: "Rx time = "),
        let time = text[range.upperBound...].split(separator: " ").first.flatMap({ Double($0) })
      {
        // The devices' clocks begin anew every 17.2 s.
        let wrap = Double(DeviceTime.ticksPerWrap) * UWB.tick
        let last = frames.last?.time ?? 0
        var elapsed = time - (first ?? time)
        while elapsed < last - wrap / 2 { elapsed += wrap }
        // What stands before the first frame goes out with it.
        if first != nil { frames[frames.count - 1].bytes = frames[frames.count - 1].bytes.lowerBound..<line.startIndex }
        frames.append(
          Frame(
            time: elapsed, bytes: (first == nil ? 0 : line.startIndex)..<log.count,
            exchangesBefore: whole))
        first = first ?? time
      }
      if text.hasPrefix("Anchor ToF") { whole += 1 }
    }
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
    let port = try PseudoTerminal()
    let (text, ends) = ConvertTests.log(4, seed: 10)
    let running = try RunningUwb(["replay", "-", "--delay", "chip"], terminal: port.terminal)
    try play(text, ends: ends, through: { try port.write($0[...]) }, running)
    try running.input.close()
    port.hangUp()
    running.process.waitUntilExit()
    #expect(running.process.terminationStatus == 0)
  }

  /// The log's own time stamps say when each frame's lines are written. No clock is asserted on: the player waits where it has
  /// to, so a program that holds an update back until it has seen more ends the wait after a minute, and the test.
  @Test("at its recorded pace, each update is out before the exchange after the next comes in")
  func recordedPace() throws {
    let (text, _) = ConvertTests.log(8, seed: 14)
    try playAtRecordedPace(Array(text.utf8), seconds: 3)
  }

  @Test("a public log at its recorded pace", .needsRealData("decaranging-apartment"))
  func recordedPaceOfARealLog() throws {
    let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: RealCaptures.log("1"))))
    let frames = PacedLog(log).frames
    // Poll and final of twelve exchanges.
    try playAtRecordedPace(Array(log[..<frames[23].bytes.upperBound]), seconds: 2.6)
  }

  private func playAtRecordedPace(_ bytes: [UInt8], seconds: Double) throws {
    let log = PacedLog(bytes)
    let folder = try TemporaryFolder()
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path("log.txt")))
    let expected = try ConvertTests.read(folder.path("log.txt")).map(\.index)
    try #require(expected.count >= 8)
    let port = try PseudoTerminal()
    let running = try RunningUwb(["replay", "-", "--delay", "chip"], terminal: port.terminal)
    // Logs that last longer than a test may are played faster, in proportion.
    let pace = max(1, (log.frames.last?.time ?? 0) / seconds)
    let start = ContinuousClock.now
    var updates: [Substring] = []
    for frame in log.frames {
      let wanted = frame.exchangesBefore - 1
      while updates.count < wanted {
        let line = try #require(running.line(), "no update of exchange \(updates.count) before \(frame.time) s")
        updates.append(line[...])
      }
      let due = start.advanced(by: .seconds(frame.time / pace))
      Thread.sleep(forTimeInterval: max(0, ContinuousClock.now.duration(to: due) / .seconds(1)))
      try port.write(bytes[frame.bytes])
    }
    while updates.count < expected.count {
      updates.append(try #require(running.line(), "no update of exchange \(updates.count)")[...])
    }
    for (line, index) in zip(updates, expected) { #expect(line.contains("\"exchange\":\(index),"), "\(line)") }
    try running.input.close()
    port.hangUp()
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
      // It is recorded as it comes.
      try eventually("\(whole) exchanges are not recorded") {
        let found = try? ConvertTests.read(path)
        return (found?.count ?? 0) >= whole
      }
      running.kill()
      #expect(try ConvertTests.read(path).map(ConvertTests.fingerprint) == Array(expected.prefix(whole)))
    }
  }

  @Test(
    "killed while it writes, a simulation or a conversion leaves what was there, or all of the new capture",
    arguments: [["simulate", "walk", "--out"], ["convert", "LOG"], ["convert", "LOG", ".ndjson"]])
  func killedWhileWriting(command: [String]) throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try Data(ConvertTests.log(150, seed: 15).text.utf8).write(to: URL(fileURLWithPath: log))
    let old = folder.path("old.txt")
    try Data(ConvertTests.log(1, tapCount: 4).text.utf8).write(to: URL(fileURLWithPath: old))
    let ending = command.last == ".ndjson" ? ".ndjson" : ""
    let arguments = command.filter { $0 != ".ndjson" }.map { $0 == "LOG" ? log : $0 }
    func prints(_ path: String) throws -> [String] { try ConvertTests.read(path).map(ConvertTests.fingerprint) }
    let complete = try UwbProcess.run(arguments + [folder.path("whole" + ending)])
    #expect(complete.status == 0, "\(complete.errors)")
    let path = folder.path("cut" + ending)
    #expect(try UwbProcess.run("convert", old, path).status == 0)
    let known = [try prints(path), try prints(folder.path("whole" + ending))]
    func written() throws -> Int {
      try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).reduce(0) {
        // A file may be gone by now.
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path($1))
        return $0 + (attributes?[.size] as? Int ?? 0)
      }
    }
    // Up to the middle. At the very end the two files of a recording take their places, one after the other.
    let share = (captureByteCount(folder.path("whole" + ending)) ?? 0) / 10
    for round in 0..<6 {
      let before = try written()
      let running = try RunningUwb(arguments + [path])
      try eventually("part \(round) is not written") {
        try !running.process.isRunning || written() >= before + share * round
      }
      running.kill()
      #expect(known.contains(try prints(path)), "round \(round)")
    }
  }
}
