import Foundation
import Workloads

/// Seconds that never go back.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
}

/// The shortest of `count` passes after one that warms up, seconds.
func shortest(of count: Int, _ pass: () -> Void) -> Double {
  pass()
  let passes = (0..<count).map { _ in
    let start = now()
    pass()
    return now() - start
  }
  return passes.min() ?? .nan
}

/// Times of one item, seconds, sorted.
struct Times {
  private(set) var sorted: [Double]

  init(_ values: [Double]) { sorted = values.sorted() }

  /// The value below which a part of 0 to 1 of all lie.
  func quantile(_ part: Double) -> Double {
    guard let last = sorted.indices.last else { return .nan }
    return sorted[Int((part * Double(last)).rounded())]
  }

  var median: Double { quantile(0.5) }
}

/// Runs `step` for about `seconds` after a warm-up; each sample takes 20 µs or more, so that the clock's own cost is gone.
func times(of items: Int, seconds: Double, _ step: () throws -> Void) rethrows -> Times {
  var steps = 0
  let start = now()
  while now() - start < min(0.1, seconds / 4) || steps < 3 {
    try step()
    steps += 1
  }
  let single = (now() - start) / Double(steps)
  let batch = max(1, Int((20e-6 / single).rounded(.up)))
  var samples: [Double] = []
  let end = now() + seconds
  repeat {
    let before = now()
    for _ in 0..<batch { try step() }
    samples.append((now() - before) / Double(batch * items))
  } while now() < end
  return Times(samples)
}

/// One JSON object as a line; values are numbers, or text.
func print(fields: KeyValuePairs<String, Any>) {
  let parts = fields.map { name, value -> String in
    switch value {
    case let number as Double: "\"\(name)\":\(number.isFinite ? String(format: "%.6g", number) : "null")"
    case let number as Int: "\"\(name)\":\(number)"
    default: "\"\(name)\":\"\(value)\""
    }
  }
  FileHandle.standardOutput.write(Data(("{" + parts.joined(separator: ",") + "}\n").utf8))
}

func measureTimes(_ names: ArraySlice<String>, seconds: Double) throws {
  for workload in Workload.all where names.contains(where: { workload.name.hasPrefix($0) }) {
    let prepared = try workload.prepare()
    let times = try times(of: workload.items, seconds: seconds, prepared.run)
    print(fields: [
      "name": workload.name, "unit": workload.unit.rawValue, "ns": 1e9 * times.median,
      "ns_p10": 1e9 * times.quantile(0.1),
      "ns_p90": 1e9 * times.quantile(0.9), "ns_p99": 1e9 * times.quantile(0.99), "per_second": 1 / times.median,
      "megabytes_per_second": prepared.bytes > 0
        ? 1e-6 * Double(prepared.bytes) / (times.median * Double(workload.items)) : Double.nan,
    ])
  }
}
