import Foundation
import UWBCapture
import UWBDSP
import Workloads

/// Resident memory, kB: `VmHWM` is the most there was, `RssAnon` the process's own now.
private func memory(_ field: String) -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix(field) } ?? ""
  return Int(line.filter(\.isNumber)) ?? 0
}

/// Writes a made-up capture: exchanges of two CIRs of 1016 taps.
func makeCapture(_ path: String, count: Int, inRoom: Bool, profile name: String) throws {
  guard let profile = DeviceProfile.named(name) else {
    throw CaptureError(
      file: path, problem: "there is no profile “\(name)” to make it with",
      remedy: "Take one of \(DeviceProfile.all.map(\.name).joined(separator: ", ")).")
  }
  // A few walks with noise of their own, over and over.
  let exchanges = (1...5).flatMap { seed in
    SimulatedInput.exchanges(antennas: 1, inRoom: inRoom, count: .max, profile: profile, seed: seed)
  }
  let writer = try createCapture(path, header: CaptureHeader(format: "sigmf", profile: name, notes: ["made up"]))
  let start = now()
  for index in 0..<max(1, count / 2) {
    var exchange = exchanges[index % exchanges.count]
    exchange.index = index
    exchange.time = 0.01 * Double(index)
    try writer.append(exchange)
  }
  try writer.finish()
  print(fields: ["path": path, "cirs": count, "seconds": now() - start, "most_kb": memory("VmHWM")])
}

/// Reads a capture up to the engine's door.
func readCapture(_ path: String) throws {
  let start = now()
  var reader = try openCapture(path)
  var count = 0
  var most = 0
  while let exchange = try reader.next() {
    for message in [exchange.poll, exchange.response, exchange.final] where message?.reception?.impulseResponse != nil {
      count += 1
    }
    if exchange.index % 50_000 == 0 { most = max(most, memory("RssAnon")) }
  }
  let seconds = now() - start
  print(fields: [
    "path": path, "cirs": count, "seconds": seconds, "cirs_per_second": Double(count) / seconds,
    "megabytes_per_second": 1e-6 * Double(reader.bytesRead) / seconds, "own_memory_kb": most,
    "most_kb": memory("VmHWM"),
  ])
}

/// Measures all exchanges of a capture, taps in memory, one after the other, ten times over; writes the distances, one a line.
///
/// - Parameter name: of the delay estimator, where it isn't the profile's.
func measureDistances(_ path: String, to out: String, delay name: String?) throws {
  var reader = try openCapture(path)
  var exchanges: [RangingExchange] = []
  while let exchange = try reader.next() { exchanges.append(exchange) }
  guard let profile = DeviceProfile.named(reader.header.profile) else {
    throw CaptureError(
      file: path, problem: "names no profile that is known", remedy: "Make it with `measure make`.")
  }
  let delay = name.flatMap(DelayMethod.init(rawValue:))
  guard name == nil || delay != nil else {
    throw CaptureError(
      file: path, problem: "can't be measured by “\(name ?? "")”: there is no such delay estimator",
      remedy: "Take one of \(DelayMethod.allCases.map(\.rawValue).joined(separator: ", ")).")
  }
  let engine = RangingEngine(RangingEngine.Configuration(profile: profile, delay: delay))
  let workspace = engine.makeWorkspace()
  var distances = [Double](repeating: .nan, count: exchanges.count)
  func pass() {
    for index in exchanges.indices {
      distances[index] = engine.measure(exchanges[index], using: workspace).distance ?? .nan
    }
  }
  let best = shortest(of: 10, pass)
  try Data(distances.map { "\($0)\n" }.joined().utf8).write(to: URL(fileURLWithPath: out))
  let cirs = exchanges.reduce(0) { $0 + $1.receptionsWithImpulseResponse.count }
  print(fields: ["path": path, "exchanges": exchanges.count, "ns_per_cir": 1e9 * best / Double(max(1, cirs))])
}
