import Foundation
import UWBDSP
import Workloads

// Times that the benchmark library has no table for: one JSON object a line. `scripts/performance` makes a page of them.
//
//   measure time [--seconds S] NAME…       workloads whose names begin so: median and spread, for an item
//   measure list                           the names of the workloads
//   measure memory                         what reading taps costs at the least
//   measure latency COUNT                  each exchange by itself, and an empty loop beside it
//   measure curves [--svg FILE]            cost as work grows, with the exponents
//   measure make PATH CIRS [--antennas N] [--free-space | --family NAME] [--profile NAME]
//                                          writes a made-up SigMF capture: CIRs of each antenna, in the
//                                          built-in room, in free space, or each exchange in another room of an arena family
//   measure read PATH…                     how fast captures are read up to the engine's door, in how much memory
//   measure distances PATH OUT [--delay NAME] [--passes N]
//                                          the engine over a capture in memory; distance, azimuth and shortest time of each exchange
//   measure directions PATH OUT --method NAME   an estimator over an exported case (PATH.json) in memory; its azimuths
//   measure first-paths PATH OUT --method NAME  the same for delays; its first paths

let usage = """
  measure time [--seconds S] NAME… | list | memory | latency COUNT | curves [--svg FILE] |
    make PATH CIRS [--antennas N] [--free-space | --family NAME] [--profile NAME] | read PATH… |
    distances PATH OUT [--delay NAME] [--passes N] | directions PATH OUT --method NAME | first-paths PATH OUT --method NAME

  """

var words = Array(CommandLine.arguments.dropFirst())

/// Takes `name` and its value out of the words.
@MainActor func option(_ name: String) -> String? {
  guard let index = words.firstIndex(of: name), index + 1 < words.count else { return nil }
  defer { words.removeSubrange(index...index + 1) }
  return words[index + 1]
}

do {
  let seconds = option("--seconds").flatMap(Double.init) ?? 1
  let picture = option("--svg")
  var made = MadeUpCapture()
  made.profile = option("--profile") ?? made.profile
  made.antennas = max(1, option("--antennas").flatMap(Int.init) ?? made.antennas)
  made.family = option("--family")
  made.isInRoom = !words.contains("--free-space")
  let delay = option("--delay")
  let passes = max(1, option("--passes").flatMap(Int.init) ?? 10)
  let method = option("--method") ?? ""
  words.removeAll { $0 == "--free-space" }
  switch (words.first, words.count) {
  case ("time", 2...): try measureTimes(words.dropFirst(), seconds: seconds)
  case ("list", 1): for workload in Workload.all { print(workload.name) }
  case ("memory", 1): measureMemory()
  case ("latency", 2): try measureLatency(count: Int(words[1]) ?? 1_000_000)
  case ("curves", 1): try measureCurves(picture: picture)
  case ("make", 3): try makeCapture(words[1], count: Int(words[2]) ?? 2, made)
  case ("directions", 3): try measureDirections(words[1], to: words[2], method: method)
  case ("first-paths", 3): try measureFirstPaths(words[1], to: words[2], method: method)
  case ("distances", 3): try measureDistances(words[1], to: words[2], delay: delay, passes: passes)
  case ("read", 2...): for path in words.dropFirst() { try readCapture(path) }
  default:
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
  }
} catch {
  FileHandle.standardError.write(Data("measure: \(error)\n".utf8))
  exit(1)
}
