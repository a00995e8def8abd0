import Foundation
import TestSupport
import Testing

@testable import uwb

@Suite("what verbs read and write")
struct FileUseTests {
  private func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func contents(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  /// Verbs that read IN and would write OUT.
  static let verbs: [[String]] = [
    ["replay", "IN", "--report", "OUT"], ["merge", "IN", "--report", "OUT"], ["inspect", "IN", "--svg", "OUT"],
    ["convert", "IN", "OUT", "--to", "csv"], ["convert", "IN", "OUT", "--to", "npy"],
    ["convert", "IN", "OUT", "--to", "ndjson"],
    ["calibrate", "pulse", "IN", "--out", "OUT"], ["calibrate", "delay", "IN", "--out", "OUT"],
    ["calibrate", "angle", "IN", "--out", "OUT"], ["calibrate", "angle", "IN", "--out", "c.json", "--report", "OUT"],
    ["calibrate", "bias", "IN", "IN", "IN", "IN", "--out", "OUT"],
    ["calibrate", "delay", "x", "--truth", "IN", "--out", "OUT"],
    ["replay", "x", "--calibration", "IN", "--report", "OUT"], ["replay", "x", "--array", "IN", "--report", "OUT"],
    ["replay", "x", "--pulse", "IN", "--report", "OUT"], ["replay", "x", "--pose", "IN", "--report", "OUT"],
    ["calibrate", "export", "IN", "--to", "text", "--out", "OUT"],
    ["evaluate", "delay", "--score", "a=IN", "--svg", "OUT"],
    ["evaluate", "ranging", "IN", "--report", "OUT"], ["paths", "IN", "--report", "OUT"],
    ["inspect", "IN", "--report", "OUT"], ["evaluate", "scenarios", "IN", "--report", "OUT"],
    ["evaluate", "delay", "--score", "a=IN", "--report", "OUT"],
    ["evaluate", "angle", "--array", "IN", "--report", "OUT"],
    ["calibrate", "pulse", "IN", "--out", "c.json", "--report", "OUT"],
    ["calibrate", "delay", "IN", "--out", "c.json", "--report", "OUT"],
    ["calibrate", "export", "IN", "--to", "text", "--report", "OUT"],
    ["evaluate", "angle", "--array", "IN", "--svg", "OUT"],
  ]

  @Test("an output that is an input is refused before anything is written", arguments: verbs)
  func ontoAnInput(verb: [String]) throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try write(ConvertTests.log(2, tapCount: 4).text, log)
    let whole = try contents(log)
    let files = FileManager.default
    try files.linkItem(atPath: log, toPath: folder.path("hard"))
    try files.createSymbolicLink(atPath: folder.path("one"), withDestinationPath: "log.txt")
    try files.createSymbolicLink(atPath: folder.path("two"), withDestinationPath: folder.path("one"))
    let before = try files.contentsOfDirectory(atPath: folder.url.path).sorted()
    for out in ["log.txt", "./log.txt", "hard", "one", "two", "../\(folder.url.lastPathComponent)//log.txt"] {
      let arguments = verb.map {
        ["IN": log, "OUT": folder.path("") + "/" + out, "c.json": folder.path("c.json"), "a=IN": "a=" + log][$0]
          ?? $0
      }
      let run = try UwbProcess.run(arguments)
      #expect(run.status == 1 && run.errors.contains("to be read"), "\(arguments): \(run.errors)")
      #expect(run.output.isEmpty)
      #expect(try contents(log) == whole)
    }
    #expect(try files.contentsOfDirectory(atPath: folder.url.path).sorted() == before)
  }

  @Test("standard output that goes into an input is refused")
  func standardOutput() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try write(ConvertTests.log(2, tapCount: 4).text, log)
    let whole = try contents(log)
    for arguments in [["replay", log], ["info", log], ["convert", log, "/dev/stdout", "--to", "csv"]] {
      let process = Process()
      process.executableURL = UwbProcess.executable
      process.arguments = arguments
      let output = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
      try output.seekToEnd()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 1, "\(arguments)")
      #expect(try contents(log) == whole, "\(arguments)")
    }
  }

  @Test("members of collections and halves of recordings are inputs, too")
  func recordings() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try write(ConvertTests.log(3, tapCount: 4).text, log)
    for name in ["live-0000", "x.partial"] {
      #expect(try UwbProcess.run("convert", log, folder.path(name + ".sigmf-meta")).status == 0)
    }
    let names = ["live-0000.sigmf-meta", "live-0000.sigmf-data", "x.partial.sigmf-meta", "x.partial.sigmf-data"]
    let before = try names.map { try contents(folder.path($0)) }
    for (input, output, option) in [
      ("live-0000.sigmf-meta", "live", ["--split", "1"]), ("live-0000", "live.sigmf-collection", []),
      ("live-0000.sigmf-data", "live-0000.sigmf-data", []),
    ] {
      let run = try UwbProcess.run(["convert", folder.path(input), folder.path(output)] + option)
      #expect(run.status == 1 && run.errors.contains("is the capture that is to be read"), "\(run.errors)")
    }
    // A name that the program might take for its own temporary files is anybody's.
    #expect(try UwbProcess.run("convert", folder.path("x.partial.sigmf-meta"), folder.path("x.sigmf")).status == 0)
    #expect(try names.map { try contents(folder.path($0)) } == before)
    // A collection's recording is not written while the collection is read.
    #expect(try UwbProcess.run("convert", log, folder.path("c.sigmf-collection")).status == 0)
    #expect(try UwbProcess.run("convert", folder.path("c"), folder.path("c-0000.sigmf-meta")).status == 1)
    #expect(try ConvertTests.read(folder.path("c")).count == 3)
  }

  @Test("outputs fail before the work: twice the same, a folder, no folder")
  func outputs() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try write(ConvertTests.log(2, tapCount: 4).text, log)
    for (arguments, problem) in [
      (["calibrate", "angle", log, "--out", folder.path("c"), "--report", folder.path("./c")], "is written twice"),
      (["replay", log, "--report", folder.url.path], "is a folder"),
      (["replay", log, "--report", folder.path("none/r.html")], "its folder is not there"),
    ] {
      let run = try UwbProcess.run(arguments)
      #expect(run.status == 1 && run.output.isEmpty && run.errors.contains(problem), "\(run.errors)")
    }
    let whole = try UwbProcess.run("replay", log, "--delay", "chip", "--report", "/dev/null")
    #expect(whole.status == 0, "\(whole.errors)")
  }

  @Test(
    "an ending that is none of ours is refused, with those that are",
    arguments: ["a.h5", "a.xlsx", "folder", "folder/", "new/", "a.SIGMF", "a.csv/", ".", "a.log", "/dev/stdout"])
  func endings(name: String) throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.txt")
    try write(ConvertTests.log(2, tapCount: 4).text, log)
    try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: false)
    let path = name.hasPrefix("/") ? name : folder.url.path + "/" + name
    for command in [["convert", log, path], ["simulate", "still", "--out", path]] {
      let run = try UwbProcess.run(command)
      #expect(run.status == 1 && (run.errors.contains(".npy") || name.hasPrefix("/")), "\(run.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["folder", "log.txt"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("folder")).isEmpty)
  }

  @Test(
    "writers of one target at the same time: one of them wins whole",
    arguments: ["o.sigmf-meta", "o.sigmf", "o.sigmf-collection", "o.npy"])
  func writersAtOnce(name: String) throws {
    let folder = try TemporaryFolder()
    let logs = try [8, 9].map { count in
      let path = folder.path("\(count).txt")
      try write(ConvertTests.log(count, tapCount: 64, seed: UInt64(count)).text, path)
      return path
    }
    func info(_ path: String) throws -> String {
      let run = try UwbProcess.run("info", path, "--output", "ndjson")
      return run.output.replacing(/"capture":"[^"]*",/, with: "")
    }
    let known = try logs.enumerated().map { index, log in
      let path = folder.path("\(index)\(name)")
      #expect(try UwbProcess.run("convert", log, path).status == 0)
      return try info(path)
    }
    #expect(known[0] != known[1])
    for round in 0..<6 {
      let running = try (logs + logs).map { try RunningUwb(["convert", $0, folder.path(name)]) }
      for one in running { one.process.waitUntilExit() }
      #expect(running.allSatisfy { $0.process.terminationStatus == 0 }, "round \(round)")
      #expect(known.contains(try info(folder.path(name))), "round \(round)")
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).allSatisfy { !$0.hasSuffix(".partial") })
  }

  @Test("what an older, longer collection of the name left is no part of the new one")
  func olderCollection() throws {
    let folder = try TemporaryFolder()
    let long = folder.path("long.txt")
    let short = folder.path("short.txt")
    try write(ConvertTests.log(130, tapCount: 1016, seed: 5).text, long)
    try write(ConvertTests.log(3, tapCount: 8, seed: 6).text, short)
    for (log, count) in [(long, 130), (short, 3)] {
      #expect(try UwbProcess.run("convert", log, folder.path("c"), "--split", "1").status == 0)
      #expect(try ConvertTests.read(folder.path("c")).count == count)
    }
    #expect(FileManager.default.fileExists(atPath: folder.path("c-0001.sigmf-meta")))
    let info = try #require(try UwbProcess.run("info", folder.path("c"), "--output", "ndjson").events().first)
    #expect(info["hash"] as? String == "fits" && (info["skipped_input"] as? [String: Int])?.isEmpty == true)
  }
}

@Suite("names of captures")
struct CaptureNamesTests {
  @Test(
    "the shortest ends of paths that tell them apart",
    arguments: [
      (["a.log", "x/b.log"], ["a.log", "b.log"]),
      (["LOS/10m.csv", "NLOS/10m.csv", "5m.csv"], ["LOS/10m.csv", "NLOS/10m.csv", "5m.csv"]),
      (["a/x/1", "b/x/1", "b/y/1"], ["a/x/1", "b/x/1", "y/1"]),
      (["a/1", "1"], ["a/1", "1"]), (["/a/1", "a/1"], ["/a/1", "a/1"]), (["./a", "a", "b//a"], ["a", "a (2)", "b/a"]),
      (["-", "x/-"], ["-", "x/-"]), ([""], [""]), (["/"], [""]), ([], []),
    ])
  func names(paths: [String], names: [String]) {
    #expect(CaptureNames.shortest(paths) == names)
  }

  @Test("captures of one file name are two in all that a replay writes")
  func replay() throws {
    let folder = try TemporaryFolder()
    let captures = try ["LOS", "NLOS"].enumerated().map { index, name in
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
      let path = folder.path(name + "/10m.log")
      try Data(ConvertTests.log(3 + index, tapCount: 4).text.utf8).write(to: URL(fileURLWithPath: path))
      return path
    }
    let names = ["LOS/10m.log", "NLOS/10m.log"]
    let page = folder.path("r.html")
    let lines = try UwbProcess.run(["replay", "--delay", "chip", "--report", page] + captures)
    let events = try lines.events().filter { $0["capture"] != nil }
    #expect(Set(events.compactMap { $0["capture"] as? String }) == Set(names))
    let report = try String(contentsOfFile: page, encoding: .utf8)
    for name in names { #expect(report.contains(">\(name)"), "\(name)") }
    var merged = ["merge"]
    for number in 1...2 {
      let shard = try UwbProcess.run(["replay", "--delay", "chip", "--shard", "\(number)/2"] + captures)
      try Data(shard.output.utf8).write(to: URL(fileURLWithPath: folder.path("\(number)")))
      merged.append(folder.path("\(number)"))
    }
    #expect(try UwbProcess.run(merged).output == lines.output)
    for output in ["csv", "summary"] {
      let run = try UwbProcess.run(["replay", "--delay", "chip", "--output", output] + captures)
      for name in names { #expect(run.output.contains("\(name)"), "\(run.output)") }
    }
    let info = try UwbProcess.run(["info", "--output", "ndjson"] + captures).events()
    #expect(info.compactMap { $0["capture"] as? String } == names)
  }
}
