import Foundation
import Testing

@Suite("hostile input to uwb replay")
struct HostileInputTests {
  private static func expectRefusal(_ run: UwbProcess, naming file: String) {
    #expect(run.status == 1)
    #expect(run.errors.contains(file), "\(run.errors)")
    #expect(!run.output.contains("\"update\""))
  }

  @Test("an empty file is refused by name")
  func empty() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: URL(fileURLWithPath: folder.path("empty.log")))
    Self.expectRefusal(try UwbProcess.run("replay", folder.path("empty.log")), naming: "empty.log")
  }

  @Test("a directory is refused by name")
  func directory() throws {
    let folder = try TemporaryFolder()
    Self.expectRefusal(try UwbProcess.run("replay", folder.url.path), naming: folder.url.lastPathComponent)
  }

  @Test("a missing file is refused by name")
  func missing() throws {
    Self.expectRefusal(try UwbProcess.run("replay", "/nonexistent/capture.log"), naming: "capture.log")
  }

  @Test("binary noise is refused by name")
  func binary() throws {
    let folder = try TemporaryFolder()
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    let noise = (0..<200_000).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    try Data(noise).write(to: URL(fileURLWithPath: folder.path("noise.bin")))
    Self.expectRefusal(try UwbProcess.run("replay", folder.path("noise.bin")), naming: "noise.bin")
  }

  @Test("one bad capture among good ones: the good are replayed, the exit status is 1")
  func mixed() throws {
    let folder = try TemporaryFolder()
    _ = try UwbProcess.run("simulate", "still", "--out", folder.path("still"))
    let run = try UwbProcess.run("replay", "/nonexistent/capture.log", folder.path("still.sigmf-meta"))
    #expect(run.status == 1)
    #expect(run.errors.contains("capture.log"))
    #expect(run.output.contains("\"update\""))
    #expect(run.output.contains("\"summary\""))
  }

  @Test(
    "bad files for options are refused with file, place and remedy",
    arguments: [
      ("--array", "{", "is not JSON"),
      ("--array", "{\"carrier_hz\": 1e9}", "positions_m"),
      ("--array", "{\"carrier_hz\": -1, \"positions_m\": [[0,0,0]]}", "carrier_hz"),
      ("--array", "{\"carrier_hz\": 1e9, \"positions_m\": [[0,0]]}", "positions_m[0]"),
      ("--pulse", "{\"spacing_s\": 0, \"peak_index\": 0, \"samples\": [1,1,1,1]}", "is not a pulse"),
      ("--pulse", "{\"spacing_s\": 1e-10, \"peak_index\": 1, \"samples\": [0,0,0,0]}", "peak_index"),
    ])
  func options(option: String, contents: String, complaint: String) throws {
    let folder = try TemporaryFolder()
    _ = try UwbProcess.run("simulate", "still", "--out", folder.path("still"))
    let file = folder.path("option.json")
    try Data(contents.utf8).write(to: URL(fileURLWithPath: file))
    let run = try UwbProcess.run("replay", folder.path("still.sigmf-meta"), option, file)
    #expect(run.status == 1)
    #expect(run.errors.contains("option.json") && run.errors.contains(complaint), "\(run.errors)")
  }

  @Test(
    "arrays and pulses that can't be are refused by file and field, before anything is measured",
    arguments: [
      ("--array", "{\"carrier_hz\": 1e300, \"positions_m\": [[0,0,0]]}", "carrier_hz"),
      ("--array", "{\"carrier_hz\": 8e9, \"positions_m\": [[0,0,0],[18.8,0,0]]}", "positions_m[1]"),
      ("--array", "{\"carrier_hz\": 8e9, \"positions_m\": [[0,0,0],[1e9,0,0]]}", "positions_m[1]"),
      (
        "--array", "{\"carrier_hz\": 8e9, \"positions_m\": [[0,0,0]], \"gains\": [{\"phase_deg\": 1e308}]}",
        "gains[0]"
      ),
      (
        "--array", "{\"carrier_hz\": 8e9, \"layout\": {\"kind\": \"linear\", \"count\": 65, \"spacing_m\": 0.01}}",
        "layout.count"
      ),
      (
        "--array", "{\"carrier_hz\": 8e9, \"layout\": {\"kind\": \"linear\", \"count\": 64, \"spacing_m\": 1}}",
        "layout["
      ),
      ("--pulse", "{\"spacing_s\": 1e-300, \"peak_index\": 1, \"samples\": [0,1,0,0]}", "is not a pulse"),
      ("--pulse", "{\"spacing_s\": 1, \"peak_index\": 1, \"samples\": [0,1,0,0]}", "is not a pulse"),
    ])
  func extremes(option: String, contents: String, complaint: String) throws {
    try options(option: option, contents: contents, complaint: complaint)
  }

  @Test("YAML aliases are refused with their line: a few of them unfold without end")
  func aliases() throws {
    let folder = try TemporaryFolder()
    let levels = (1..<30).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined()
    for text in ["a0: &a0 [x]\n\(levels)? *a29\n: 1\n", "a: &a {b: *a}\n", "&x y : *x\n"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("room.yaml")))
      let run = try UwbProcess.run("simulate", folder.path("room.yaml"), "--live")
      #expect(
        run.status == 1 && run.errors.contains("alias") && run.errors.contains("room.yaml, line"), "\(run.errors)")
    }
  }

  @Test(
    "merge refuses shards whose numbers no replay writes",
    arguments: [
      ("\"exchange\":0", "\"exchange\":9223372036854775807"), ("\"time\":0", "\"time\":1e308"),
      ("\"skipped\":{}", "\"skipped\":{\"a\":9223372036854775807}"),
      ("\"exchanges\":", "\"exchanges\":-9"), ("\"rawDistance\":", "\"rawDistance\":-1e300,\"x\":"),
    ])
  func shards(field: String, change: String) throws {
    let folder = try TemporaryFolder()
    _ = try UwbProcess.run("simulate", "still", "--out", folder.path("s"))
    let shard = try UwbProcess.run("replay", folder.path("s"), "--shard", "1/1").output
    let changed = shard.replacing(field, with: change, maxReplacements: 1)
    #expect(changed != shard, "a shard has no \(field)")
    try Data(changed.utf8).write(to: URL(fileURLWithPath: folder.path("1.ndjson")))
    let run = try UwbProcess.run("merge", folder.path("1.ndjson"))
    #expect(run.status == 1 && run.errors.contains("1.ndjson, line") && run.errors.contains("number"), "\(run.errors)")
  }
}
