import UWBDSP

/// How well a score tells two classes apart: the receiver operating characteristic and the area under it.
///
/// The area is the chance that a positive's score is higher than a negative's, ties counting half (Hanley & McNeil,
/// Radiology 143, 1982). Cost O(n log n).
public struct ReceiverOperatingCurve: Sendable, Hashable {
  /// Share of negatives, and of positives, with a score at or above each threshold, thresholds falling: from (0, 0) to (1, 1).
  public let falsePositives: [Double]
  /// Share of positives with a score at or above each threshold.
  public let truePositives: [Double]
  /// Area under the curve: 0.5 for a guess, 1 for no error.
  public let area: Double

  /// - Returns: `nil` unless both classes are there.
  public init?(scores: [Double], labels: [Bool]) {
    precondition(scores.count == labels.count, "\(scores.count) scores do not go with \(labels.count) labels")
    let positives = labels.count { $0 }
    let negatives = labels.count - positives
    guard positives > 0, negatives > 0 else { return nil }
    let order = scores.indices.sorted { scores[$0] > scores[$1] }
    var (x, y) = ([0.0], [0.0])
    var (seenNegatives, seenPositives) = (0, 0)
    var area = 0.0
    var next = 0
    while next < order.count {
      let score = scores[order[next]]
      while next < order.count, scores[order[next]] == score {
        if labels[order[next]] { seenPositives += 1 } else { seenNegatives += 1 }
        next += 1
      }
      let (lastX, lastY) = (x[x.count - 1], y[y.count - 1])
      x.append(Double(seenNegatives) / Double(negatives))
      y.append(Double(seenPositives) / Double(positives))
      area += (x[x.count - 1] - lastX) * (y[y.count - 1] + lastY) / 2
    }
    falsePositives = x
    truePositives = y
    self.area = area
  }
}
