import Foundation
import Testing

@Suite struct EvaluateExportTests {
  private struct Truth: Decodable {
    var `case`: String
    var tapCount: Int
    var trials: Int
    var pathDelaysTaps: [Double]?
    var bound: Double?
    var firstPathTaps: [Double]
    var noiseVariance: [Double]

    enum CodingKeys: String, CodingKey {
      case `case`, trials
      case tapCount = "tap_count"
      case pathDelaysTaps = "path_delays_taps"
      case bound = "bound_m"
      case firstPathTaps = "first_path_taps"
      case noiseVariance = "noise_variance"
    }
  }

  private func export(_ arguments: [String], trials: Int, to folder: String) throws {
    let run = try UwbProcess.run(
      ["evaluate", "delay", "--estimators", "peak", "--trials", "\(trials)", "--export", folder] + arguments)
    #expect(run.status == 0, "\(run.errors)")
  }

  private func truth(_ folder: String, _ case: Int) throws -> Truth {
    try JSONDecoder().decode(Truth.self, from: Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(`case`).json")))
  }

  /// The strongest tap of a CIR in a cf32 file.
  private func strongestTap(_ data: Data, trial: Int, tapCount: Int) -> Int {
    func number(_ index: Int) -> Float {
      let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(data[4 * index + $1]) << UInt32(8 * $1) }
      return Float(bitPattern: word)
    }
    let powers = (0..<tapCount).map { tap in
      let index = 2 * (trial * tapCount + tap)
      return number(index) * number(index) + number(index + 1) * number(index + 1)
    }
    return powers.indices.max { powers[$0] < powers[$1] } ?? -1
  }

  @Test func holdsTheTrialsAndTheirTruth() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("trials")
    try export(["--paths", "0:0dB", "--paths", "1:-60dB,3.5:0dB", "--snr", "30,40"], trials: 5, to: path)
    for index in 0..<4 {
      let truth = try truth(path, index)
      #expect(truth.trials == 5)
      #expect(truth.firstPathTaps.count == 5)
      #expect(truth.noiseVariance.count == 5)
      #expect(truth.pathDelaysTaps == (index < 2 ? [0] : [0, 2.5]))
      #expect((truth.bound ?? 0) > 0)
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(index).cf32"))
      try #require(data.count == 5 * truth.tapCount * 8)
      for trial in 0..<5 {
        let strongest = truth.firstPathTaps[trial] + (truth.pathDelaysTaps?.last ?? 0)
        let tap = strongestTap(data, trial: trial, tapCount: truth.tapCount)
        #expect(abs(Double(tap) - strongest) < 0.6)
      }
    }
  }

  @Test func fewerTrialsAreTheFirstOfMore() throws {
    let folder = try TemporaryFolder()
    let (few, many) = (folder.path("few"), folder.path("many"))
    try export(["--channel", "cm3", "--snr", "20"], trials: 2, to: few)
    try export(["--channel", "cm3", "--snr", "20"], trials: 3, to: many)
    let start = try Data(contentsOf: URL(fileURLWithPath: "\(few)/0.cf32"))
    let all = try Data(contentsOf: URL(fileURLWithPath: "\(many)/0.cf32"))
    #expect(start.count < all.count && all.prefix(start.count) == start)
    let truth = try truth(few, 0)
    #expect(truth.pathDelaysTaps == nil)
    #expect(truth.bound == nil)
  }

  @Test func aFolderThatCannotBeMadeIsBadInput() throws {
    let run = try UwbProcess.run(
      "evaluate", "delay", "--trials", "1", "--snr", "20", "--estimators", "peak", "--export", "/dev/null/trials")
    #expect(run.status == 1)
    #expect(run.errors.contains("/dev/null/trials"))
  }

  @Test func aClusterFollowsThePaths() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("trials")
    try export(["--paths", "0:-10dB", "--cluster", "6:8:0dB", "--snr", "30"], trials: 3, to: path)
    let truth = try truth(path, 0)
    #expect(truth.case == "0:-10dB cluster 6:8:0dB")
    #expect(truth.pathDelaysTaps == [0])
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(path)/0.cf32"))
    for trial in 0..<3 {
      let tap = strongestTap(data, trial: trial, tapCount: truth.tapCount)
      #expect(Double(tap) - truth.firstPathTaps[trial] > 4)
    }
  }

  @Test(arguments: [
    ["--cluster", "6:8:0dB"], ["--paths", "0:0dB", "--cluster", "6:8"], ["--paths", "0:0dB", "--cluster", "6:0:0dB"],
    ["--paths", "0:0dB", "--cluster", "-1:8:0dB"], ["--paths", "0:0dB", "--cluster", "6:1e5:0dB"],
    ["--paths", "0:0dB", "--cluster", "6:8:loud"],
  ])
  func aClusterThatMakesNoSenseIsWrongUsage(_ arguments: [String]) throws {
    let run = try UwbProcess.run(["evaluate", "delay", "--trials", "1", "--estimators", "peak"] + arguments)
    #expect(run.status == 64)
    #expect(run.errors.contains("--cluster"))
  }
}
