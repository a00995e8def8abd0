import ArgumentParser
import Numerics
import UWBCapture
import UWBDSP
import UWBSimulation

/// `--score`: first paths that another program found in the trials that `--export` wrote.
///
/// A CSV table with the columns `case`, `trial` (both from 0 on, as the exported files count) and `first_path_taps`, perhaps also
/// `first_path_std_taps` and `microseconds`. A trial without a row, or without a first path in it, is one where none was found.
struct ScoredAnswers {
  /// `NAME=FILE` of the command line.
  struct Source: Sendable {
    let name: String
    let path: String

    @Sendable
    static func read(_ text: String) throws -> Source {
      let parts = text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { throw ValidationError("Give NAME=FILE, as in mine=results.csv.") }
      return Source(name: String(parts[0]), path: String(parts[1]))
    }
  }

  private struct Answer {
    var delayTaps: Double
    var deviationTaps: Double?
    var microseconds: Double?
  }

  private static let columns = ["case", "trial", "first_path_taps"]

  let name: String
  private let trialCount: Int
  /// By `case` times `trialCount`, plus `trial`.
  private var answers: [Int: Answer] = [:]

  /// - Throws: `CaptureError` that names the line, for a file that can't be read, or a row that is of no trial or of one that came before.
  init(_ source: Source, caseCount: Int, trialCount: Int) throws {
    name = source.name
    self.trialCount = trialCount
    var table = try CSVTable(ByteSource(path: source.path))
    func failure(_ place: String, _ problem: String) -> CaptureError {
      CaptureError(
        file: source.path, place: place, problem: problem,
        remedy: "Give a table \(Self.columns.joined(separator: ",")), and the options of the export.")
    }
    let places = try Self.columns.map { name in
      guard let place = table.column(name) else { throw failure("header", "the column “\(name)” is missing") }
      return place
    }
    let (deviation, time) = (table.column("first_path_std_taps"), table.column("microseconds"))
    while let row = try table.next() {
      func index(_ column: Int, below count: Int) throws -> Int {
        guard let index = row.number(places[column]).flatMap(Int.init(exactly:)), (0..<count).contains(index) else {
          throw failure("line \(row.line)", "there is no such \(Self.columns[column]) among \(count)")
        }
        return index
      }
      let trial = try index(0, below: caseCount) * trialCount + index(1, below: trialCount)
      guard let delay = row.number(places[2]), CaptureLimits.taps.contains(delay) else { continue }
      let answer = Answer(
        delayTaps: delay, deviationTaps: row.number(deviation).flatMap { CaptureLimits.taps.contains($0) ? $0 : nil },
        microseconds: row.number(time).flatMap { CaptureLimits.time.contains($0) ? $0 : nil })
      guard answers.updateValue(answer, forKey: trial) == nil else {
        throw failure("line \(row.line)", "its trial has a row already")
      }
    }
  }

  /// The figures of case `number`, whose trials `generator` draws.
  func row(_ number: Int, _ generator: DelayTrialGenerator) -> DelayEvaluation.Row {
    var samples: [Complex<Float>] = []
    var bounds: [Double?] = []
    let scored = (0..<trialCount).map { index in
      let trial = generator.trial(index, into: &samples)
      bounds.append(generator.firstPathBound(trial))
      let answer = answers[number * trialCount + index]
      return DelayEvaluation.Answer(
        errorTaps: answer.map { $0.delayTaps - trial.firstPathTaps }, deviationTaps: answer?.deviationTaps ?? 0,
        nanoseconds: (answer?.microseconds ?? 0) * 1000)
    }
    return DelayEvaluation.row(name, scored, bounds)
  }
}
