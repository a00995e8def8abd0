import Benchmark
import Workloads

/// Every workload under the benchmark library: `scripts/benchmark`, or `swift package benchmark` in this folder.
///
/// A benchmark's name tells how many items one of its steps holds; times are those of a step. Allocations are counted exactly in
/// the tests, so nothing is said of them here.
let benchmarks: @Sendable () -> Void = {
  for workload in Workload.all {
    Benchmark(
      "\(workload.name) (\(workload.items) \(workload.unit.rawValue))",
      configuration: .init(
        metrics: [.wallClock, .throughput], timeUnits: .nanoseconds, warmupIterations: 10,
        maxDuration: .milliseconds(500),
        maxIterations: 200_000)
    ) { benchmark, prepared in
      benchmark.startMeasurement()
      try prepared.run()
      benchmark.stopMeasurement()
    } setup: {
      Ready(try workload.prepare())
    }
  }
}

/// The library wants what a set-up returns to be sendable; each benchmark runs on one thread.
private struct Ready: @unchecked Sendable {
  let run: () throws -> Void
  init(_ prepared: Workload.Prepared) { run = prepared.run }
}
