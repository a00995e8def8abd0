import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// A small capture in one of the formats that log single receptions, with what a reader should make of it.
struct MadeUpCapture {
  /// What is true of one reception.
  struct Expected: Equatable {
    var ticks: UInt64 = 0
    var firstPath: Double?
    var preambleCount: Int?
    /// Stored numbers, before the scale.
    var real: [Float]
    var imaginary: [Float]
    var distance: Double?
    var isLineOfSight: Bool?

    init(_ real: [Float], _ imaginary: [Float]) {
      self.real = real
      self.imaginary = imaginary
    }

    init(_ exchange: RangingExchange) {
      let reception = exchange.poll.reception
      let response = reception?.impulseResponse
      ticks = reception?.time.ticks ?? .max
      firstPath = reception?.chipFirstPathTaps
      preambleCount = reception?.preambleCount
      let samples: [(Float, Float)] =
        response.map { response in
          response.storage.withBytes { bytes in
            (0..<response.tapCount).map { tap in
              let start = response.byteOffset + tap * response.format.byteCount
              switch response.format {
              case .int16:
                return (
                  Float(bytes.loadUnaligned(fromByteOffset: start, as: Int16.self)),
                  Float(bytes.loadUnaligned(fromByteOffset: start + 2, as: Int16.self))
                )
              case .float32:
                return (
                  bytes.loadUnaligned(fromByteOffset: start, as: Float.self),
                  bytes.loadUnaligned(fromByteOffset: start + 4, as: Float.self)
                )
              }
            }
          }
        } ?? []
      real = samples.map(\.0)
      imaginary = samples.map(\.1)
      distance = exchange.chipReport?.distance
      isLineOfSight = exchange.truth?.isLineOfSight
    }
  }

  var format: String
  var bytes: [UInt8]
  /// Where each reception's record is whole: its line's end.
  var ends: [Int]
  var expected: [Expected]

  var text: String { String(decoding: bytes, as: UTF8.self) }

  static let formats = ["uwb-core", "contiki-uwb", "dw3000-cir", "ewine", "npy"]
  /// Those that come line by line.
  static let lineFormats = ["uwb-core", "contiki-uwb", "dw3000-cir", "ewine"]

  /// A capture of `count` receptions of `tapCount` taps.
  static func make(_ format: String, count: Int, tapCount: Int, seed: UInt64) -> MadeUpCapture {
    var random = DecaRangingGenerator(seed: seed)
    var capture = MadeUpCapture(format: format, bytes: [], ends: [], expected: [])
    if format == "ewine" {
      capture.bytes +=
        Array((ewineFields + (0..<tapCount).map { "CIR\($0)" }).joined(separator: ",").utf8) + [0x0D, 0x0A]
    }
    if format == "npy" { capture.bytes += npyHeader("<c8", shape: "(\(count), 1, \(tapCount))") }
    for index in 0..<count {
      let limit = format == "dw3000-cir" ? 131_071 : 32767
      func sample() -> Float { Float(Int.random(in: -limit - 1...limit, using: &random)) }
      var expected = Expected(
        (0..<tapCount).map { _ in sample() }, (0..<tapCount).map { _ in sample() })
      switch format {
      case "uwb-core":
        let first = Double(Int.random(in: 700 * 64...760 * 64, using: &random)) / 64
        let offset = Int.random(in: 1..<tapCount, using: &random)
        expected.ticks = (UInt64(index) * 40_000_000_000 + 999_999_999_999) % (1 << 40)
        expected.preambleCount = Int.random(in: 1...1024, using: &random)
        expected.firstPath = first - first.rounded(.up) + Double(offset)
        let numbers = { (parts: [Float]) in parts.map { "\(Int($0))" }.joined(separator: ",") }
        capture.bytes += Array(
          ("{\"utime\":\(expected.ticks),\"cir_type\":\"ipatov\",\"raw_ts\":1,\"resam_dly\":3,\"fp_idx\":\(first),"
            + "\"fp_power\":-84.25,\"angle\":0.5,\"acc_cnt\":\(expected.preambleCount ?? 0),\"offset\":\(offset),"
            + "\"real\":[\(numbers(expected.real))],\"imag\":[\(numbers(expected.imaginary))]}\n").utf8)
      case "contiki-uwb":
        let hexadecimal = zip(expected.real, expected.imaginary).flatMap { [$0, $1] }
          .map { String(format: "%04x", UInt16(bitPattern: Int16($0)).byteSwapped) }.joined()
        capture.bytes += Array("CIR[740:\(tapCount)] \(hexadecimal)\n".utf8)
      case "dw3000-cir":
        expected.firstPath = Double(Int.random(in: 0...(64 * tapCount), using: &random)) / 64
        expected.preambleCount = Int.random(in: 1...1024, using: &random)
        expected.distance = 2.5
        capture.bytes += Array(
          ("CIR_BEGIN,P:\(index),A:1,N:\(tapCount),D:2.500,FP_RAW:\(Int((expected.firstPath ?? 0) * 64)),PK_RAW:5,"
            + "ACC:\(expected.preambleCount ?? 0),PWR:7,F1:1,F2:2,F3:3\r\n").utf8)
        for (tap, pair) in zip(expected.real, expected.imaginary).enumerated() {
          let octets = [pair.0, pair.1].map { number in
            let bits = UInt32(bitPattern: Int32(number)) & 0xFF_FFFF
            return String(format: "%02X%02X%02X", bits & 255, bits >> 8 & 255, bits >> 16)
          }.joined()
          capture.bytes += Array("CIR,\(tap),\(octets)\r\n".utf8)
        }
        capture.bytes += Array("CIR_END,P:\(index)\r\n".utf8)
      case "ewine":
        expected = Expected(expected.real.map { abs($0) }, expected.real.map { _ in 0 })
        expected.firstPath = Double(Int.random(in: 700...760, using: &random))
        expected.preambleCount = Int.random(in: 1...1024, using: &random)
        expected.distance = Double(Int.random(in: 0...2000, using: &random)) / 100
        expected.isLineOfSight = Bool.random(using: &random)
        let values =
          "\(expected.isLineOfSight == true ? 0 : 1),\(expected.distance ?? 0),\(expected.firstPath ?? 0),4889,13876,"
          + "10464,240,9048,3668,\(expected.preambleCount ?? 0),2,39,1024,110,64"
        capture.bytes += Array("\(values),\(expected.real.map { "\(Int($0))" }.joined(separator: ","))\r\n".utf8)
      default:
        for (real, imaginary) in zip(expected.real, expected.imaginary) {
          for part in [real, imaginary] {
            withUnsafeBytes(of: part.bitPattern.littleEndian) { capture.bytes += $0 }
          }
        }
      }
      capture.ends.append(capture.bytes.count)
      capture.expected.append(expected)
    }
    return capture
  }

  static let ewineFields = [
    "NLOS", "RANGE", "FP_IDX", "FP_AMP1", "FP_AMP2", "FP_AMP3", "STDEV_NOISE", "CIR_PWR", "MAX_NOISE", "RXPACC", "CH",
    "FRAME_LEN", "PREAM_LEN", "BITRATE", "PRFR",
  ]

  static func npyHeader(_ type: String, shape: String, order: String = "False") -> [UInt8] {
    let descr = type.hasPrefix("[") ? type : "'\(type)'"
    var text = "{'descr': \(descr), 'fortran_order': \(order), 'shape': \(shape), }"
    while (10 + text.utf8.count + 1) % 64 != 0 { text += " " }
    text += "\n"
    return [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0, UInt8(text.utf8.count & 255), UInt8(text.utf8.count >> 8)]
      + Array(text.utf8)
  }
}

/// What a reader made of a capture.
struct CaptureReading {
  var exchanges: [RangingExchange] = []
  var expected: [MadeUpCapture.Expected] { exchanges.map { MadeUpCapture.Expected($0) } }
  var skipped: [String: Int]
  var header: CaptureHeader

  init(_ reader: any CaptureReader) throws {
    var reader = reader
    while let exchange = try reader.next() { exchanges.append(exchange) }
    #expect(Set(reader.skipped.firstPlaces.keys) == Set(reader.skipped.counts.keys), "each reason has a place")
    skipped = reader.skipped.counts
    header = reader.header
  }

  /// Opened by the format's name.
  init(_ format: String, _ bytes: [UInt8], chunk: Int = .max, options: CaptureOptions = CaptureOptions()) throws {
    let file = ByteSource(content: bytes, chunk: chunk)
    try self.init(CaptureFormat.open(format, file, options))
  }
}
