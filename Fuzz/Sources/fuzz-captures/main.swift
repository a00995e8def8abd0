import Foundation
import UWBCapture

// Throws bytes at one reader, which UWB_FUZZ_FORMAT names: a capture format, `sigmf` (metadata over fixed samples),
// `sigmf-archive`, `sigmf-collection`, `truth`, `pose`. What a reader may do with any bytes: yield exchanges, count losses, throw
// a CaptureError. What it may not: crash, hang, take memory without measure (libFuzzer's -rss_limit_mb), or lose count.

@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

let format = ProcessInfo.processInfo.environment["UWB_FUZZ_FORMAT"] ?? "decaranging"

/// Where the formats that are files put theirs: in memory.
let folder: String = {
  let base = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
  let path = "\(base)/uwb-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
  do {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 * 7) }).write(
      to: URL(fileURLWithPath: path + "/x.sigmf-data"))
  } catch {
    print("fuzz-captures: \(path) can't be written: \(error)")
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
    if format != "sigmf", format != "sigmf-archive" {
      precondition(exchange.index > last, "exchange \(exchange.index) after \(last)")
      last = exchange.index
    }
    for message in [exchange.poll, exchange.response, exchange.final] {
      guard let response = message?.reception?.impulseResponse else { continue }
      // Touches first and last sample of each antenna: memory that is not there would show.
      for antenna in [0, response.antennaCount - 1] {
        _ = response.samples(antenna: antenna, taps: 0..<1)
        _ = response.samples(antenna: antenna, taps: response.tapCount - 1..<response.tapCount)
      }
    }
  }
  precondition(reader.skipped.counts.values.allSatisfy { $0 > 0 }, "a loss was counted as none")
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
  case "truth": _ = try TruthTable(source())
  case "pose":
    let table = try PoseTable(source())
    for time in [-1, 0, 0.5, 1e9, .nan] { _ = table.pose(at: time) }
  case "sigmf": try read(openCapture(file("x.sigmf-meta")), byteCount: bytes.count)
  case "sigmf-archive": try read(openCapture(file("y.sigmf")), byteCount: bytes.count)
  case "sigmf-collection": try read(openCapture(file("z.sigmf-collection")), byteCount: bytes.count)
  case "auto": try read(openCapture(source()), byteCount: bytes.count)
  default: try read(CaptureFormat.open(format, source()), byteCount: bytes.count)
  }
}

// libFuzzer asks for this name, though it is handed the function as well.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  do { try test(UnsafeBufferPointer(start: start, count: count)) } catch is CaptureError {} catch {
    fatalError("an error of another kind: \(error)")
  }
  return 0
}

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(runFuzzer(&count, &arguments, testOneInput))
