import Foundation
import Testing

@Suite struct EvaluateScoreTests {
  private struct Truth: Decodable {
    var firstPathTaps: [Double]

    enum CodingKeys: String, CodingKey {
      case firstPathTaps = "first_path_taps"
    }
  }

  private struct Row: Decodable {
    var estimator: String
    var snr: Double
    var trials: Int
    var missed: Int
    var early: Int
    var rmse: Double?
    var bias: Double?
    var bound: Double?
    var coverage: Double?
    var microseconds: Double?

    enum CodingKeys: String, CodingKey {
      case estimator, trials, missed, early, coverage, microseconds
      case snr = "snr_db"
      case rmse = "rmse_m"
      case bias = "bias_m"
      case bound = "bound_m"
    }
  }

  private let options = ["evaluate", "delay", "--snr", "20,25", "--trials", "8", "--output", "ndjson"]
  private let tap = 0.300_207

  private func rows(_ arguments: [String]) throws -> [Row] {
    let run = try UwbProcess.run(options + arguments)
    #expect(run.status == 0, "\(run.errors)")
    return try run.output.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
  }

  private func truth(_ folder: String, _ number: Int) throws -> [Double] {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(number).json"))
    return try JSONDecoder().decode(Truth.self, from: data).firstPathTaps
  }

  @Test func scoresWhatOthersFound() throws {
    let folder = try TemporaryFolder()
    let own = try rows(["--estimators", "peak", "--export", folder.path("trials")])
    // A quarter of a tap late in the first case; in the second exact, off by 5 taps and not found.
    var late = "case,trial,first_path_taps,first_path_std_taps,microseconds\n"
    for (trial, taps) in try truth(folder.path("trials"), 0).enumerated() {
      late += "0,\(trial),\(taps + 0.25),0.5,7\n"
    }
    for (trial, taps) in try truth(folder.path("trials"), 1).enumerated() where trial != 4 {
      late += trial == 6 ? "1,6,,,\n" : "1,\(trial),\(trial == 2 ? taps - 5 : taps),,\n"
    }
    try late.write(toFile: folder.path("late.csv"), atomically: true, encoding: .utf8)
    let scored = try rows(["--score", "late=\(folder.path("late.csv"))"])
    #expect(scored.map(\.estimator) == ["late", "late"] && scored.map(\.trials) == [8, 8])
    #expect(scored.map(\.bound) == own.map(\.bound) && scored.map(\.snr) == [20, 25])
    #expect(abs((scored[0].rmse ?? 0) - 0.25 * tap) < 1e-5 && abs((scored[0].bias ?? 0) - 0.25 * tap) < 1e-5)
    #expect(scored[0].coverage == 1 && scored[0].microseconds == 7 && scored[0].missed == 0)
    #expect(scored[1].missed == 3 && scored[1].early == 1 && scored[1].coverage == nil && scored[1].microseconds == nil)
    let beside = try rows(["--score", "late=\(folder.path("late.csv"))", "--estimators", "peak"])
    #expect(beside.map(\.estimator) == ["peak", "late", "peak", "late"] && beside[0].rmse == own[0].rmse)
  }

  @Test(
    "what is no table of answers is refused",
    arguments: [
      ("case,trial\n0,0\n", "first_path_taps"), ("case,trial,first_path_taps\n0,8,1\n", "line 2"),
      ("case,trial,first_path_taps\n0,0,1\n2,0,1\n", "line 3"), ("case,trial,first_path_taps\n0,0.5,1\n", "line 2"),
      ("case,trial,first_path_taps\n0,1,1\n0,1,1\n", "line 3"), ("", "empty"),
    ])
  func refuses(table: String, place: String) throws {
    let folder = try TemporaryFolder()
    try table.write(toFile: folder.path("a.csv"), atomically: true, encoding: .utf8)
    let run = try UwbProcess.run(options + ["--score", "a=\(folder.path("a.csv"))"])
    #expect(run.status == 1 && run.errors.contains("a.csv") && run.errors.contains(place), "\(run.errors)")
    #expect(try UwbProcess.run(options + ["--score", "a.csv"]).status == 64)
  }
}
