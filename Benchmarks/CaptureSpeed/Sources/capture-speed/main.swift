import Foundation
import UWBCapture
import UWBDSP

// How fast captures are read up to the engine's door, and in how much memory:
//
//   capture-speed make PATH CIRS   writes a made-up SigMF recording, a poll and a final of 1016 taps in each exchange
//   capture-speed read PATH…       reads captures; prints CIRs and megabytes a second, and the largest resident memory

/// Resident memory, kB: `VmHWM` is the most there was, `VmRSS` and `RssAnon` what there is now.
func memory(_ field: String) -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix(field) } ?? ""
  return Int(line.filter(\.isNumber)) ?? 0
}

func make(_ path: String, count: Int) throws {
  let header = CaptureHeader(format: "sigmf", profile: "dw1000", notes: ["made up by capture-speed"])
  let writer = try createCapture(path, header: header)
  let storage = TapStorage(byteCount: 4 * 1016 * 64)
  var state: UInt32 = 1
  storage.withMutableBytes { bytes in
    for index in bytes.indices {
      state = state &* 1_664_525 &+ 1_013_904_223
      bytes[index] = UInt8(truncatingIfNeeded: state >> 24)
    }
  }
  func message(_ number: Int) -> RangingMessage {
    let response = ChannelImpulseResponse(
      storage: storage, byteOffset: 4 * 1016 * (number % 64), format: .int16, tapCount: 1016, scale: 1 / 1017)
    return RangingMessage(
      transmitted: DeviceTime(ticks: UInt64(number) &* 987_654_321),
      reception: Reception(
        time: DeviceTime(ticks: UInt64(number) &* 1_234_567_891), chipFirstPathTaps: 745.3125,
        impulseResponse: response, preambleCount: 1017, receivedPowerdBm: -78.9641, firstPathPowerdBm: -84.1234,
        noiseThreshold: 890))
  }
  let start = Date()
  for index in 0..<count / 2 {
    try writer.append(
      RangingExchange(
        index: index, time: Double(index) * 0.0103, peer: DeviceAddress(rawValue: 0x1006_3720_5E37_FAC2),
        local: DeviceAddress(rawValue: 0x1006_3220_5E37_FA35), poll: message(2 * index),
        response: RangingMessage(
          transmitted: DeviceTime(ticks: 77), reception: Reception(time: DeviceTime(ticks: UInt64(index) * 3))),
        final: message(2 * index + 1), chipReport: ChipReport(distance: 2.603, rawDistance: 2.593, clockOffsetppm: 1.3))
    )
  }
  try writer.finish()
  let seconds = Date().timeIntervalSince(start)
  print("\(path): wrote \(count) CIRs in \(seconds) s, \(Int(Double(count) / seconds)) a second, \(memory("VmHWM")) kB")
}

func read(_ path: String) throws {
  let start = Date()
  var reader = try openCapture(path)
  var count = 0
  var most = 0
  while let exchange = try reader.next() {
    for message in [exchange.poll, exchange.response, exchange.final] {
      if message?.reception?.impulseResponse != nil { count += 1 }
    }
    if exchange.index % 50_000 == 0 { most = max(most, memory("RssAnon")) }
  }
  let seconds = Date().timeIntervalSince(start)
  let megabytes = Double(reader.bytesRead) / 1e6
  print(
    "\(path): \(count) CIRs, \(Int(megabytes)) MB in \(seconds) s: \(Int(Double(count) / seconds)) CIRs/s, "
      + "\(Int(megabytes / seconds)) MB/s; own memory at most \(most) kB, resident \(memory("VmHWM")) kB")
}

let arguments = CommandLine.arguments.dropFirst()
do {
  switch (arguments.first, arguments.count) {
  case ("make", 3):
    guard let count = Int(CommandLine.arguments[3]), count > 1 else { fallthrough }
    try make(CommandLine.arguments[2], count: count)
  case ("read", 2...): for path in arguments.dropFirst() { try read(path) }
  default:
    print("capture-speed make PATH CIRS | read PATH…")
    exit(64)
  }
} catch {
  print("Error: \(error)")
  exit(1)
}
