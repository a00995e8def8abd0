import Foundation
import PhysicalLimit
import Workloads

// Fixed work for `scripts/instruction-counts`:
//   instruction-counts              the kernels, one a line
//   instruction-counts KERNEL       runs it and prints how many items it worked through; valgrind counts meanwhile
//   instruction-counts --processor  the vector instructions that the processor shows
//
// `valgrind --tool=callgrind --collect-atstart=no '--toggle-collect=*countedWork*'` counts while `countedWork` runs. One run for each
// kernel: what ran before it, and left the heap as it is, is then always the same.

@inline(never)
func countedWork(_ rounds: Int, _ work: () throws -> Void) rethrows {
  for _ in 0..<rounds { try work() }
}

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case nil:
  for workload in Workload.counted { print(workload.name) }
case "--processor":
  print(String(cString: uwb_vector_instructions()))
case let name?:
  guard let workload = Workload.counted.first(where: { $0.name == name }) else {
    FileHandle.standardError.write(
      Data("instruction-counts: no kernel is called \(name); without arguments their names are printed\n".utf8))
    exit(64)
  }
  let prepared = try workload.prepare()
  // Rings of inputs hold 64 at the most.
  let rounds = max(1, 64 / workload.items)
  // What a first run of an input makes (LAPACK's own tables, those of the dense onset, growing arrays) is no part of the
  // steady state.
  for _ in 0..<max(2, rounds) { try prepared.run() }
  try countedWork(rounds, prepared.run)
  print(rounds * workload.items)
}
