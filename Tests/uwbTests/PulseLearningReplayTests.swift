import Foundation
import TestSupport
import Testing
import UWBDSP
import UWBSimulation
import uwb

@Suite("a capture's own pulse")
struct PulseLearningReplayTests {
  /// CIRs of one radio in many rooms, as NumPy keeps them: rows of complex64.
  private static func array(_ family: String, _ folder: TemporaryFolder, count: Int = 120) throws -> String {
    let trials = ArenaTrials(family: try #require(ArenaFamily.named(family)), seed: 4)
    var rows = Data()
    for index in 0..<count {
      for sample in trials.surveyTrial(index, radio: 0).response.samples() {
        for part in [sample.real, sample.imaginary] {
          withUnsafeBytes(of: part.bitPattern.littleEndian) { rows.append(contentsOf: $0) }
        }
      }
    }
    var header = "{'descr': '<c8', 'fortran_order': False, 'shape': (\(count), \(trials.tapCount)), }"
    header += String(repeating: " ", count: 117 - header.utf8.count) + "\n"
    let path = folder.path("\(family).npy")
    try (Data([0x93]) + Data("NUMPY".utf8) + Data([1, 0, 118, 0]) + Data(header.utf8) + rows)
      .write(to: URL(fileURLWithPath: path))
    return path
  }

  private static func paths(_ arguments: String...) throws -> UwbProcess {
    let run = try UwbProcess.run(["paths", "--rows", "cirs", "--profile", "ideal"] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    return run
  }

  @Test("it is used where the profile's is wrong, told, and the same on any number of threads")
  func learned() throws {
    let folder = try TemporaryFolder()
    let capture = try Self.array("gaussian", folder)
    let learned = try Self.paths(capture, "--threads", "1")
    #expect(learned.errors.contains("the pulse of profile ideal misses"), "\(learned.errors)")
    #expect(learned.output == (try Self.paths(capture, "--threads", "3")).output)
    let kept = try Self.paths(capture, "--pulse", "profile")
    #expect(!kept.errors.contains("misses"), "\(kept.errors)")
    #expect(kept.output != learned.output)
    #expect(kept.output == (try Self.paths(capture, "--pulse", "raised-cosine")).output)
  }

  @Test("the profile's is kept where it fits")
  func kept() throws {
    let folder = try TemporaryFolder()
    let capture = try Self.array("room", folder)
    let run = try Self.paths(capture)
    #expect(!run.errors.contains("misses"), "\(run.errors)")
    #expect(run.output == (try Self.paths(capture, "--pulse", "profile")).output)
  }

  @Test("info says how well it fits", arguments: [("gaussian", "wrong"), ("room", "fits")])
  func info(_ family: String, _ word: String) throws {
    let folder = try TemporaryFolder()
    let arguments = ["info", try Self.array(family, folder), "--rows", "cirs", "--profile", "ideal"]
    let row = try #require(try UwbProcess.run(arguments + ["--output", "ndjson"]).events().first)
    #expect(row["pulse"] as? String == word)
    #expect((try #require(row["pulse_misfit"] as? Double) > 0.1) == (word == "wrong"))
    #expect(try UwbProcess.run(arguments).lines.contains { $0.contains("pulse: the profile's misses") })
  }
}
