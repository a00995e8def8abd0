import Foundation
import TestSupport
import Testing

@Suite("signals")
struct InterruptionTests {
  /// Plays a log of `count` exchanges and half of another into a live `uwb`, waits for as many updates as it prints, and
  /// interrupts it.
  ///
  /// - Returns: exit status, all of standard output, all of standard error.
  private func interrupt(
    _ arguments: [String], by signal: Int32, in folder: TemporaryFolder, updates: Int = 0,
    until isReady: () -> Bool = { true }
  ) throws -> (status: Int32, lines: [String], errors: String) {
    let (text, ends) = ConvertTests.log(4, tapCount: 16)
    let bytes = Array(text.utf8)
    let errors = folder.path("errors")
    try Data().write(to: URL(fileURLWithPath: errors))
    let running = try RunningUwb(arguments, errors: FileHandle(forWritingTo: URL(fileURLWithPath: errors)))
    try running.input.write(contentsOf: Data(bytes[..<((ends[2] + ends[3]) / 2)]))
    var lines: [String] = []
    while lines.count < updates { lines.append(try #require(running.line(), "no update \(lines.count)")) }
    for _ in 0..<600 where !isReady() { Thread.sleep(forTimeInterval: 0.05) }
    running.send(signal)
    lines += running.rest()
    running.process.waitUntilExit()
    #expect(running.process.terminationReason == .exit)
    return (running.process.terminationStatus, lines, try String(contentsOfFile: errors, encoding: .utf8))
  }

  @Test("a live replay ends with its summary and report", arguments: [SIGINT, SIGTERM])
  func replay(signal: Int32) throws {
    let folder = try TemporaryFolder()
    let page = folder.path("r.html")
    let run = try interrupt(
      ["replay", "-", "--delay", "chip", "--report", page], by: signal, in: folder, updates: 3)
    #expect(run.status == 130 && run.errors.contains("Interrupted"), "\(run.errors)")
    #expect(run.lines.last?.contains(#""event":"summary","captures":1,"exchanges":3,"updates":3"#) == true)
    #expect(run.lines.last?.contains("incompleteExchange") == true, "\(run.lines)")
    #expect(try String(contentsOfFile: page, encoding: .utf8).hasSuffix("</html>\n"))
  }

  @Test(
    "a live recording is completed", arguments: ["a.npy", "a.csv", "a.ndjson", "a.sigmf-meta", "a.sigmf-collection"])
  func convert(name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path(name)
    let seen = name.hasPrefix("a.sigmf") ? folder.path(name.contains("coll") ? "a-0000.sigmf-meta" : name) : path
    let mark: [String: (String, Int)] = ["a.csv": ("final", 3), "a.ndjson": ("\"exchange\":", 3)]
    let run = try interrupt(["convert", "-", path], by: SIGINT, in: folder) {
      guard let data = FileManager.default.contents(atPath: seen) else { return false }
      // A NumPy array says how many there are at its end alone: two CIRs of 16 taps an exchange, after 128 bytes.
      guard !name.hasSuffix(".npy") else { return data.count >= 128 + 6 * 16 * 8 }
      let (text, count) = mark[name] ?? ("message_count", 3)
      return String(decoding: data, as: UTF8.self).ranges(of: text).count >= count
    }
    #expect(run.status == 130 && run.errors.contains("3 exchanges, 6 CIRs"), "\(run.errors)")
    if name == "a.csv" { return }
    let info = try UwbProcess.run("info", path, "--output", "ndjson")
    let object = try #require(try info.events().first)
    #expect(object["cirs"] as? Int == 6, "\(info.output)\(info.errors)")
    if name.hasPrefix("a.sigmf") { #expect(object["hash"] as? String == "fits") }
  }

  @Test("a live stream's other verbs end in order, too")
  func others() throws {
    let folder = try TemporaryFolder()
    let shard = try interrupt(
      ["replay", "-", "--delay", "chip", "--shard", "1/1"], by: SIGTERM, in: folder, updates: 1)
    #expect(shard.status == 130 && shard.lines.last?.contains(#"{"end":{"exchanges":"#) == true)
    let pulse = folder.path("pulse.json")
    let run = try interrupt(["calibrate", "pulse", "-", "--out", pulse], by: SIGINT, in: folder)
    // What would be of a part of the captures alone is not written.
    #expect(!FileManager.default.fileExists(atPath: pulse) && run.status != 0)
  }

  @Test("with nothing read yet, the status is the same", arguments: [["replay", "-"], ["convert", "-", "OUT"]])
  func empty(arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let running = try RunningUwb(arguments.map { $0 == "OUT" ? folder.path("a.csv") : $0 })
    // It listens before it opens anything; that it has opened its input shows in nothing, and either way is right.
    Thread.sleep(forTimeInterval: 0.5)
    running.send(SIGINT)
    _ = running.rest()
    running.process.waitUntilExit()
    #expect(running.process.terminationStatus == 130 && running.process.terminationReason == .exit)
    #expect(!FileManager.default.fileExists(atPath: folder.path("a.csv")))
  }

  @Test("a second signal ends at once what nobody reads")
  func second() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try Data(ConvertTests.log(300, tapCount: 4).text.utf8).write(to: URL(fileURLWithPath: log))
    // More than a pipe holds, and nobody takes it.
    let running = try RunningUwb(["replay", log, "--delay", "chip"])
    #expect(running.line() != nil)
    for _ in 0..<2 {
      running.send(SIGINT)
      Thread.sleep(forTimeInterval: 0.2)
    }
    running.process.waitUntilExit()
    #expect(running.process.terminationStatus == 130)
  }

  @Test("a conversion of a file that is interrupted leaves no trace")
  func file() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try Data(ConvertTests.log(150, seed: 15).text.utf8).write(to: URL(fileURLWithPath: log))
    let path = folder.path("a.npy")
    let running = try RunningUwb(["convert", log, path])
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
    for _ in 0..<600 where try names().count == 1 { Thread.sleep(forTimeInterval: 0.01) }
    running.send(SIGTERM)
    running.process.waitUntilExit()
    let isDone = running.process.terminationStatus == 0
    #expect(try names() == (isDone ? ["a.npy", "log.txt"] : ["log.txt"]))
    #expect(isDone || running.process.terminationStatus == 130)
  }
}
