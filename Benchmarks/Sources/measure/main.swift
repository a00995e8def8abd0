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
//   measure make PATH CIRS [--free-space] [--profile NAME]   writes a made-up SigMF capture
//   measure read PATH…                     how fast captures are read up to the engine's door, in how much memory
//   measure distances PATH OUT [--delay NAME]   the engine over a capture in memory; its distances
//   measure directions PATH OUT            MUSIC over an exported case (PATH.json) in memory; its azimuths

let usage = """
  measure time [--seconds S] NAME… | list | memory | latency COUNT | curves [--svg FILE] |
    make PATH CIRS [--free-space] [--profile NAME] | read PATH… | distances PATH OUT [--delay NAME] |
    directions PATH OUT

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
  let profile = option("--profile") ?? DeviceProfile.ideal.name
  let delay = option("--delay")
  let isFreeSpace = words.contains("--free-space")
  words.removeAll { $0 == "--free-space" }
  switch (words.first, words.count) {
  case ("time", 2...): try measureTimes(words.dropFirst(), seconds: seconds)
  case ("list", 1): for workload in Workload.all { print(workload.name) }
  case ("memory", 1): measureMemory()
  case ("latency", 2): try measureLatency(count: Int(words[1]) ?? 1_000_000)
  case ("curves", 1): try measureCurves(picture: picture)
  case ("make", 3): try makeCapture(words[1], count: Int(words[2]) ?? 2, inRoom: !isFreeSpace, profile: profile)
  case ("directions", 3): try measureDirections(words[1], to: words[2])
  case ("distances", 3): try measureDistances(words[1], to: words[2], delay: delay)
  case ("read", 2...): for path in words.dropFirst() { try readCapture(path) }
  default:
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
  }
} catch {
  FileHandle.standardError.write(Data("measure: \(error)\n".utf8))
  exit(1)
}
