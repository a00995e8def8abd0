import Foundation
import TestSupport
import Testing

@Suite("signals")
struct InterruptionTests {
  /// Three exchanges and half of another.
  private static func threeAndAHalf() -> ArraySlice<UInt8> {
    let (text, ends) = ConvertTests.log(4, tapCount: 16)
    return Array(text.utf8)[..<((ends[2] + ends[3]) / 2)]
  }

  /// Plays `input` into a live `uwb`, waits until it is read and for as many updates as it prints, and interrupts it.
  ///
  /// - Returns: exit status, all of standard output, all of standard error.
  private func interrupt(
    _ arguments: [String], by signals: Int32..., in folder: TemporaryFolder, updates: Int = 0,
    input: some Sequence<UInt8> = threeAndAHalf()
  ) throws -> (status: Int32, lines: [String], errors: String) {
    let errors = folder.path("errors")
    try Data().write(to: URL(fileURLWithPath: errors))
    let running = try RunningUwb(arguments, errors: FileHandle(forWritingTo: URL(fileURLWithPath: errors)))
    try running.feed(input)
    var lines: [String] = []
    while lines.count < updates { lines.append(try #require(running.line(), "no update \(lines.count)")) }
    for signal in signals { running.send(signal) }
    lines += running.rest()
    running.process.waitUntilExit()
    #expect(running.process.terminationReason == .exit)
    return (running.process.terminationStatus, lines, try String(contentsOfFile: errors, encoding: .utf8))
  }

  @Test("a live replay ends with its summary and report", arguments: [SIGINT, SIGTERM, SIGHUP])
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

  @Test("a terminal's end, told twice, ends the input once")
  func hangUp() throws {
    let folder = try TemporaryFolder()
    let run = try interrupt(["replay", "-", "--delay", "chip"], by: SIGHUP, SIGHUP, SIGHUP, in: folder, updates: 3)
    #expect(run.status == 130 && run.lines.last?.contains(#""event":"summary""#) == true, "\(run.errors)")
  }

  @Test("under nohup, a terminal's end changes nothing")
  func ignoredHangUp() throws {
    let (text, ends) = ConvertTests.log(2, tapCount: 16)
    let bytes = Array(text.utf8)
    let running = try RunningUwb(["replay", "-", "--delay", "chip"], shell: #"trap "" HUP; exec "$0" "$@""#)
    try running.feed(bytes[..<ends[0]])
    #expect(running.line() != nil)
    running.send(SIGHUP)
    try running.feed(bytes[ends[0]...])
    try running.input.close()
    #expect(running.rest().last?.contains(#""exchanges":2"#) == true)
    running.process.waitUntilExit()
    #expect(running.process.terminationStatus == 0)
  }

  @Test(
    "a live recording is completed", arguments: ["a.npy", "a.csv", "a.ndjson", "a.sigmf-meta", "a.sigmf-collection"])
  func convert(name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path(name)
    let run = try interrupt(["convert", "-", path], by: SIGINT, in: folder)
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
    let shard = try interrupt(["replay", "-", "--delay", "chip", "--shard", "1/1"], by: SIGTERM, in: folder)
    #expect(shard.status == 130 && shard.lines.last?.contains(#"{"end":{"exchanges":"#) == true)
    let pulse = folder.path("pulse.json")
    let run = try interrupt(["calibrate", "pulse", "-", "--out", pulse], by: SIGINT, in: folder)
    // What would be of a part of the captures alone is not written.
    #expect(!FileManager.default.fileExists(atPath: pulse) && run.status != 0)
  }

  @Test("with no exchange read yet, the status is the same", arguments: [["replay", "-"], ["convert", "-", "OUT"]])
  func empty(arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let output = folder.path("a.csv")
    let run = try interrupt(
      arguments.map { $0 == "OUT" ? output : $0 }, by: SIGINT, in: folder, input: "\n".utf8)
    #expect(run.status == 130)
    #expect(!FileManager.default.fileExists(atPath: output))
  }

  @Test("a second signal ends at once what nobody reads")
  func second() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try Data(ConvertTests.log(300, tapCount: 4).text.utf8).write(to: URL(fileURLWithPath: log))
    // More than a pipe holds, and nobody takes it.
    let running = try RunningUwb(["replay", log, "--delay", "chip"])
    #expect(running.line() != nil)
    // Of two alike that come together the system tells one.
    for signal in [SIGINT, SIGTERM] { running.send(signal) }
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
    try eventually("nothing is written") { try names().count > 1 }
    running.send(SIGTERM)
    running.process.waitUntilExit()
    let isDone = running.process.terminationStatus == 0
    #expect(try names() == (isDone ? ["a.npy", "log.txt"] : ["log.txt"]))
    #expect(isDone || running.process.terminationStatus == 130)
  }
}
