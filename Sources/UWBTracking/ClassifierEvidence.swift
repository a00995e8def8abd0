import UWBPlatform

/// How much a classifier's probability of line of sight counts, measurement by measurement.
///
/// A classifier may be surer than it should be: its odds are limited to 4 : 1. It may be wrong for seconds: then it says the same
/// again and again, and the repetition is no evidence. Verdicts that are independent of each other change often. So a verdict
/// counts as much as verdicts have changed of late.
struct ClassifierEvidence: Sendable, Hashable {
  /// Most that is believed of one verdict.
  private static let limit = 0.8
  /// Measurements over which changes are averaged.
  private static let memory = 100.0
  /// Time in which one verdict counts however little they change, s.
  private static let time = 3.0

  private var last = limit
  /// Mean change from one verdict to the next, 1 for one from side to side.
  private var change = 0.1

  static func limited(_ probability: Double) -> Double { min(max(probability, 1 - limit), limit) }

  /// Likelihoods of what the classifier says, in the clear and obstructed.
  ///
  /// - Parameters:
  ///   - probability: of line of sight, by the classifier
  ///   - step: time since the last measurement, s
  mutating func likelihoods(_ probability: Double, step: Double) -> (clear: Double, obstructed: Double) {
    let clear = Self.limited(probability)
    change += (abs(clear - last) / (2 * Self.limit - 1) - change) / Self.memory
    last = clear
    let part = min(1, change + step / Self.time)
    return (exp(part * log(clear)), exp(part * log(1 - clear)))
  }
}
