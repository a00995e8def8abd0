/// Which of several settings to use, given what each cost on the places that were left out while fitting it.
///
/// With a score of places, the smallest mean cost wins half by luck, and luck favours the flexible. So the simplest setting
/// wins whose mean cost exceeds the best one's by no more than the standard error of that difference, place by place: the
/// one-standard-error rule (Breiman, Friedman, Olshen & Stone, "Classification and Regression Trees", 1984, section 3.4.3),
/// on paired differences.
enum SimplestSetting {
  /// - Parameter costs: for each setting, simplest first, its cost on each place.
  /// - Returns: the setting's index; `nil` for no settings.
  static func choose(_ costs: [[Double]]) -> Int? {
    let means = costs.map { $0.reduce(0, +) / Double(max($0.count, 1)) }
    guard let best = costs.indices.min(by: { means[$0] < means[$1] }) else { return nil }
    return costs.indices.first { index in
      let excess = zip(costs[index], costs[best]).map { $0 - $1 }
      let mean = means[index] - means[best]
      guard excess.count > 1 else { return mean <= 0 }
      let variance = excess.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(excess.count - 1)
      return mean <= (variance / Double(excess.count)).squareRoot()
    }
  }
}
