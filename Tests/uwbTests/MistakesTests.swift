import Foundation
import Testing

/// What people give that is not quite right: it is read all the same, or the message names the file, the place and the remedy.
@Suite("mistakes") struct MistakesTests {
  private static let head = "Real Azimuth,Real Elevation,NLOS,Distance,AoA1,AoA2,PDoA1,PDoA2"
  private static let rows = ["60,-10,0,203,60.5,-7.0,-150.0625,-27.109375", "58,-10,1,200,60.0,-8.2,-148.0,-29.59375"]
  private static let table = ([head] + rows).joined(separator: "\n") + "\n"

  /// The table with a first column more.
  private static func timed(_ name: String, _ times: [String], end: String = "\n") -> String {
    ([name] + times).enumerated().map { "\($0.element),\($0.offset == 0 ? head : rows[$0.offset - 1])\(end)" }.joined()
  }

  private static func ranging(_ separator: String, comma: String = ".") -> String {
    let header = "Timestamp,POLL_TX_TS,poll_rx_ts,resp_tx_ts,resp_rx_ts,Distance"
    let rows = ["10.5,1000,5000,72000,68020,1.5", "10.75,2000,6000,73000,69020,1.5"]
    return ([header] + rows).map {
      $0.replacing(".", with: comma == "." ? "." : "#").replacing(",", with: separator).replacing("#", with: comma)
    }.joined(separator: "\n") + "\n"
  }

  static let readAllTheSame: [String: Data] = {
    var texts: [String: String] = [
      "as it should be": table,
      "CRLF": table.replacing("\n", with: "\r\n"),
      "no line end at the end": String(table.dropLast()),
      "byte-order mark": "\u{FEFF}" + table,
      "blank lines and comments": "# 17 May\n\n" + table.replacing("\n", with: "\n\n"),
      "semicolons and decimal commas": table.replacing(",", with: ";").replacing(".", with: ","),
      "semicolons and decimal points": table.replacing(",", with: ";"),
      "tabs": table.replacing(",", with: "\t"),
      "Excel's sep line": "sep=;\r\n" + table.replacing(",", with: ";").replacing("\n", with: "\r\n"),
      "Excel's empty columns": table.replacing("\n", with: ",,,\r\n"),
      "all quoted": table.split(separator: "\n").map { "\"" + $0.replacing(",", with: "\",\"") + "\"\n" }.joined(),
      "blanks around fields": table.replacing(",", with: " , "),
      "capital letters": table.uppercased(),
      "small letters": table.lowercased(),
      "ISO times": timed("Timestamp", ["2024-05-17T09:30:00.25Z", "2024-05-17T09:30:00.50Z"]),
      "ISO times with a blank and an offset": timed(
        "Time", ["2024-05-17 09:30:00.25+02:00", "2024-05-17 09:30:00.50+02:00"]),
      "times of the day over midnight": timed("Time", ["23:59:59.9", "00:00:00.15"]),
      "epoch seconds": timed("time", ["1715938200.25", "1715938200.5"]),
      "epoch milliseconds that nothing says": timed("Timestamp", ["1715938200250", "1715938200500"]),
      "epoch milliseconds": timed("time_ms", ["1715938200250", "1715938200500"]),
      "a column nobody knows": timed("Comment", ["first", "second"]),
      "no value where the chip has none": table.replacing("203", with: "N/A").replacing("60.5", with: "nan"),
      "NLOS 255": table.replacing(",1,200", with: ",255,200"),
      "columns swapped":
        ([head] + rows).map { $0.split(separator: ",").reversed().joined(separator: ",") + "\n" }.joined(),
      "ranging table": ranging(","), "ranging table with semicolons": ranging(";", comma: ","),
      "ranging table with tabs": ranging("\t"),
      "ranging table with ISO times":
        ranging(",").replacing("\n10.5,", with: "\n2024-05-17T09:30:00.5Z,").replacing(
          "\n10.75,", with: "\n2024-05-17T09:30:00.75Z,"),
      "eWINE with semicolons": "NLOS;RANGE;FP_IDX;RXPACC;CIR0;CIR1\n1;6,18;1;100;3;9\n0;5,2;1;100;4;8\n",
      "eWINE with tabs": "NLOS\tRANGE\tFP_IDX\tRXPACC\tCIR0\tCIR1\n1\t6.18\t1\t100\t3\t9\n0\t5\t1\t100\t4\t8\n",
    ]
    var files = texts.mapValues { Data($0.utf8) }
    files["UTF-16 of Excel's “Unicode text”"] =
      Data([0xFF, 0xFE]) + Data(table.replacing(",", with: "\t").utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
    files["UTF-16, big-endian"] = Data([0xFE, 0xFF]) + Data(table.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
    texts = [:]
    return files
  }()

  @Test(arguments: readAllTheSame.keys.sorted())
  func read(_ name: String) throws {
    let folder = try TemporaryFolder()
    try #require(Self.readAllTheSame[name]).write(to: URL(fileURLWithPath: folder.path("t.csv")))
    let run = try UwbProcess.run("info", folder.path("t.csv"), "--output", "ndjson")
    #expect(run.status == 0, "\(run.errors)")
    let event = try #require(try run.events().first)
    #expect(event["exchanges"] as? Int == 2)
    #expect((event["skipped_input"] as? [String: Int])?.isEmpty == true)
    let isTimed = ["time", "epoch", "ranging"].contains { name.lowercased().contains($0) }
    #expect(abs((event["seconds"] as? Double ?? -1) - (isTimed ? 0.25 : 0)) < 1e-5)
  }

  /// A capture or table, and what the message must show.
  static let refused: [(name: String, content: String, shown: [String])] = [
    ("nothing.csv", "", ["is empty"]),
    ("header.csv", head + "\n", ["holds no exchange"]),
    ("words.csv", timed("Timestamp", ["soon", "later"]), ["line 2", "Timestamp", "“soon”", "ISO 8601", "badField 2"]),
    ("day.csv", timed("Timestamp", ["17.05.2024 09:30", "17.05.2024 09:31"]), ["line 2", "Timestamp", "ISO 8601"]),
    ("short.csv", head + "\n60,1,0,203\n", ["line 2", "4 fields under 8", "fieldCount 1"]),
    ("comma.csv", head + "\n60,1,0,203,1,1,\"-150,06\",2\n", ["line 2", "PDoA1", "decimal point"]),
    ("range.csv", head + "\n60,1,0,203,1,1,1500,2\n", ["line 2", "PDoA1", "out of range"]),
    ("label.csv", head + "\n60,1,maybe,203,1,1,15,2\n", ["line 2", "NLOS", "“maybe”"]),
    ("bare.csv", rows.joined(separator: "\n") + "\n", ["without a header"]),
    ("other.csv", "Session,Angle\n1,2\n", ["Session, Angle", "--columns"]),
    ("mac.csv", table.replacing("\n", with: "\r"), ["CR alone", "tr"]),
    ("truth.csv", "capture,distance_m\na,1\n", ["truth table", "--truth"]),
    ("pose.csv", "time_s,yaw_deg\n0,1\n", ["pose table", "--pose"]),
    ("replay.ndjson", "{\"event\":\"update\",\"capture\":\"a\"}\n", ["uwb replay wrote"]),
    ("page.log", "<!DOCTYPE html>\n<html></html>\n", ["web page"]),
    ("antennas.json", "{\"carrier_hz\": 1e9, \"positions_m\": [[0,0,0]]}\n", ["--array"]),
    (
      "stamps.csv", "poll_tx_ts,poll_rx_ts,resp_tx_ts,resp_rx_ts\n1,x,3,4\n",
      ["line 2", "poll_rx_ts", "“x”", "damagedRow 1"]
    ),
    ("cut.ndjson", "{\"format\":\"uwb-capture\",\"version\":1}\n{\"exchange\":0,\n", ["line 2", "damagedLine 1"]),
    (
      "converted.csv", "exchange,time_s,message,transmitted_ticks,received_ticks\n0,0,poll,1,2\n",
      ["header", "peer", "uwb convert"]
    ),
    ("notes.ndjson", "{\"format\":\"uwb-capture\",\"version\":1,\"notes\":[\"\\u001b[31m\"]}\n", ["holds no exchange"]),
  ]

  @Test(arguments: refused.indices)
  func isRefused(_ index: Int) throws {
    let (name, content, shown) = Self.refused[index]
    let folder = try TemporaryFolder()
    try Data(content.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
    for verb in [["info"], ["replay", "--output", "summary"], ["inspect"]] {
      let run = try UwbProcess.run(verb + [folder.path(name)])
      #expect(run.status == 1, "\(name) \(verb)")
      for part in [name] + shown { #expect(run.errors.contains(part), "\(verb): \(run.errors)") }
      #expect(!run.output.contains("updates") && !run.output.contains("\u{1B}"))
    }
    let target = folder.path("out.ndjson")
    #expect(try UwbProcess.run("convert", folder.path(name), target).status == 1)
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  /// Packed files and documents: the message says what they are, and how to get at what is in them.
  @Test(arguments: [
    ("1f8b0800", "gunzip -t"), ("425a6839", "bzip2"), ("fd377a585a00", "xz"), ("28b52ffd", "zstd"), ("d0cf11e0", "CSV"),
    ("894844460d0a", "HDF5"), ("377abcaf271c", "7z"),
  ])
  func packed(_ hexadecimal: String, _ shown: String) throws {
    let folder = try TemporaryFolder()
    let bytes = stride(from: 0, to: hexadecimal.count, by: 2).compactMap {
      UInt8(hexadecimal.dropFirst($0).prefix(2), radix: 16)
    }
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path("x.log")))
    for arguments in [
      ["replay", folder.path("x.log")], ["evaluate", "ranging", "a.log", "--truth", folder.path("x.log")],
    ] {
      let run = try UwbProcess.run(arguments)
      #expect(run.status == 1 && run.output.isEmpty)
      #expect(run.errors.contains("x.log") && run.errors.contains(shown), "\(run.errors)")
    }
  }

  @Test(
    "misspelt names: the nearest is suggested, with the usage of the verb",
    arguments: [
      (["replya", "x"], ["Did you mean “replay”", "Usage: uwb"]),
      (["Replay", "x"], ["Did you mean “replay”"]),
      (["ranging", "x"], ["Did you mean “evaluate ranging”"]),
      (["evaluate", "rangin", "x"], ["Did you mean “ranging”", "Usage: uwb evaluate"]),
      (["calibrate", "delays", "x"], ["Did you mean “delay”", "Usage: uwb calibrate"]),
      (["evaluate", "delay", "--estimators", "pulsefit"], ["Did you mean “pulse-fit”", "uwb evaluate delay"]),
      (["evaluate", "delay", "--channel", "cm9"], ["cm9", "cm8", "uwb evaluate delay"]),
      (["evaluate", "angle", "--array", "par"], ["Did you mean “pair”", "uwb evaluate angle"]),
      (["evaluate", "angle", "--estimators", "musik"], ["Did you mean “music”", "uwb evaluate angle"]),
      (["simulate", "wlak", "--out", "/nonexistent/x"], ["Did you mean “walk”", "uwb simulate"]),
      (["replay", "x", "--delay", "pulsefit"], ["Did you mean “pulse-fit”", "uwb replay"]),
      (["replay", "x", "--output", "sumary"], ["Did you mean “summary”"]),
      (["replay", "x", "--outptu", "csv"], ["Did you mean '--output'"]),
      (["info", "x", "--report", "y.html"], ["--report is an option of: replay", "uwb info"]),
      (["info", "x", "--truth", "y.csv"], ["--truth is an option of: replay, evaluate ranging", "uwb info"]),
    ])
  func misspelt(_ arguments: [String], _ shown: [String]) throws {
    let run = try UwbProcess.run(arguments)
    #expect(run.status == 64 && run.output.isEmpty)
    for part in shown { #expect(run.errors.contains(part), "\(run.errors)") }
  }

  @Test func misspeltFormatsProfilesAndPulses() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("t.csv")
    try Data(Self.table.utf8).write(to: URL(fileURLWithPath: file))
    for (arguments, shown) in [
      (["info", file, "--format", "phasetable"], "“phase-table”"), (["info", file, "--profile", "dw100"], "“dw1000”"),
      (["convert", file, folder.path("o.ndjson"), "--profile", "dw100"], "“dw1000”"),
      (["replay", file, "--pulse", "dw100"], "“dw1000”"),
    ] {
      let run = try UwbProcess.run(arguments)
      #expect(run.status != 0 && run.errors.contains("Did you mean \(shown)"), "\(run.errors)")
    }
    let named = try UwbProcess.run(file)
    #expect(named.status == 64 && named.errors.contains("uwb replay \(file)"))
  }

  @Test("paths: a folder without captures, no such file, a pattern that matches nothing")
  func paths() throws {
    let folder = try TemporaryFolder()
    for (path, shown) in [
      (folder.url.path, "directory"), (folder.path("none.log"), "no such file"),
      (folder.path("*.log"), "The shell found no file"),
    ] {
      let run = try UwbProcess.run("replay", path)
      #expect(run.status == 1 && run.output.isEmpty, "zeros are no result: \(run.output)")
      #expect(run.errors.contains(shown), "\(run.errors)")
    }
  }

  @Test("a name that is no UTF-8 is told as that")
  func namesThatAreNoText() throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "exec \"$0\" info \"$(printf 'b\\351d.log')\"", UwbProcess.executable.path]
    let errors = Pipe()
    shell.standardError = errors
    try shell.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 64)
    #expect(text.contains("not UTF-8") && text.contains("Rename"), "\(text)")
  }

  @Test("what steers a terminal is shown, not obeyed: names, notes, messages")
  func escapes() throws {
    let folder = try TemporaryFolder()
    let name = folder.path("e\u{1B}[31m\nx.ndjson")
    try Data(
      "{\"format\":\"uwb-capture\",\"version\":1,\"profile\":\"dw1000\",\"notes\":[\"\\u001b]0;x\\u0007\\u009b\"]}\n"
        .utf8
    ).write(to: URL(fileURLWithPath: name))
    for arguments in [["info", name], ["replay", name, "--output", "summary"], ["info", name + "2"], ["\u{1B}[2J"]] {
      let run = try UwbProcess.run(arguments)
      for text in [run.output, run.errors] {
        #expect(
          !text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) }, "\(text)"
        )
      }
      #expect((run.output + run.errors).contains("\\u{1b}"))
    }
  }

  @Test(
    "output that can't be written is an error",
    arguments: [["estimators"], ["info"], ["inspect"], ["--help"], ["--version"]])
  func fullDisk(_ arguments: [String]) throws {
    let folder = try TemporaryFolder()
    try Data(Self.table.utf8).write(to: URL(fileURLWithPath: folder.path("t.csv")))
    let process = Process()
    process.executableURL = UwbProcess.executable
    process.arguments =
      arguments
      + (["info", "inspect"].contains(arguments[0]) ? [folder.path("t.csv"), "--array", folder.path("a")] : [])
    try Data("{\"carrier_hz\": 8e9, \"positions_m\": [[0,0,0],[0.02,0,0],[0,0.02,0]]}".utf8).write(
      to: URL(fileURLWithPath: folder.path("a")))
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1 && text.contains("standard output"), "\(text)")
  }

  @Test(
    "scenarios: the line, the column, and our words",
    arguments: [
      ("name: [a\n", ["line 2, column 1", "lacks a comma or its ]", "line 1"]),
      ("name: a: b\n", ["line 1, column 8", "second “:”"]), ("name: a\n\tx: 1\n", ["line 2", "tab"]),
      ("name: \"a\n", ["line 2", "not closed"]), ("name: *a\n", ["line 1", "anchor"]),
      ("name: x\nduration_s: soon\n", ["line 2, column 1, duration_s", "“soon” is not a number"]),
      ("name: x\nduration_s: 3\ndevces: []\n", ["line 3", "devces", "did you mean “devices”"]),
      ("name: x\nname: y\n", ["line 1", "“name” is there twice"]),
      (
        "name: x\nduration_s: 3\ndevices:\n  - name: a\n    motion: {position_m: [0,0,0]}\n    sessions: [b]\n",
        ["line 6, column 5, devices.a.sessions"]
      ),
    ])
  func scenarios(_ text: String, _ shown: [String]) throws {
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("s.yaml")))
    let run = try UwbProcess.run("simulate", folder.path("s.yaml"), "--live")
    #expect(run.status == 1 && run.output.isEmpty)
    for part in ["s.yaml"] + shown { #expect(run.errors.contains(part), "\(run.errors)") }
    #expect(!run.errors.contains("error:") && !run.errors.contains("Context") && !run.errors.contains("Swift"))
  }
}
