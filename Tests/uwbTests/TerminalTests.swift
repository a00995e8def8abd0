import Foundation
import Testing
import UWBCapture

@testable import uwb

@Suite("what a terminal shows")
struct TerminalTests {
  /// What stands on each line in the end, with carriage returns and cleared lines as a terminal carries them out.
  private static func screen(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.components(separatedBy: "\r\u{1B}[K").last ?? ""
    }
  }

  private static func log(_ count: Int, in folder: TemporaryFolder) throws -> String {
    let path = folder.path("a.log")
    try Data(ConvertTests.log(count).0.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("progress is drawn between the lines of the output, and leaves nothing among them")
  func progressStepsAside() throws {
    let folder = try TemporaryFolder()
    let log = try Self.log(12, in: folder)
    let text = try PseudoTerminal().run(["replay", log, "--delay", "chip", "--pace", "recorded"])
    #expect(text.contains("a.log: ") && text.contains(" exchanges"), "no progress was drawn")
    let lines = Self.screen(text).filter { !$0.isEmpty }
    #expect(lines.count >= 12)
    for line in lines {
      #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(line)")
    }
  }

  @Test("--quiet draws no progress and tells errors alone; --verbose tells what was chosen")
  func levels() throws {
    let folder = try TemporaryFolder()
    let log = try Self.log(12, in: folder)
    let quiet = try PseudoTerminal().run(["replay", log, "--delay", "chip", "--pace", "recorded", "-q"])
    #expect(!quiet.contains("\u{1B}"))
    let convert = ["convert", log, folder.path("b.ndjson")]
    #expect(try !UwbProcess.run(convert).errors.isEmpty)
    #expect(try UwbProcess.run(convert + ["--quiet"]).errors.isEmpty)
    #expect(try UwbProcess.run("replay", folder.path("none"), "-q").errors.contains("Error: "))
    let verbose = try UwbProcess.run("replay", log, "--delay", "chip", "-v").errors
    #expect(verbose.contains("a.log: format decaranging") && verbose.contains("estimator chip"))
    #expect(verbose.contains("processor time"))
    #expect(try UwbProcess.run("replay", log, "-q", "-v").status == 64)
  }

  @Test("errors are red on a terminal, and not with NO_COLOR")
  func color() throws {
    #expect(try PseudoTerminal().run(["info", "/no/such/file"]).contains("\u{1B}[31mError:\u{1B}[0m"))
    #expect(try !PseudoTerminal().run(["info", "/no/such/file"], environment: ["NO_COLOR": "1"]).contains("\u{1B}"))
    #expect(!Terminal.isColored(true, ["TERM": "dumb"]) && !Terminal.isColored(false, [:]))
    #expect(Terminal.isColored(true, ["NO_COLOR": ""]))
  }

  @Test("a table is no wider than the terminal, and loses nothing", arguments: [40, 60, 80, 300])
  func tables(_ width: Int) throws {
    let arguments = ["evaluate", "delay", "--snr", "25", "--trials", "20", "--estimators", "adaptive,pulse-fit"]
    let text = try PseudoTerminal().run(arguments, environment: ["COLUMNS": "\(width)"])
    let lines = Self.screen(text)
    #expect(lines.dropFirst().allSatisfy { $0.count <= width }, "\(text)")
    for column in ["rmse", "bias", "median", "90 %", "unbiased", "bound", "ratio", "missed", "early", "in 1 σ", "µs"] {
      #expect(lines.contains { $0.contains(column) }, "\(column)")
    }
    let rows = ["adaptive", "pulse-fit"].map { name in lines.count { $0.contains(name) } }
    #expect(rows[0] == rows[1] && (width == 300) == (rows[0] == 1))
  }

  @Test func foldedTablesKeepEveryCell() {
    var table = EvaluationTable(name: "t", columns: ["name", "label", "alpha", "beta", "gamma", "delta"])
    table.add([.text("first"), .text("LOS"), .count(11), .count(22), .count(33), .count(44)])
    let folded = table.lines(width: 24)
    let lines: [Substring] = folded.split(separator: "\n")
    #expect(lines.dropFirst().allSatisfy { $0.count <= 24 }, "\(folded)")
    for cell in ["11", "22", "33", "44", "alpha", "beta", "gamma", "delta"] { #expect(folded.contains(cell)) }
    #expect(table.lines() == table.lines(width: 1000))
    #expect(table.lines().split(separator: "\n").count == 3)
  }

  @Test func progressTellsTheTimeThatIsLeftAndFitsTheWidth() {
    let progress = Progress("capture.log", totalBytes: 100_000_000, isShown: false, width: 60)
    #expect(
      progress.line(bytes: 25_000_000, exchanges: 7, elapsed: 30) == "capture.log: 25 %, 25 MB, 7 exchanges, 1:30 left")
    #expect(progress.line(bytes: 1_000_000, exchanges: 1, elapsed: 99).hasSuffix("2:43:21 left"))
    #expect(!progress.line(bytes: 1_000_000, exchanges: 1, elapsed: 1).contains("left"))
    let narrow = Progress(String(repeating: "long/", count: 40) + "a.log", totalBytes: nil, isShown: false, width: 30)
    let line = narrow.line(bytes: 5_000_000, exchanges: 12, elapsed: 9)
    #expect(line.count < 30 && line.hasSuffix("a.log: 5 MB, 12 exchanges"), "\(line)")
  }

  @Test("a live view draws a line a peer in place on a terminal, and a plain line an event elsewhere")
  func live() throws {
    let folder = try TemporaryFolder()
    let log = try Self.log(12, in: folder)
    let drawn = try PseudoTerminal().run(
      ["replay", log, "--delay", "chip", "--pace", "recorded", "--output", "live"], environment: ["COLUMNS": "100"])
    #expect(drawn.contains("\u{1B}[2A\r\u{1B}[J"))
    #expect(drawn.contains("█") && drawn.contains(" ± ") && drawn.contains("gone: "))
    let plain = try UwbProcess.run("replay", log, "--delay", "chip", "--output", "live")
    #expect(plain.status == 0 && !plain.output.contains("\u{1B}"))
    #expect(plain.lines.count >= 12 && plain.lines.contains { $0.contains(" ± ") })
    #expect([0, 44, 91, 180, -90, -45, 359].map { LivePeers.arrow($0) } == ["↑", "↗", "→", "↓", "←", "↖", "↑"])
    #expect(LivePeers.arrow(.nan) == "?")
  }

  @Test("binary output to a terminal is refused")
  func binary() throws {
    let text = try PseudoTerminal().run(["replay", "x.log", "--output", "mcap"])
    #expect(text.contains("writes binary data"))
  }
}
