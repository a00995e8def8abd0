import Foundation
import UWBCapture
import UWBDSP

extension Workload {
  /// Captures up to the engine's door: text from memory, arrays and SigMF from files that the system has in memory.
  static let readers: [Workload] = [
    Workload("reader/decaranging", items: 32, .exchange) { reading("decaranging", decaRangingLog(exchanges: 32)) },
    Workload("reader/uwb-core", items: 64, .response) { reading("uwb-core", uwbCoreLines(count: 64)) },
    Workload("reader/contiki-uwb", items: 64, .response) { reading("contiki-uwb", contikiLines(count: 64)) },
    Workload("reader/npy", items: 256, .response) {
      try readingFile(MadeUpFile("cirs.npy", exchanges: 128))
    },
    Workload("reader/sigmf", items: 2048, .response) {
      try readingFile(MadeUpFile("capture", exchanges: 1024))
    },
  ]

  /// Reads `bytes` from memory, all of it, anew in each step.
  public static func reading(_ format: String, _ bytes: [UInt8]) -> Prepared {
    Prepared(bytes: bytes.count) {
      var position = 0
      let source = ByteSource(name: format) { target in
        let count = min(target.count, bytes.count - position)
        bytes.withUnsafeBytes {
          target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count]))
        }
        position += count
        return count
      }
      var reader = try CaptureFormat.open(format, source)
      while try reader.next() != nil {}
    }
  }

  private static func readingFile(_ file: MadeUpFile) throws -> Prepared {
    Prepared(bytes: captureByteCount(file.path) ?? 0) {
      var reader = try openCapture(file.path)
      while try reader.next() != nil {}
    }
  }

  /// A log of made-up exchanges with two accumulators of 1016 taps each.
  public static func decaRangingLog(exchanges: Int) -> [UInt8] {
    var writer = DecaRangingLogWriter(seed: 1)
    var text = writer.head
    for _ in 0..<exchanges { text += writer.text(writer.exchange(tapCount: 1016)) }
    return Array(text.utf8)
  }

  private static func taps(_ seed: Int) -> [(Int16, Int16)] {
    SimulatedInput.responses(.ieee802154a(.cm1), count: 1 + seed % 8)[seed % 8].storage.withBytes { bytes in
      let values = bytes.bindMemory(to: Int16.self)
      return (0..<1016).map { (values[2 * $0], values[2 * $0 + 1]) }
    }
  }

  private static func uwbCoreLines(count: Int) -> [UInt8] {
    let rows = (0..<8).map(taps)
    var text = ""
    for index in 0..<count {
      let taps = rows[index % 8]
      text +=
        "{\"utime\":\(index * 10_000),\"cir_type\":\"ipatov\",\"raw_ts\":\(index * 99_999),\"resam_dly\":0,\"fp_idx\":745.25,"
        + "\"fp_power\":-84.5,\"acc_cnt\":1017,\"offset\":0,\"real\":[\(taps.map { String($0.0) }.joined(separator: ","))],"
        + "\"imag\":[\(taps.map { String($0.1) }.joined(separator: ","))]}\n"
    }
    return Array(text.utf8)
  }

  private static func contikiLines(count: Int) -> [UInt8] {
    let rows = (0..<8).map { index in
      taps(index).map { pair in
        [pair.0, pair.1].map { value in
          let bits = UInt16(bitPattern: value)
          return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }.joined()
      }.joined()
    }
    return Array((0..<count).map { "CIR[0:1016] \(rows[$0 % 8])\n" }.joined().utf8)
  }
}

/// A capture in a folder of its own, which goes when nobody needs it.
final class MadeUpFile: Sendable {
  private let folder: URL
  let path: String

  init(_ name: String, exchanges: Int) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("uwb-benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appendingPathComponent(name).path
    let writer = try createCapture(path, header: CaptureHeader(format: "sigmf", profile: "ideal"))
    let made = SimulatedInput.exchanges(antennas: 1, inRoom: true)
    for index in 0..<exchanges {
      var exchange = made[index % made.count]
      exchange.index = index
      exchange.time = 0.1 * Double(index)
      try writer.append(exchange)
    }
    try writer.finish()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
