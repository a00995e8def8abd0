import Foundation
import UWBCapture
import UWBDSP

extension Workload {
  /// Captures up to the engine's door: text from memory, arrays and SigMF from files that the system has in memory.
  static let readers: [Workload] = [
    Workload("reader/decaranging", items: 32, .exchange) { reading("decaranging", decaRangingLog(exchanges: 32)) },
    Workload("reader/uwb-core", items: 64, .response) { reading("uwb-core", uwbCoreLines(count: 64)) },
    Workload("reader/contiki-uwb", items: 64, .response) { reading("contiki-uwb", contikiLines(count: 64)) },
    Workload("reader/ultrawidelock", items: 512, .response) { reading("ultrawidelock", lockLines(count: 512)) },
    Workload("reader/bregar", items: 64, .response) { reading("bregar", bregarRecords(count: 64)) },
    Workload("reader/eth-dual-antenna", items: 64, .response) {
      reading("eth-dual-antenna", dualAntennaLog(count: 64))
    },
    Workload("reader/dw3000-hex", items: 512, .response) { reading("dw3000-hex", hexadecimalFrames(count: 512)) },
    Workload("reader/dwm3001-cli", items: 2048, .exchange) { reading("dwm3001-cli", resultLines(count: 2048)) },
    Workload("reader/ndjson", items: 64, .exchange) { try readingFile(MadeUpFile("capture.ndjson", exchanges: 64)) },
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

// Text of the formats of one firmware or data set each.
extension Workload {
  private static func lockLines(count: Int) -> [UInt8] {
    let rows = (0..<8).map(taps)
    var text = ""
    for index in 0..<count {
      text +=
        "[ALAB] t=\(1_234_567 + index) ev=uwb.diag n=\(index) sp=1 len=20 st=0 ipfp=47168 ippk=1549800500 ippw=81234 ipf1=9120 "
        + "ipf2=11840 ipf3=10210 ipac=63 sfp=8200 spk=1000 spw=900 xtal=-12 cd1=0 rdcyc=62000\n"
      for (tap, sample) in rows[index % 8][700..<764].enumerated() {
        text += "[ALAB] t=\(1_234_567 + index) ev=uwb.cir n=\(index) i=\(705 + tap) re=\(sample.0) im=\(sample.1)\n"
      }
    }
    return Array(text.utf8)
  }

  private static func bregarRecords(count: Int) -> [UInt8] {
    let rows = (0..<8).map(taps)
    let records = (0..<count).map { index in
      let samples = rows[index % 8].map { "\"(\($0.0)\($0.1 < 0 ? "" : "+")\($0.1)j)\"" }.joined(separator: ", ")
      return
        "{\"tag_id\": 1, \"anchor_id\": 1, \"x_tag\": 1.2, \"y_tag\": 3.4, \"z_tag\": 1.2, \"x_anchor\": 0.0, \"y_anchor\": 0.0, "
        + "\"z_anchor\": 1.8, \"nlos\": 0, \"range\": 3.71, \"fp_index\": 747, \"rss\": -79.2, \"rss_fp\": -81.0, "
        + "\"rxpacc\": 118, \"cir\": [\(samples)]}"
    }
    let list = records.joined(separator: ", ")
    return Array("{\"anchors\": [\"A1\"], \"measurements\": {\"p\": {\"A1\": {\"ch5\": [\(list)]}}}}".utf8)
  }

  private static func octets(_ value: Int16) -> [UInt8] {
    let bits = UInt32(bitPattern: Int32(value))
    return [0, 8, 16].map { UInt8(truncatingIfNeeded: bits >> $0) }
  }

  private static func dualAntennaLog(count: Int) -> [UInt8] {
    let blobs = (0..<8).map { index in
      let samples = (taps(index) + taps(index + 1)).flatMap { octets($0.0) + octets($0.1) }
      return Data([0xAA] + samples + [UInt8](repeating: 0, count: 12_287 - samples.count)).base64EncodedString()
    }
    return Array(
      (0..<count).map {
        "0010.87627: New Frame: poll: \($0)\n0010.87641: BLOB / cir / v1 / 12288\nXXXX.XXXXX: Data: \(blobs[$0 % 8])\n"
      }.joined().utf8)
  }

  private static func hexadecimalFrames(count: Int) -> [UInt8] {
    let frames = (0..<8).map { index in
      taps(index)[700..<800].flatMap { octets($0.0) + octets($0.1) }.map { String(format: "%02X ", $0) }.joined()
    }
    return Array((0..<count).map { frames[$0 % 8] }.joined().utf8)
  }

  private static func resultLines(count: Int) -> [UInt8] {
    Array(
      (0..<count).map {
        "SESSION_INFO_NTF: {session_handle=1, sequence_number=\($0), block_index=\($0), n_measurements=1\n\r "
          + "[mac_address=0x0001, status=\"SUCCESS\", distance[cm]=\($0 % 900), loc_az_pdoa=-9.50, loc_az=30.25, RSSI[dBm]=-78.0]}\n"
      }.joined().utf8)
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
