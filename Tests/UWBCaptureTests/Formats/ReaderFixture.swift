import Foundation
import TestSupport
import UWBCapture
import UWBDSP

/// A small capture of a format that one radio's firmware writes, made from its field table, with every field that an exchange keeps.
struct ReaderFixture {
  /// What is true of one reception.
  struct Expected: Equatable {
    var time = 0.0
    var peer: UInt64 = 0
    var local: UInt64?
    var ticks: UInt64 = 0
    var firstPath: Double?
    var preambleCount: Int?
    var received: Double?
    var firstPathPower: Double?
    var amplitudes: SIMD3<Double>?
    var noiseThreshold: Int?
    var noiseDeviation: Double?
    var phaseDifferences: [Double]?
    var distance: Double?
    var trueDistance: Double?
    var trueAzimuth: Double?
    var isLineOfSight: Bool?
    /// Samples with their scale: of the preamble, then of the segments of the STS.
    var responses: [[SIMD2<Float>]] = []

    init() {}

    /// Numbers that are worked out are compared to nine digits.
    init(_ exchange: RangingExchange) {
      func rounded(_ value: Double?) -> Double? { value.map { ($0 * 1e9).rounded() / 1e9 } }
      let reception = exchange.poll.reception
      (time, peer, local) = (rounded(exchange.time) ?? 0, exchange.peer.rawValue, exchange.local?.rawValue)
      ticks = reception?.time.ticks ?? .max
      (firstPath, preambleCount) = (reception?.chipFirstPathTaps, reception?.preambleCount)
      (received, firstPathPower) = (rounded(reception?.receivedPowerdBm), rounded(reception?.firstPathPowerdBm))
      amplitudes = reception?.firstPathAmplitudes
      (noiseThreshold, noiseDeviation) = (reception?.noiseThreshold, reception?.noiseDeviation)
      phaseDifferences = exchange.phaseDifferences
      distance = exchange.chipReport?.distance
      (trueDistance, isLineOfSight) = (rounded(exchange.truth?.distance), exchange.truth?.isLineOfSight)
      trueAzimuth = rounded(exchange.truth?.azimuth)
      responses = ((reception?.impulseResponse.map { [$0] } ?? []) + (reception?.stsImpulseResponses ?? [])).map {
        $0.samples().map { SIMD2($0.real, $0.imaginary) }
      }
    }
  }

  var format: String
  var bytes: [UInt8] = []
  /// Where each reception's record is whole.
  var ends: [Int] = []
  var expected: [Expected] = []

  static let formats = ["ultrawidelock", "bregar", "dw3000-hex", "eth-dual-antenna"]

  init(_ format: String, count: Int, seed: UInt64, hasAccumulators: Bool = true) {
    self.format = format
    var random = DecaRangingGenerator(seed: seed)
    switch format {
    case "ultrawidelock": for index in 0..<count { addLock(index, &random) }
    case "bregar": addBregar(count, &random)
    case "dw3000-hex": for _ in 0..<count { addHex(&random) }
    default: for index in 0..<count { addETH(index, hasAccumulators, &random) }
    }
  }

  private mutating func add(_ text: String) { bytes += Array(text.utf8) }

  private mutating func end(_ record: Expected) {
    ends.append(bytes.count)
    expected.append(record)
  }

  private static func samples(_ count: Int, _ limit: Int, _ random: inout DecaRangingGenerator) -> [SIMD2<Float>] {
    (0..<count).map { _ in
      SIMD2(
        Float(Int.random(in: -limit - 1...limit, using: &random)),
        Float(Int.random(in: -limit - 1...limit, using: &random)))
    }
  }

  // MARK: ultrawidelock

  private mutating func addLock(_ index: Int, _ random: inout DecaRangingGenerator) {
    var record = Expected()
    record.time = 0.25 * Double(index)
    let first = Int.random(in: 700...760, using: &random)
    let offset = Int.random(in: 0..<4096, using: &random)
    record.firstPath = Double(offset) / 64
    record.preambleCount = Int.random(in: 1...255, using: &random)
    record.amplitudes = SIMD3(2280, 2960.25, 2552.5)
    let taps = Self.samples(64, 32767, &random)
    record.responses = [taps.map { $0 * (1 / Float(record.preambleCount ?? 1)) }]
    add(
      "[ALAB] t=\(1_234_567 + 250_000 * index) ev=uwb.diag n=\(index) sp=1 len=20 st=0 ipfp=\(first * 64 + offset) "
        + "ippk=1549800500 ippw=81234 ipf1=9120 ipf2=11841 ipf3=10210 ipac=\(record.preambleCount ?? 0) sfp=8200 xtal=-12\r\n"
    )
    for (tap, sample) in taps.enumerated() {
      add(
        "[ALAB] t=\(1_234_567 + 250_000 * index) ev=uwb.cir n=\(index) i=\(first + tap) re=\(Int(sample.x)) im=\(Int(sample.y))\r\n"
      )
    }
    end(record)
  }

  // MARK: Bregar

  private mutating func addBregar(_ count: Int, _ random: inout DecaRangingGenerator) {
    add(
      "{\"path\": [{\"x\": \"1.20\", \"y\": \"3.40\", \"z\": \"1.20\", \"name\": \"p\"}], \"anchors\": [\"A1\", \"A2\"], "
        + "\"channels\": [\"ch5\", \"ch7\"], \"measurements\": {")
    var isOpen = false
    for index in 0..<count {
      // A place of two anchors, of two channels, of two records each.
      if index % 8 == 0 { add("\(index > 0 ? "]}}, " : "")\"place \(index / 8)\": {") }
      if index % 4 == 0 { add("\(index % 8 > 0 ? "]}, " : "")\"A\(index % 8 / 4 + 1)\": {") }
      add(index % 2 == 0 ? "\(index % 4 > 0 ? "], " : "")\"ch\(index % 4 > 0 ? 7 : 5)\": [" : ", ")
      isOpen = true
      addBregarRecord(index, &random)
    }
    add(isOpen ? "]}}}}" : "}}")
  }

  private mutating func addBregarRecord(_ index: Int, _ random: inout DecaRangingGenerator) {
    var record = Expected()
    (record.peer, record.local) = (UInt64(index % 6 + 1), 9)
    record.distance = Double(Int.random(in: 0...9999, using: &random)) / 100
    record.firstPath = Double(Int.random(in: 0..<6, using: &random))
    (record.received, record.firstPathPower) = (-79.25, -81)
    record.amplitudes = SIMD3(9120, 11840, 10210)
    (record.noiseDeviation, record.noiseThreshold) = (44, 1104)
    record.preambleCount = Int.random(in: 1...1024, using: &random)
    record.isLineOfSight = index % 3 == 0
    record.trueDistance = 13
    var taps = Self.samples(6, 32767, &random)
    taps[4] = SIMD2(0, -7)
    taps[5] = SIMD2(1200, 3)
    var texts = taps.map { "(\(Int($0.x))\($0.y < 0 ? "" : "+")\(Int($0.y))j)" }
    (texts[4], texts[5]) = ("-7j", "1.2e3+3.0j")
    record.responses = [taps.map { $0 * (1 / Float(record.preambleCount ?? 1)) }]
    add(
      "{\"tag_id\": 9, \"anchor_id\": \(record.peer), \"x_tag\": 1.5, \"y_tag\": 3.0, \"z_tag\": 1.0, \"x_anchor\": 4.5, "
        + "\"y_anchor\": 7.0, \"z_anchor\": 13.0, \"nlos\": \(record.isLineOfSight == true ? 0 : 1), "
        + "\"range\": \(record.distance ?? 0), \"fp_index\": \(Int(record.firstPath ?? 0)), \"rss\": -79.25, \"rss_fp\": -81.0, "
        + "\"fp_point1\": 9120, \"fp_point2\": 11840, \"fp_point3\": 10210, \"stdev_noise\": 44, \"cir_power\": 8123, "
        + "\"max_noise\": 1104, \"rxpacc\": \(record.preambleCount ?? 0), \"channel_number\": 5, \"frame_length\": 21, "
        + "\"preamble_length\": 128, \"bitrate\": 6800, \"prfr\": 64, \"preamble_code\": 10, "
        + "\"cir\": [\(texts.map { "\"\($0)\"" }.joined(separator: ", "))]}")
    end(record)
  }

  // MARK: DW3000 hexadecimal

  /// A number's three octets, the lowest first.
  private static func octets(_ value: Float) -> [UInt8] {
    let bits = UInt32(bitPattern: Int32(value))
    return [0, 8, 16].map { UInt8(truncatingIfNeeded: bits >> $0) }
  }

  private mutating func addHex(_ random: inout DecaRangingGenerator) {
    var record = Expected()
    record.firstPath = 0
    record.responses = [Self.samples(100, 131_071, &random)]
    let octets = record.responses[0].flatMap { Self.octets($0.x) + Self.octets($0.y) }
    add(octets.map { String(format: "%02X ", $0) }.joined())
    // The last octet's second digit makes it whole.
    bytes.removeLast()
    end(record)
    add(" ")
  }

  // MARK: ETH

  private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private mutating func addBlob(_ title: String, _ blob: [UInt8]) {
    add("0010.87641: BLOB / \(title) / \(blob.count)\r\nXXXX.XXXXX: Data: \(Data(blob).base64EncodedString())\r\n")
  }

  private mutating func addETH(_ index: Int, _ hasAccumulators: Bool, _ random: inout DecaRangingGenerator) {
    var record = Expected()
    record.time = Double(index) * 0.5
    record.ticks = (UInt64(index) * 40_000_000_000 + 999_999_999_999) % (1 << 40)
    let phase = Int16.random(in: -6000...6000, using: &random)
    record.phaseDifferences = [Double(phase) / 2048]
    let counts = (0..<3).map { _ in Int.random(in: 1...255, using: &random) }
    let power = UInt64.random(in: 1_000_000...9_000_000, using: &random)
    let amplitudes = (0..<3).map { _ in UInt64.random(in: 1000...200_000, using: &random) }
    let path = UInt64.random(in: 0..<65_024, using: &random)
    record.firstPath = Double(path) / 64
    record.preambleCount = counts[0]
    record.amplitudes = SIMD3(Double(amplitudes[0]), Double(amplitudes[1]), Double(amplitudes[2])) / 4
    let symbols = Double(counts[0])
    let sum = amplitudes.reduce(0.0) { $0 + Double($1) * Double($1) / 16 }
    let gain = Int.random(in: 0...7, using: &random)
    func level(_ ratio: Double) -> Double {
      ((10 * log10(ratio) + 6 * Double(gain) - 121.7) * 1e9).rounded() / 1e9
    }
    record.received = level(Double(power) * 2_097_152 / symbols / symbols)
    record.firstPathPower = level(sum / symbols / symbols)
    record.distance = Double(7131 + index)
    record.trueAzimuth =
      index % 2 == 0 ? ((35 * Double.pi / 180) * 1e9).rounded() / 1e9 : ((-10 * Double.pi / 180) * 1e9).rounded() / 1e9

    add(String(format: "%04d.%05d: New Frame: poll: %d\r\n", 10 + index / 2, index % 2 * 50_000, index))
    let arrival: [[UInt8]] = [
      Self.little(0, 4), Self.little(1000, 2), Self.little(2000, 2), Self.little(1900, 2),
      Self.little(UInt64(UInt16(bitPattern: phase)), 2), Self.little(0xFFF4, 2), Self.little(90, 2), [1, 1],
      [UInt8](repeating: 0xFF, count: 5), Self.little(record.ticks, 5), [0], Self.little(1, 5), [0], Self.little(2, 5),
      [0, 0],
      [UInt8(gain)],
    ]
    addBlob("toa / v3", arrival.flatMap { $0 })
    for (segment, title) in ["ip", "sts1", "sts2"].enumerated() {
      let numbers = ([739 << 21 | 5000, power] + amplitudes).flatMap { Self.little($0, 4) }
      addBlob(
        "cir analysis \(title) / v1", numbers + Self.little(path, 2) + Self.little(UInt64(counts[segment]), 2))
    }
    if hasAccumulators {
      let taps = Self.samples(2048, 131_071, &random)
      addBlob("cir / v1", [0xAA] + taps.flatMap { Self.octets($0.x) + Self.octets($0.y) }.dropLast())
      record.responses = zip([0..<1016, 1024..<1536, 1536..<2047], counts).map { range, count in
        taps[range].map { $0 * (1 / Float(count)) }
      }
    }
    let times = ([1, 2, 3, 4] as [UInt64]).flatMap { Self.little($0, 8) }
    let distance = Self.little(UInt64((record.distance ?? 0) * 1000), 4)
    addBlob("twr / v2", times + distance + Self.little(7, 2) + Self.little(index % 2 == 0 ? 35 : 350, 2))
    end(record)
  }
}
