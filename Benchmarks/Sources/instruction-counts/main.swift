import Workloads

// Fixed work for `valgrind --tool=callgrind` with `--collect-atstart=no '--toggle-collect=*countedWork*'`, which
// counts while `countedWork` runs. Strip debug information first: valgrind can't read what Swift writes.

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
