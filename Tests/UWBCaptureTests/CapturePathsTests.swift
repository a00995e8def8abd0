import Foundation
import Testing

@testable import UWBCapture

/// What files, folders and patterns stand for.
@Suite struct CapturePathsTests {
  private static let log = "CIR[0:1] 01000200\n"

  private func folder(_ files: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, content) in files {
      let url = URL(fileURLWithPath: "\(folder.path)/\(name)")
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(content.utf8).write(to: url)
    }
    return folder
  }

  private func names(_ paths: [String], in folder: TemporaryFolder) -> [String] {
    paths.map { String($0.dropFirst(folder.path.count + 1)) }
  }

  @Test func aFolderIsItsCapturesAsPeopleCount() throws {
    let folder = try folder([
      "run 10.log": Self.log, "run 2.log": Self.log, "Run 1": Self.log, "far/run 3.txt": Self.log,
      "README.md": "hello\n",
      "truth.csv": "capture,distance_m\na,1\n", ".hidden.log": Self.log, "empty.log": "",
    ])
    let paths = CapturePaths([folder.path])
    #expect(names(paths.captures, in: folder) == ["far/run 3.txt", "Run 1", "run 2.log", "run 10.log"])
    #expect(names(paths.passedOver.map(\.path), in: folder) == ["empty.log", "README.md", "truth.csv"])
    #expect(paths.passedOver.map(\.problem)[0] == "is empty" && paths.passedOver[2].problem.contains("truth table"))
  }

  @Test func aPatternIsWhatItFits() throws {
    let folder = try folder([
      "10.log": Self.log, "2.log": Self.log, "1.csv": "", "sub/3.log": Self.log, "a[1].log": Self.log,
    ])
    #expect(names(CapturePaths([folder.path + "/*.log"]).captures, in: folder) == ["2.log", "10.log", "a[1].log"])
    #expect(names(CapturePaths([folder.path + "/s*"]).captures, in: folder) == ["sub/3.log"])
    let same = [folder.path + "/*.txt", folder.path + "/a[1].log", "-", folder.path + "/none.log"]
    #expect(CapturePaths(same).captures == same, "what fits nothing stays: opening it says what is wrong")
  }

  @Test func aFolderWithoutCapturesStays() throws {
    let folder = try folder(["README.md": "hello\n"])
    let paths = CapturePaths([folder.path])
    #expect(paths.captures == [folder.path] && paths.passedOver.count == 1)
    expectRefusal(of: "folder", showing: ["directory"]) { _ = try openCapture(folder.path) }
  }

  @Test func recordingsCountOnce() throws {
    let folder = try TemporaryFolder()
    for (name, split) in [("one.sigmf-meta", nil), ("many.sigmf-collection", 1000)] as [(String, Int?)] {
      let writer = try createCapture(
        "\(folder.path)/\(name)", header: SigMFTests.header, options: CaptureWriterOptions(maximumByteCount: split))
      for exchange in SigMFTests.exchanges(6, layout: .single, seed: 3) { try writer.append(exchange) }
      try writer.finish()
    }
    let paths = CapturePaths([folder.path])
    #expect(names(paths.captures, in: folder) == ["many.sigmf-collection", "one.sigmf-meta"])
    #expect(paths.passedOver.isEmpty)
  }
}
