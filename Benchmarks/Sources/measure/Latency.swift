import Foundation
import UWBDSP
import UWBSimulation
import Workloads

/// Counts of times by 1/64 of an octave, from 1 ns to minutes: quantiles to 1 %, in memory that does not grow.
private struct Histogram {
  private var counts = [Int](repeating: 0, count: 64 * 40)
  private(set) var longest = 0.0

  mutating func add(_ seconds: Double) {
    longest = max(longest, seconds)
    let place = 64 * log2(max(1, seconds * 1e9))
    counts[min(counts.count - 1, Int(place))] += 1
  }

  func quantile(_ part: Double) -> Double {
    let wanted = part * Double(counts.reduce(0, +))
    var sum = 0.0
    for (place, count) in counts.enumerated() {
      sum += Double(count)
      if sum >= wanted { return 1e-9 * exp2((Double(place) + 0.5) / 64) }
    }
    return longest
  }
}

/// Each of `count` exchanges by itself, and after each as long a loop that touches no memory: what the machine's own stalls are.
///
/// One antenna, default estimator; 64 exchanges, or 1000 random rooms, over and over. In rooms, where an exchange takes longer, a twentieth.
func measureLatency(count: Int) throws {
  let few = max(1, count / 20)
  let inputs = [
    ("free space", SimulatedInput.exchanges(antennas: 1, inRoom: false), count),
    ("built-in room", SimulatedInput.exchanges(antennas: 1, inRoom: true), few),
    ("random rooms", SimulatedInput.rooms(.rooms, antennas: 1, count: 1000), few),
  ]
  for (name, exchanges, count) in inputs {
    let step = Workload.chain(.ideal, exchanges).run
    let typical = try times(of: 1, seconds: 0.5, step).median
    let turns = spins(lasting: typical)
    var work = Histogram()
    var empty = Histogram()
    for _ in 0..<count {
      let start = now()
      try step()
      let middle = now()
      spin(turns)
      empty.add(now() - middle)
      work.add(middle - start)
    }
    for (kind, histogram) in [("exchange", work), ("empty loop", empty)] {
      let median = histogram.quantile(0.5)
      print(fields: [
        "input": name, "kind": kind, "count": count, "us_p50": 1e6 * median, "us_p99": 1e6 * histogram.quantile(0.99),
        "us_p999": 1e6 * histogram.quantile(0.999), "us_max": 1e6 * histogram.longest,
        "p999_over_p50": histogram.quantile(0.999) / median,
      ])
    }
  }
}

/// A loop of dependent additions in registers.
@inline(never)
private func spin(_ turns: Int) {
  var state: UInt64 = 1
  for _ in 0..<turns { state = state &* 6_364_136_223_846_793_005 &+ 1 }
  if state == 0 { print(state) }
}

private func spins(lasting seconds: Double) -> Int {
  let single = times(of: 10_000, seconds: 0.1) { spin(10_000) }.median
  return max(1, Int(seconds / single))
}
