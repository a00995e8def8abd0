import Foundation
import UWBBaselines
import UWBCapture
import UWBDSP
import UWBSimulation
import Workloads

/// Resident memory, kB: `VmHWM` is the most there was, `RssAnon` the process's own now.
private func memory(_ field: String) -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix(field) } ?? ""
  return Int(line.filter(\.isNumber)) ?? 0
}

/// What a made-up capture holds.
struct MadeUpCapture {
  var antennas = 1
  var isInRoom = true
  /// Rooms of this arena family in place of the built-in one.
  var family: String?
  var profile = DeviceProfile.ideal.name
}

/// Writes a made-up capture: exchanges of two CIRs of 1016 taps on each antenna, `count` of them on each.
func makeCapture(_ path: String, count: Int, _ made: MadeUpCapture) throws {
  guard let profile = DeviceProfile.named(made.profile) else {
    throw CaptureError(
      file: path, problem: "there is no profile “\(made.profile)” to make it with",
      remedy: "Take one of \(DeviceProfile.all.map(\.name).joined(separator: ", ")).")
  }
  let count = max(1, count / 2)
  let exchanges: [RangingExchange]
  if let name = made.family {
    guard let family = ArenaFamily.named(name), ArenaArrayTrials.families.contains(family),
      made.profile == family.profile.name
    else {
      throw CaptureError(
        file: path, problem: "can't be made of rooms “\(name)” with profile \(made.profile)",
        remedy:
          "Take one of \(ArenaArrayTrials.families.map { "\($0.name) with \($0.profile.name)" }.joined(separator: ", "))."
      )
    }
    exchanges = SimulatedInput.rooms(family, antennas: made.antennas, count: count)
  } else {
    // A few walks with noise of their own, over and over.
    exchanges = (1...5).flatMap { seed in
      SimulatedInput.exchanges(
        antennas: made.antennas, inRoom: made.isInRoom, count: .max, profile: profile, seed: seed)
    }
  }
  let array = made.antennas > 1 ? SimulatedInput.array(antennas: made.antennas).layout : nil
  let writer = try createCapture(
    path, header: CaptureHeader(format: "sigmf", profile: profile.name, array: array, notes: ["made up"]))
  let start = now()
  for index in 0..<count {
    var exchange = exchanges[index % exchanges.count]
    exchange.index = index
    exchange.time = 0.01 * Double(index)
    try writer.append(exchange)
  }
  try writer.finish()
  print(fields: ["path": path, "cirs": 2 * count, "seconds": now() - start, "most_kb": memory("VmHWM")])
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

/// Measures all exchanges of a capture, taps in memory, one after the other, ten times over. Writes a line for each: distance, azimuth
/// (degrees), the shortest of its times (ns).
///
/// - Parameter name: of the delay estimator, where it isn't the profile's.
func measureDistances(_ path: String, to out: String, delay name: String?, passes: Int) throws {
  var reader = try openCapture(path)
  var exchanges: [RangingExchange] = []
  while let exchange = try reader.next() { exchanges.append(exchange) }
  guard let profile = DeviceProfile.named(reader.header.profile) else {
    throw CaptureError(
      file: path, problem: "names no profile that is known", remedy: "Make it with `measure make`.")
  }
  let delay = name.flatMap(DelayMethod.named)
  guard name == nil || delay != nil else {
    throw CaptureError(
      file: path, problem: "can't be measured by “\(name ?? "")”: there is no such delay estimator",
      remedy: "Take one of \(DelayMethod.all.map(\.name).joined(separator: ", ")).")
  }
  let array = reader.header.array.map { AntennaArray($0) }
  let engine = RangingEngine(RangingEngine.Configuration(profile: profile, delay: delay, array: array))
  let workspace = engine.makeWorkspace()
  var results = [RangingMeasurement?](repeating: nil, count: exchanges.count)
  var shortest = [Double](repeating: .infinity, count: exchanges.count)
  var (total, unit) = (Double.infinity, Double.infinity)
  let transforms = try TransformPair()
  // The first pass warms up; the unit is measured between passes, so that both meet the same machine.
  for pass in 0...passes {
    let start = now()
    for index in exchanges.indices {
      let before = now()
      results[index] = engine.measure(exchanges[index], using: workspace)
      if pass > 0 { shortest[index] = min(shortest[index], now() - before) }
    }
    if pass > 0 { total = min(total, now() - start) }
    unit = min(unit, transforms.seconds())
  }
  let lines = zip(results, shortest).map { result, seconds in
    let azimuth = (result?.azimuth ?? .nan) * 180 / .pi
    return "\(result?.distance ?? .nan) \(azimuth) \(1e9 * seconds)\n"
  }
  try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: out))
  let cirs = exchanges.reduce(0) { $0 + $1.receptionsWithImpulseResponse.count } * (array?.positions.count ?? 1)
  print(fields: [
    "path": path, "exchanges": exchanges.count, "cirs": cirs, "ns_per_cir": 1e9 * total / Double(max(1, cirs)),
    "unit_ns": 1e9 * unit,
  ])
}
