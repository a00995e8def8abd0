import Foundation
import TestSupport
import Testing

@Suite("replay on many threads and many machines")
struct ParallelReplayTests {
  /// A walk of 244 exchanges, and the same without its first seconds' worth of exchanges: captures of different lengths.
  private static func captures(_ folder: TemporaryFolder) throws -> [String] {
    try ["walk", "still"].map { scenario in
      let run = try UwbProcess.run("simulate", scenario, "--out", folder.path(scenario), "--seed", "3")
      #expect(run.status == 0, "\(run.errors)")
      return folder.path("\(scenario).sigmf-meta")
    }
  }

  /// The quickest estimator: what is tested here is who measures, not how.
  private static func replay(_ captures: [String], _ options: String...) -> [String] {
    ["replay"] + captures + ["--delay", "peak"] + options
  }

  @Test("any number of threads gives the same bytes", arguments: ["ndjson", "csv", "summary"])
  func threads(output: String) throws {
    let folder = try TemporaryFolder()
    let captures = try Self.captures(folder)
    let alone = try UwbProcess.run(Self.replay(captures, "--output", output, "--threads", "1"))
    #expect(alone.status == 0 && !alone.output.isEmpty)
    for count in [2, 16] {
      let shared = try UwbProcess.run(Self.replay(captures, "--output", output, "--threads", "\(count)"))
      #expect(shared.output == alone.output, "\(count) threads")
    }
  }

  @Test("real logs too", .needsRealData("decaranging-apartment"))
  func realLogs() throws {
    let logs = try Array(RealCaptures.allLogs().prefix(2))
    let alone = try UwbProcess.run(["replay"] + logs + ["--threads", "1"])
    let shared = try UwbProcess.run(["replay"] + logs + ["--threads", "4"])
    #expect(alone.status == 0 && !alone.output.isEmpty)
    #expect(shared.output == alone.output)
  }

  @Test("captures that are opened ahead are told in their turn, those that can't be read among them")
  func openedAhead() throws {
    let folder = try TemporaryFolder()
    let captures = try Self.captures(folder)
    let empty = folder.path("empty.log")
    try Data().write(to: URL(fileURLWithPath: empty))
    let all = [empty, captures[0], folder.path("missing.log"), captures[1], empty] + captures
    let alone = try UwbProcess.run(Self.replay(all, "--verbose", "--threads", "1"))
    #expect(alone.status == 1 && !alone.output.isEmpty)
    let shared = try UwbProcess.run(Self.replay(all, "--verbose", "--threads", "3"))
    #expect(shared.output == alone.output)
    #expect(shared.status == alone.status)
    // Not what it cost.
    let told = { (run: UwbProcess) in
      run.errors.split(separator: "\n").filter { $0.hasPrefix("Error:") || $0.contains(": format ") }
    }
    #expect(told(shared) == told(alone) && told(alone).count == 7)
  }

  @Test("damage in the middle ends a replay on many threads as it does on one")
  func damage() throws {
    let folder = try TemporaryFolder()
    let capture = try Self.captures(folder)[0]
    let data = capture.replacingOccurrences(of: "-meta", with: "-data")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: data))
    try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: data))
    let alone = try UwbProcess.run("replay", capture, "--threads", "1")
    let shared = try UwbProcess.run("replay", capture, "--threads", "4")
    #expect(shared.output == alone.output)
    #expect(shared.status == alone.status)
  }

  @Test("shards, merged, are the bytes of an undivided replay", arguments: [1, 3])
  func shards(count: Int) throws {
    let folder = try TemporaryFolder()
    let captures = try Self.captures(folder)
    var files: [String] = []
    for number in 1...count {
      let run = try UwbProcess.run(Self.replay(captures, "--shard", "\(number)/\(count)"))
      #expect(run.status == 0, "\(run.errors)")
      let file = folder.path("\(number).ndjson")
      try Data(run.output.utf8).write(to: URL(fileURLWithPath: file))
      files.append(file)
    }
    for output in ["ndjson", "csv", "summary"] {
      let whole = try UwbProcess.run(Self.replay(captures, "--output", output))
      // In whatever order they are given.
      let merged = try UwbProcess.run(["merge"] + files.reversed() + ["--output", output])
      #expect(merged.status == 0, "\(merged.errors)")
      #expect(merged.output == whole.output, "\(output)")
    }
  }

  @Test("shards of a capture whose indices have gaps, repeat and run backwards", arguments: [2, 3])
  func shardsWithGaps(count: Int) throws {
    let folder = try TemporaryFolder()
    let capture = try Self.captures(folder)[1]
    // A damaged line costs its exchange; the others have any number.
    var lines = try String(contentsOfFile: capture, encoding: .utf8).split(separator: "\n").map(String.init)
    let segment = try #require(lines.indices.first { lines[$0].contains(#""uwb:exchange":7,"#) })
    lines[segment] = "{},"
    let text = lines.joined(separator: "\n").replacing(/"uwb:exchange":(\d+)/) { match in
      let index = Int(match.1) ?? 0
      return "\"uwb:exchange\":\(index < 20 ? index : index < 40 ? 3 * index : -index)"
    }
    try Data(text.utf8).write(to: URL(fileURLWithPath: capture))
    let whole = try UwbProcess.run(Self.replay([capture]))
    #expect(whole.status == 0 && whole.output.contains("damagedSegment"), "\(whole.errors)")
    var files: [String] = []
    for number in 1...count {
      let run = try UwbProcess.run(Self.replay([capture], "--shard", "\(number)/\(count)"))
      files.append(folder.path("\(number)"))
      try Data(run.output.utf8).write(to: URL(fileURLWithPath: folder.path("\(number)")))
    }
    let merged = try UwbProcess.run(["merge"] + files)
    #expect(merged.status == 0 && merged.output == whole.output, "\(merged.errors)")
  }

  @Test("what is no complete set of shards is refused with file and line")
  func hostileShards() throws {
    let folder = try TemporaryFolder()
    let captures = try Self.captures(folder)
    func shard(_ name: String, _ number: Int, _ captures: [String]) throws -> String {
      let run = try UwbProcess.run(Self.replay(captures, "--shard", "\(number)/2"))
      try Data(run.output.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
      return folder.path(name)
    }
    let first = try shard("first", 1, captures)
    let second = try shard("second", 2, captures)
    let other = try shard("other", 2, captures.reversed())
    let short = try shard("short", 2, [captures[0]])
    let text = try String(contentsOfFile: second, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    func broken(_ name: String, _ lines: [Substring]) throws -> String {
      try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: folder.path(name)))
      return folder.path(name)
    }
    let cut = try broken("cut", Array(lines.prefix(20)))
    let holed = try broken("holed", Array(lines.prefix(20) + lines.dropFirst(21)))
    let garbled = try broken("garbled", ["{"] + lines)
    for files in [
      [first], [first, first], [first, other], [first, short], [first, cut], [first, holed], [first, garbled],
      [first, captures[0]],
    ] {
      let run = try UwbProcess.run(["merge"] + files)
      #expect(run.status == 1, "\(files)")
      #expect(run.errors.contains("--shard"), "\(run.errors)")
    }
    for wrong in ["0/2", "3/2", "1", "1/0", "-1/2", "1/2/3", "a/b"] {
      let run = try UwbProcess.run("replay", captures[0], "--shard", wrong)
      #expect(run.status == 64, "\(wrong)")
    }
  }
}
