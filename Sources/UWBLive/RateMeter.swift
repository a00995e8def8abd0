/// Events a second over the last seconds.
struct RateMeter: Sendable {
  private static let seconds = 5
  private var counts: [(second: Int, count: Int)] = []
  private var start: Double?

  /// - Parameter now: s, of any steady clock
  mutating func count(at now: Double) {
    if start == nil { start = now }
    let second = Int(now)
    if counts.last?.second == second {
      counts[counts.count - 1].count += 1
    } else {
      counts.append((second, 1))
      if counts.count > Self.seconds + 1 { counts.removeFirst() }
    }
  }

  /// The second that runs is left out: it is not over.
  func perSecond(at now: Double) -> Double {
    guard let start else { return 0 }
    let current = Int(now)
    let length = min(Double(Self.seconds), Double(current) - start)
    guard length >= 1 else { return 0 }
    let sum = counts.reduce(0) { sum, item in
      item.second < current && item.second >= current - Self.seconds ? sum + item.count : sum
    }
    return Double(sum) / length
  }
}
