import Workloads

// Fixed work for `valgrind --tool=callgrind`, which counts instructions while `countedWork` runs and writes a profile each
// time it returns: one for each name that is printed here, in the same order. `scripts/instruction-counts` puts them together.

nonisolated(unsafe) private var work: () -> Void = {}
private let rounds = 8

@inline(never)
func countedWork() {
  for _ in 0..<rounds { work() }
}

for workload in Workload.all where workload.isCounted {
  let prepared = try workload.prepare()
  // What a first run makes (LAPACK's own tables, growing arrays) is no part of the steady state.
  for _ in 0..<2 { prepared.run() }
  work = prepared.run
  countedWork()
  print("\(workload.name)\t\(rounds * workload.items)")
}
