import ArgumentParser
import Foundation
import NearbyPorts
import NearbyRoom
import NearbySession
import NearbySimulation
import UWBCapture
import UWBDSP

// Throws bytes at one reader, which UWB_FUZZ_FORMAT names: a capture format, `sigmf` (metadata over fixed samples),
// `sigmf-archive`, `sigmf-collection`, `truth`, `pose`, `accessory` and `room` (messages), `scenario`, `uci-codec`, `uci-driver`, `library` (calls of the
// C interface), or a file that a verb of the command line takes (`CommandTarget`). What a reader may do with any bytes: yield exchanges, count losses, throw its own error. What it may not: crash,
// hang, take memory without measure (libFuzzer's -rss_limit_mb), or lose count.

@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

let format = ProcessInfo.processInfo.environment["UWB_FUZZ_FORMAT"] ?? "decaranging"

/// Where the formats that are files put theirs: a folder of this run's alone.
let folder: String = {
  let path = ProcessInfo.processInfo.environment["UWB_FUZZ_FILES"] ?? NSTemporaryDirectory()
  do {
    try Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 * 7) }).write(
      to: URL(fileURLWithPath: path + "/x.sigmf-data"))
    if CommandTarget.all[format] != nil { try CommandTarget.prepare(path) }
  } catch {
    print("fuzz: \(path) can't be written: \(error)")
    exit(2)
  }
  return path
}()

func read(_ reader: any CaptureReader, byteCount: Int) throws {
  var reader = reader
  var count = 0
  var last = -1
  while let exchange = try reader.next() {
    count += 1
    // Each exchange takes bytes: a reader that yields more of them than there are bytes does not come to an end.
    precondition(count <= byteCount, "\(count) exchanges of \(byteCount) bytes")
    // Recordings and lines of ours say themselves which exchange they hold.
    if !format.hasPrefix("sigmf"), !["ndjson", "csv", "auto"].contains(format) {
      precondition(exchange.index > last, "exchange \(exchange.index) after \(last)")
      last = exchange.index
    }
    for message in exchange.messages {
      guard let reception = message.reception else { continue }
      for response in (reception.impulseResponse.map { [$0] } ?? []) + reception.stsImpulseResponses {
        // Touches first and last sample of each antenna: memory that is not there would show.
        precondition(response.antennaCount >= 1 && response.tapCount >= 1, "a CIR of nothing")
        for antenna in [0, response.antennaCount - 1] {
          _ = response.samples(antenna: antenna, taps: 0..<1)
          _ = response.samples(antenna: antenna, taps: response.tapCount - 1..<response.tapCount)
        }
      }
    }
  }
  precondition(reader.skipped.counts.values.allSatisfy { $0 > 0 }, "a loss was counted as none")
}

/// A message that is understood has bytes that are understood as the same message.
func readMessage(_ bytes: UnsafeBufferPointer<UInt8>) throws(AccessoryMessageError) {
  let message = try AccessoryMessage(bytes: bytes)
  let again = try AccessoryMessage(bytes: message.bytes)
  precondition(again == message, "\(message) does not come back")
}

/// The same for messages between a room and its visitors, in a stream.
func readRoom(_ bytes: UnsafeBufferPointer<UInt8>) throws {
  var frames = FrameStream(limit: RoomMessage.maximumLength)
  for frame in try frames.push(bytes) {
    let message = try RoomMessage(bytes: frame)
    let again = try RoomMessage(bytes: message.bytes)
    precondition(again == message, "\(message) does not come back")
  }
}

func test(_ bytes: UnsafeBufferPointer<UInt8>) throws {
  func source() -> ByteSource {
    var position = 0
    // Odd pieces, as a port hands them over, where the first byte is odd.
    let piece = (bytes.first ?? 0) & 1 == 1 ? 61 : Int.max
    return ByteSource(name: "fuzz") { target in
      let count = min(target.count, piece, bytes.count - position)
      target.copyBytes(from: bytes[position..<position + count])
      position += count
      return count
    }
  }
  func file(_ name: String) throws -> String {
    let path = "\(folder)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }
  switch format {
  case "accessory": try readMessage(bytes)
  case "room": try readRoom(bytes)
  case "scenario": try playScenario(file("x.yaml"))
  case "truth": _ = try TruthTable(source())
  case "pose":
    let table = try PoseTable(source())
    for time in [-1, 0, 0.5, 1e9, .nan] { _ = table.pose(at: time) }
  case "sigmf": try read(openCapture(file("x.sigmf-meta")), byteCount: bytes.count)
  case "sigmf-archive": try read(openCapture(file("y.sigmf")), byteCount: bytes.count)
  case "sigmf-collection": try read(openCapture(file("z.sigmf-collection")), byteCount: bytes.count)
  #if compiler(>=6.3)
    case "library": LibraryTarget.run(Array(bytes), file: "\(folder)/x")
  #endif
  case "auto": try read(openCapture(source()), byteCount: bytes.count)
  default:
    if let target = UCITarget.all[format] { return try target(Array(bytes)) }
    if let command = CommandTarget.all[format] { return try command.run(on: file("x")) }
    try read(CaptureFormat.open(format, source()), byteCount: bytes.count)
  }
}

// libFuzzer asks for this name, though it is handed the function as well.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  do {
    try test(UnsafeBufferPointer(start: start, count: count))
  } catch is CaptureError, is AccessoryMessageError, is RoomMessageError, is PortError, is ScenarioError, is ExitCode,
    is ValidationError
  {
  } catch {
    fatalError("an error of another kind: \(error)")
  }
  return 0
}

// libFuzzer counts seconds of the clock; on a machine that is shared, processor time says what was done. It ends in order
// at SIGUSR1.
if let seconds = ProcessInfo.processInfo.environment["UWB_FUZZ_CPU_SECONDS"].flatMap({ Int($0) }), seconds > 0 {
  signal(SIGPROF) { _ in raise(SIGUSR1) }
  var limit = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: seconds, tv_usec: 0))
  #if os(Linux)
    setitimer(Int32(ITIMER_PROF.rawValue), &limit, nil)
  #else
    setitimer(ITIMER_PROF, &limit, nil)
  #endif
}

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(runFuzzer(&count, &arguments, testOneInput))
