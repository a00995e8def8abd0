import Foundation
import Testing

/// Messages that can't be written end nothing and lose nothing; data that can't be written is an error.
@Suite struct UnwritableOutputTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    _ = try UwbProcess.run("simulate", "still", "--out", folder.path("s"))
  }

  @Test(
    "a standard error that can't be written changes neither the output nor the exit status",
    arguments: ["2>/dev/full", "2>&-", "2> >(true)"])
  func standardError(redirection: String) throws {
    let verbs = [
      "replay missing.log \"$1\"", "replay \"$1\" --output csv", "convert \"$1\" - --to ndjson", "info missing \"$1\"",
      "accessory decode 0B01", "replay",
    ]
    for verb in verbs {
      let usual = try UwbProcess.shell("cd \"$2\"; \"$0\" \(verb)", folder.path("s"), folder.url.path)
      let run = try UwbProcess.shell("cd \"$2\"; \"$0\" \(verb) \(redirection)", folder.path("s"), folder.url.path)
      #expect(run.status == usual.status, "\(verb): \(run.status)")
      #expect(run.output == usual.output, "\(verb)")
    }
  }

  @Test("a standard output that can't be written is an error, whatever the verb", arguments: [">/dev/full", ">&-"])
  func standardOutput(redirection: String) throws {
    let verbs = [
      "replay \"$1\"", "replay \"$1\" --output summary", "replay \"$1\" --shard 1/2", "info \"$1\"", "inspect \"$1\"",
      "paths \"$1\"", "paths \"$1\" --output table",
      "estimators", "convert \"$1\" --to csv -", "accessory decode 0A",
      "evaluate delay --trials 1 --snr 20 --estimators pulse-fit",
    ]
    for verb in verbs {
      let run = try UwbProcess.shell("\"$0\" \(verb) \(redirection)", folder.path("s"))
      #expect(run.status == 1, "\(verb): \(run.status)")
      #expect(run.errors.contains("can't"), "\(verb): \(run.errors)")
    }
  }

  @Test(
    "an output that can't be made is told before anything is read, and why: the disk, or the folder",
    arguments: [("/dev/full", "No space left"), ("/missing/x", "folder is not there"), ("/proc/x", "can't be created")])
  func targets(path: String, reason: String) throws {
    for verb in ["replay missing.log --report \(path)", "convert \"$1\" \(path) --to ndjson"] {
      let run = try UwbProcess.shell("\"$0\" \(verb)", folder.path("s"))
      // A full disk shows when something is written; until then the missing capture is what is wrong.
      let isLate = path == "/dev/full" && verb.hasPrefix("replay")
      #expect(run.status == 1 && run.errors.contains(isLate ? "missing.log" : reason), "\(verb): \(run.errors)")
    }
  }

  @Test("a pipe whose reader has gone is an error, not a signal")
  func pipe() throws {
    let run = try UwbProcess.shell(
      "set -o pipefail; for i in $(seq 50); do echo \"$1\"; done | xargs \"$0\" replay | head -n 1", folder.path("s"))
    #expect(run.status == 123, "xargs tells of a command that failed, not of one that was killed: \(run.status)")
    #expect(run.lines.count == 1)
    #expect(run.errors.contains("can't write to standard output"), "\(run.errors)")
  }

  @Test("a standard stream that is closed is not taken for the file that is opened next")
  func closed() throws {
    let usual = try UwbProcess.shell("\"$0\" convert \"$1\" \"$2\"", folder.path("s"), folder.path("usual.csv"))
    #expect(usual.status == 0)
    let run = try UwbProcess.shell(
      "\"$0\" convert \"$1\" \"$2\" <&- >&- 2>&-", folder.path("s"), folder.path("run.csv"))
    #expect(run.status == 0)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("usual.csv")))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("run.csv"))) == bytes)
    let input = try UwbProcess.shell("\"$0\" replay - <&-")
    #expect(input.status == 1 && input.errors.contains("can't be read"), "\(input.errors)")
  }
}
