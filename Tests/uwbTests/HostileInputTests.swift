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
      ("--pulse", "{\"spacing_s\": 0, \"peak_index\": 0, \"samples\": [1,1,1,1]}", "is no pulse"),
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
}
