import Foundation
import TestSupport
import Testing
import UWBDSP

@testable import UWBCapture

/// A folder that lives as long as the test that made it.
final class TemporaryFolder {
  let path = NSTemporaryDirectory() + "uwb-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}

@Suite struct SigMFTests {
  /// Exchanges that hold and lack everything there is, drawn from a seed.
  static func exchanges(_ count: Int, layout: SigMFLayout, seed: UInt64) -> [RangingExchange] {
    var random = DecaRangingGenerator(seed: seed)
    return (0..<count).map { index in
      var exchange = RangingExchange(
        index: index, time: Double(index) * 0.1 + Double.random(in: 0...0.01, using: &random),
        peer: DeviceAddress(rawValue: UInt64.random(in: 0...UInt64.max, using: &random) >> (index % 3 == 0 ? 48 : 0)),
        local: index % 2 == 0 ? DeviceAddress(rawValue: .random(in: 0 ... .max, using: &random)) : nil,
        initiator: index % 5 == 0 ? .local : .peer, poll: message(layout, &random))
      if index % 4 != 1 { exchange.response = message(index % 7 == 0 ? layout : nil, &random) }
      if index % 4 != 2 { exchange.final = message(layout, &random) }
      if index % 6 == 5 { exchange.poll.reception = nil }
      if index % 9 == 8 { exchange.final = RangingMessage() }
      if index % 10 == 4 { exchange.secondPoll = message(layout, &random) }
      if index % 8 == 3 { exchange.counterBits = 32 }
      exchange.phaseDifferences = doubles(0...7, &random)
      exchange.chipReport = optional(&random) { random in
        ChipReport(
          distance: double(&random), rawDistance: double(&random), clockOffsetppm: double(&random),
          azimuth: double(&random), elevation: double(&random))
      }
      exchange.truth = optional(&random) { random in
        GroundTruth(
          distance: double(&random), azimuth: double(&random), elevation: double(&random),
          isLineOfSight: optional(&random) { .random(using: &$0) })
      }
      if index % 3 == 2 { exchange.ready = measurement(&random) }
      exchange.hasFailed = index % 11 == 4
      exchange.peerPosition = doubles(3...3, &random).map { SIMD3($0[0], $0[1], $0[2]) }
      return exchange
    }
  }

  private static func optional<Value>(
    _ random: inout DecaRangingGenerator, _ make: (inout DecaRangingGenerator) -> Value
  ) -> Value? {
    Int.random(in: 0...3, using: &random) == 0 ? nil : make(&random)
  }

  /// Any number of at most 1000, which lies in the range of every field: of all exponents, both zeros among them.
  private static func double(_ random: inout DecaRangingGenerator) -> Double? {
    optional(&random) { random in
      let value = Double(bitPattern: .random(in: 0 ... .max, using: &random))
      guard value.isFinite, Int.random(in: 0...5, using: &random) > 0 else { return -0.0 }
      return abs(value) <= 1000 ? value : value.significand
    }
  }

  private static func measurement(_ random: inout DecaRangingGenerator) -> RadioMeasurement {
    func share(_ random: inout DecaRangingGenerator) -> Double { .random(in: 0...1, using: &random) }
    func angle(_ random: inout DecaRangingGenerator) -> RadioMeasurement.Angle? {
      optional(&random) { .init(3 * share(&$0), deviation: share(&$0), figureOfMerit: share(&$0)) }
    }
    return RadioMeasurement(
      distance: double(&random), distanceDeviation: share(&random), azimuth: angle(&random), elevation: angle(&random),
      lineOfSightProbability: optional(&random, share))
  }

  private static func doubles(_ counts: ClosedRange<Int>, _ random: inout DecaRangingGenerator) -> [Double]? {
    optional(&random) { random in
      (0..<Int.random(in: counts, using: &random)).map { _ in double(&random) ?? 0.25 }
    }
  }

  private static func time(_ random: inout DecaRangingGenerator) -> DeviceTime {
    DeviceTime(ticks: .random(in: 0 ... .max, using: &random))
  }

  private static func message(_ layout: SigMFLayout?, _ random: inout DecaRangingGenerator) -> RangingMessage {
    RangingMessage(
      transmitted: optional(&random) { time(&$0) },
      reception: optional(&random) { random in
        Reception(
          time: time(&random), chipFirstPathTaps: double(&random),
          impulseResponse: layout.flatMap { layout in optional(&random) { cir(layout, &$0) } },
          preambleCount: optional(&random) { .random(in: 0...4096, using: &$0) }, receivedPowerdBm: double(&random),
          firstPathPowerdBm: double(&random), noiseThreshold: optional(&random) { .random(in: 0...65535, using: &$0) },
          antennaPhases: doubles(0...4, &random), antennaFirstPathTaps: doubles(0...4, &random),
          firstPathAmplitudes: doubles(3...3, &random).map { SIMD3($0[0], $0[1], $0[2]) },
          noiseDeviation: double(&random), carrierOffsetppm: double(&random), timeTrackingOffsetppm: double(&random))
      })
  }

  private static func cir(_ layout: SigMFLayout, _ random: inout DecaRangingGenerator) -> ChannelImpulseResponse {
    let tapCount = Int.random(in: 1...40, using: &random)
    let stride = tapCount + Int.random(in: 0...3, using: &random)
    let lead = Int.random(in: 0...5, using: &random) * layout.format.byteCount
    let storage = TapStorage(byteCount: lead + stride * layout.antennaCount * layout.format.byteCount)
    storage.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = .random(in: 0...255, using: &random) }
    }
    return ChannelImpulseResponse(
      storage: storage, byteOffset: lead, format: layout.format, antennaCount: layout.antennaCount, tapCount: tapCount,
      antennaStride: stride, scale: .random(in: 1e-4...1, using: &random),
      tapSpacing: [UWB.tap, 1.0 / 3 * 1e-9, 1e-10, 1e-8].randomElement(using: &random) ?? UWB.tap)
  }

  /// Everything an exchange holds, as text: numbers by their bits.
  static func bits(_ exchange: RangingExchange) -> String {
    func bits(_ value: Double?) -> String { value.map { String($0.bitPattern, radix: 16) } ?? "nil" }
    func list(_ values: [Double]?) -> String { values.map { "\($0.map { bits($0) })" } ?? "nil" }
    func bits(_ cir: ChannelImpulseResponse?) -> String {
      guard let cir else { return "nil" }
      let samples = cir.storage.withBytes { bytes in
        (0..<cir.antennaCount).map { antenna in
          (0..<cir.tapCount).flatMap { tap in
            let start = cir.byteOffset(antenna: antenna, tap: tap)
            return Array(bytes[start..<start + cir.format.byteCount])
          }
        }
      }
      return "\(cir.format) \(samples) \(cir.scale.bitPattern) \(bits(cir.tapSpacing))"
    }
    func bits(_ message: RangingMessage?) -> String {
      guard let message else { return "nil" }
      let reception = message.reception.map { it in
        "\(it.time) \(bits(it.chipFirstPathTaps)) \(bits(it.impulseResponse)) \(it.preambleCount as Int?) "
          + "\(bits(it.receivedPowerdBm)) \(bits(it.firstPathPowerdBm)) \(it.noiseThreshold as Int?) "
          + "\(list(it.antennaPhases)) \(list(it.antennaFirstPathTaps)) \(bits(it.firstPathAmplitudes?.x)) "
          + "\(bits(it.firstPathAmplitudes?.y)) \(bits(it.firstPathAmplitudes?.z)) \(bits(it.noiseDeviation)) "
          + "\(bits(it.carrierOffsetppm)) \(bits(it.timeTrackingOffsetppm))"
      }
      return "\(message.transmitted as DeviceTime?) \(reception ?? "nil")"
    }
    let report = exchange.chipReport.map {
      [$0.distance, $0.rawDistance, $0.clockOffsetppm, $0.azimuth, $0.elevation].map { bits($0) }
    }
    func bits(_ angle: RadioMeasurement.Angle?) -> String {
      list(angle.map { [$0.value, $0.deviation, $0.figureOfMerit] })
    }
    let ready = exchange.ready.map { ready in
      "\(bits(ready.distance)) \(bits(ready.distanceDeviation)) \(bits(ready.azimuth)) \(bits(ready.elevation)) "
        + bits(ready.lineOfSightProbability)
    }
    let place = exchange.peerPosition.map { [$0.x, $0.y, $0.z] }
    let truth = exchange.truth.map { [$0.distance, $0.azimuth, $0.elevation].map { bits($0) } }
    return """
      \(exchange.index) \(bits(exchange.time)) \(exchange.peer.rawValue) \(exchange.local?.rawValue as UInt64?) \
      \(exchange.initiator) \(bits(exchange.poll)) \(bits(exchange.response)) \(bits(exchange.final)) \
      \(bits(exchange.secondPoll)) \(exchange.counterBits) \(list(exchange.phaseDifferences)) \(report ?? []) \(exchange.chipReport == nil) \(truth ?? []) \(exchange.truth == nil) \
      \(exchange.truth?.isLineOfSight as Bool?) \(ready ?? "nil") \(exchange.hasFailed) \(list(place))
      """
  }

  static let header = CaptureHeader(
    format: "sigmf", profile: "dw1000",
    array: AntennaLayout(positions: [SIMD3(-0.0103, 0, 1e-300), SIMD3(0.0103, -0.0, 0.1 + 0.2)], carrier: 6489.6e6),
    notes: ["a “note”\n", "", "C:\\x/y"])

  static func write(_ exchanges: [RangingExchange], to path: String, header: CaptureHeader = header) throws {
    let writer = try SigMFWriter(path: path, header: header)
    for exchange in exchanges { try writer.append(exchange) }
    try writer.finish()
  }

  static func read(_ path: String) throws -> (exchanges: [RangingExchange], reader: SigMFReader) {
    var reader = try SigMFReader(path: path)
    var exchanges: [RangingExchange] = []
    while let exchange = try reader.next() { exchanges.append(exchange) }
    return (exchanges, reader)
  }

  static let layouts = [
    SigMFLayout(format: .int16, antennaCount: 1), SigMFLayout(format: .float32, antennaCount: 1),
    SigMFLayout(format: .int16, antennaCount: 4), SigMFLayout(format: .float32, antennaCount: 3),
  ]

  @Test(arguments: layouts) func everyFieldComesBackBitForBit(_ layout: SigMFLayout) throws {
    let folder = try TemporaryFolder()
    for seed in 1...5 as ClosedRange<UInt64> {
      let written = Self.exchanges(60, layout: layout, seed: seed)
      let path = "\(folder.path)/seed-\(seed)"
      try Self.write(written, to: path)
      for name in [path, path + ".sigmf-meta", path + ".sigmf-data"] {
        let (read, reader) = try Self.read(name)
        #expect(read.map { Self.bits($0) } == written.map { Self.bits($0) }, "seed \(seed)")
        #expect(reader.skipped.isEmpty)
        #expect(reader.header.array == Self.header.array)
        #expect(reader.header.notes == Self.header.notes)
        #expect(reader.header.profile == "dw1000")
        #expect(reader.bytesRead <= captureByteCount(name) ?? 0)
      }
    }
  }

  @Test func theCIRsOfOneAntennaShareBlocksOfTheFile() throws {
    let folder = try TemporaryFolder()
    try Self.write(Self.exchanges(30, layout: .single, seed: 3), to: folder.path + "/a")
    let (read, _) = try Self.read(folder.path + "/a")
    let storages = read.flatMap { [$0.poll.reception, $0.response?.reception, $0.final?.reception] }
      .compactMap { $0?.impulseResponse.map { ObjectIdentifier($0.storage) } }
    #expect(storages.count > 20)
    #expect(Set(storages).count <= 3)
  }

  @Test func antennasAreInterleavedInTheFile() throws {
    let folder = try TemporaryFolder()
    let storage = TapStorage(byteCount: 32)
    storage.withMutableBytes { bytes in
      for part in 0..<8 { bytes.storeBytes(of: Float(part + 1), toByteOffset: 4 * part, as: Float.self) }
    }
    let reception = Reception(
      time: DeviceTime(ticks: 0),
      impulseResponse: ChannelImpulseResponse(storage: storage, format: .float32, antennaCount: 2, tapCount: 2))
    try Self.write(
      [
        RangingExchange(index: 0, time: 0, peer: DeviceAddress(rawValue: 1), poll: RangingMessage(reception: reception))
      ],
      to: folder.path + "/a")
    let data = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.sigmf-data"))
    let numbers = data.withUnsafeBytes { bytes in
      (0..<8).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
    #expect(numbers == [1, 2, 5, 6, 3, 4, 7, 8])
  }

  @Test func anUnfinishedRecordingHoldsAllThatWasWritten() throws {
    let folder = try TemporaryFolder()
    let written = Self.exchanges(20, layout: .single, seed: 9)
    let writer = try SigMFWriter(path: folder.path + "/a", header: Self.header)
    #expect(try Self.read(folder.path + "/a").exchanges.isEmpty)
    for (index, exchange) in written.enumerated() {
      try writer.append(exchange)
      let (read, reader) = try Self.read(folder.path + "/a")
      #expect(read.map { Self.bits($0) } == written[...index].map { Self.bits($0) })
      #expect(reader.skipped.isEmpty)
    }
    let text = try String(contentsOfFile: folder.path + "/a.sigmf-meta", encoding: .utf8)
    #expect(!text.contains("sha512"))
    try writer.finish()
    #expect(try String(contentsOfFile: folder.path + "/a.sigmf-meta", encoding: .utf8).contains("sha512"))
  }

  @Test func equalExchangesMakeEqualBytes() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] {
      try Self.write(Self.exchanges(20, layout: .single, seed: 4), to: folder.path + "/" + name)
    }
    for ending in [".sigmf-meta", ".sigmf-data"] {
      #expect(
        try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a" + ending))
          == Data(contentsOf: URL(fileURLWithPath: folder.path + "/b" + ending)))
    }
  }

  @Test func aRecordingHasOneLayout() throws {
    let folder = try TemporaryFolder()
    let writer = try SigMFWriter(path: folder.path + "/a", header: Self.header)
    let single = Self.exchanges(6, layout: .single, seed: 2)
    for exchange in single { try writer.append(exchange) }
    let other = Self.exchanges(30, layout: SigMFLayout(format: .int16, antennaCount: 2), seed: 2)
      .first { $0.poll.reception?.impulseResponse != nil }
    let error = #expect(throws: CaptureError.self) { try writer.append(#require(other)) }
    #expect(error?.problem == "its CIR has 2 antennas of ci16_le, those before 1 antenna of ci16_le")
    try writer.finish()
    #expect(try Self.read(folder.path + "/a").exchanges.count == 6)
  }

  @Test func theRegistryFindsRecordings() throws {
    let folder = try TemporaryFolder()
    try Self.write(Self.exchanges(5, layout: .single, seed: 2), to: folder.path + "/a")
    for path in ["/a", "/a.sigmf-meta", "/a.sigmf-data"] {
      for format in ["auto", "sigmf"] {
        var reader = try openCapture(folder.path + path, format: format)
        #expect(reader.header.format == "sigmf")
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect(count == 5)
      }
    }
    let metadata = try String(contentsOfFile: folder.path + "/a.sigmf-meta", encoding: .utf8)
    let error = #expect(throws: CaptureError.self) { try openCapture(ByteSource(text: metadata)) }
    #expect(error?.problem == "is the metadata of a SigMF recording alone")
  }

  @Test func aNameOfARecordingAndACollectionIsAmbiguous() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a"
    try Self.write(Self.exchanges(5, layout: .single, seed: 2), to: path)
    let collection = try createCapture(path + ".sigmf-collection", header: Self.header)
    for exchange in Self.exchanges(3, layout: .single, seed: 3) { try collection.append(exchange) }
    try collection.finish()
    let error = #expect(throws: CaptureError.self) { try openCapture(path) }
    #expect(error?.problem.contains("a.sigmf-meta and ") == true && error?.file == path)
    for (ending, count) in [(".sigmf-meta", 5), (".sigmf-collection", 3)] {
      var reader = try openCapture(path + ending)
      var found = 0
      while try reader.next() != nil { found += 1 }
      #expect(found == count)
    }
  }
}
