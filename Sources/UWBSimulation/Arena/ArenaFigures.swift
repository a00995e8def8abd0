/// What an estimator's errors of one quantity come to on an arena family.
public struct ArenaFigures: Sendable, Hashable {
  /// What one trial gave, error and stated deviation in one unit; `nil` where there was no answer.
  typealias Answer = (error: Double, deviation: Double)?

  /// Root of the mean square of the clipped errors; a trial without an answer counts as clipped.
  public var rms: Double
  /// Share of errors beyond the clip, and of trials without an answer.
  public var grossShare: Double
  /// Mean of min(z², 9) over the answers, z the error over its stated deviation; `nil` without answers.
  public var score: Double?
  /// Share of answers beyond five deviations; `nil` without answers.
  public var beyondFiveShare: Double?
  /// Number of trials.
  public var trials: Int
  /// Trials without an answer.
  public var unanswered: Int

  init(_ answers: [Answer], clip: Double) {
    func mean(_ values: [Double]) -> Double? {
      values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
    let given = answers.compactMap { $0 }
    let scores = given.map { $0.error * $0.error / ($0.deviation * $0.deviation) }
    let clipped = answers.map { min(abs($0?.error ?? clip), clip) }
    rms = (mean(clipped.map { $0 * $0 }) ?? 0).squareRoot()
    grossShare = mean(answers.map { abs($0?.error ?? .infinity) > clip ? 1 : 0 }) ?? 0
    // Written so that what is no number counts as the worst.
    score = mean(scores.map { $0 < 9 ? $0 : 9 })
    beyondFiveShare = mean(scores.map { $0 <= 25 ? 0 : 1 })
    trials = answers.count
    unanswered = answers.count - given.count
  }

  /// Share of trials without an answer.
  public var unansweredShare: Double { Double(unanswered) / Double(max(trials, 1)) }
}
