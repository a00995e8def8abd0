import Foundation
import Testing
import UWBDSP

@testable import UWBCapture

/// Numbers beyond `CaptureLimits` and `EngineLimits` cost the record that holds them, or refuse the file by name; they never
/// end the process.
@Suite struct CaptureLimitsTests {
  /// Numbers that no field holds, as text.
  static let impossible = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e308", "-1e308", "1e400", "1e100000000",
  ]

  private func metadata(_ count: Int = 3) throws -> (folder: TemporaryFolder, text: String) {
    let folder = try TemporaryFolder()
    let exchanges = (0..<count).map { index in
      RangingExchange(
        index: index, time: 1, peer: DeviceAddress(rawValue: 1), poll: RangingMessage(reception: reception),
        chipReport: ChipReport(distance: 1, rawDistance: 1, clockOffsetppm: 1, azimuth: 1, elevation: 1))
    }
    try SigMFTests.write(exchanges, to: folder.path + "/x")
    return (folder, try String(contentsOfFile: folder.path + "/x.sigmf-meta", encoding: .utf8))
  }

  private var reception: Reception {
    Reception(
      time: DeviceTime(ticks: 1), chipFirstPathTaps: 1,
      impulseResponse: ChannelImpulseResponse([.init(1, 0), .init(2, 0)], scale: 0.5), preambleCount: 1,
      receivedPowerdBm: 1,
      firstPathPowerdBm: 1, noiseThreshold: 1, noiseDeviation: 1, carrierOffsetppm: 1, timeTrackingOffsetppm: 1)
  }

  @Test(
    "a number of a segment beyond its range costs that segment alone",
    arguments: [
      "exchange", "time_s", "first_path_taps", "preamble_count", "received_power_dbm", "first_path_power_dbm",
      "noise_threshold", "noise_deviation", "carrier_offset_ppm", "time_tracking_offset_ppm", "distance_m",
      "raw_distance_m", "clock_offset_ppm", "azimuth_rad", "elevation_rad", "tap_count", "scale", "message_count",
    ])
  func segments(_ field: String) throws {
    let (folder, text) = try metadata()
    let pattern = try Regex("\"uwb:\(field)\":-?[0-9][0-9.eE+-]*")
    #expect(text.firstMatch(of: pattern) != nil, "the recording holds no \(field)")
    for number in Self.impossible {
      let damaged = text.replacing(pattern, with: "\"uwb:\(field)\":\(number)", maxReplacements: 1)
      try Data(damaged.utf8).write(to: URL(fileURLWithPath: folder.path + "/x.sigmf-meta"))
      let (exchanges, reader) = try SigMFTests.read(folder.path + "/x")
      #expect(reader.skipped.counts["damagedSegment"] == 1, "\(number): \(reader.skipped)")
      #expect(exchanges.count >= 2)
      var summary = CaptureSummary()
      for exchange in exchanges { summary.add(exchange) }
      #expect(summary.exchanges == exchanges.count)
    }
  }

  @Test("a collection does not count beyond the last index that there is")
  func collection() throws {
    let folder = try TemporaryFolder()
    for name in ["x-0000", "x-0001"] {
      var exchanges = SigMFTests.exchanges(2, layout: .single, seed: 3)
      for index in exchanges.indices { exchanges[index].index = CaptureLimits.exchangeIndex.upperBound - 1 + index }
      try SigMFTests.write(exchanges, to: "\(folder.path)/\(name)")
    }
    let streams = ["x-0000", "x-0001"].map { "{\"name\":\"\($0)\",\"hash\":\"\"}" }.joined(separator: ",")
    try Data("{\"collection\":{\"core:version\":\"1.2.6\",\"core:streams\":[\(streams)]}}".utf8)
      .write(to: URL(fileURLWithPath: folder.path + "/x.sigmf-collection"))
    var reader = try openCapture(folder.path + "/x.sigmf-collection")
    var indices: [Int] = []
    while let exchange = try reader.next() { indices.append(exchange.index) }
    #expect(indices == [CaptureLimits.exchangeIndex.upperBound - 1, CaptureLimits.exchangeIndex.upperBound])
    #expect(reader.skipped.counts["exchangeIndex"] == 2)
  }

  @Test(
    "antennas that no array has are refused with file, field and remedy",
    arguments: [
      ("[[0,0,0],[1e300,0,0]]", "1e10", "uwb:antenna_positions_m[1]"),
      ("[[0,0,0],[18.8,0,0]]", "1e10", "uwb:antenna_positions_m[1]"),
      ("[[0,0],[1,0,0]]", "1e10", "uwb:antenna_positions_m[0]"), ("[[0,0,0]]", "1e300", "uwb:carrier_hz"),
      ("[[0,0,0]]", "0", "uwb:carrier_hz"),
      ("[\(Array(repeating: "[0,0,0]", count: 512).joined(separator: ","))]", "1e10", "there are 512 antennas"),
    ])
  func antennas(positions: String, carrier: String, complaint: String) throws {
    let (folder, text) = try metadata()
    let fields = "{\"uwb:antenna_positions_m\":\(positions),\"uwb:carrier_hz\":\(carrier),"
    let head = try Regex("\"uwb:(antenna_positions_m|carrier_hz)\":(\\[\\[.*?\\]\\]|[0-9.e+]+),")
    let damaged = text.replacing(head, with: "", maxReplacements: 2).replacing(
      "\"global\":{", with: "\"global\":\(fields)", maxReplacements: 1)
    try Data(damaged.utf8).write(to: URL(fileURLWithPath: folder.path + "/x.sigmf-meta"))
    expectRefusal(of: positions, showing: ["x.sigmf-meta", complaint]) { _ = try SigMFReader(path: folder.path + "/x") }
    let line =
      "{\"format\":\"uwb-capture\",\"version\":1,\"carrier_hz\":\(carrier),\"antenna_positions_m\":\(positions)}"
    expectRefusal(of: line, showing: ["test", "line 1"] + [complaint.replacing("uwb:", with: "")]) {
      var reader = NDJSONReader(ByteSource(text: line + "\n"))
      _ = try reader.next()
    }
  }

  @Test("a new tap spacing with each CIR: those beyond the engine's number of them are counted, not measured")
  func spacings() throws {
    let folder = try TemporaryFolder()
    let writer = try SigMFWriter(path: folder.path + "/x", header: SigMFTests.header)
    let lines = try NDJSONWriter(path: folder.path + "/x.ndjson", header: SigMFTests.header)
    for index in 0..<10 {
      var reception = reception
      reception.impulseResponse = ChannelImpulseResponse(
        [.init(1, 0), .init(2, 0)], tapSpacing: 1e-9 * (1 + 0.01 * Double(index)))
      let exchange = RangingExchange(
        index: index, time: 0, peer: DeviceAddress(rawValue: 1), poll: RangingMessage(reception: reception))
      try writer.append(exchange)
      try lines.append(exchange)
    }
    try writer.finish()
    try lines.finish()
    let (exchanges, reader) = try SigMFTests.read(folder.path + "/x")
    #expect(exchanges.count == 10)
    #expect(exchanges.count { $0.poll.reception?.impulseResponse != nil } == EngineLimits.tapSpacingCount)
    #expect(reader.skipped.counts == ["unsupportedShape": 10 - EngineLimits.tapSpacingCount])
    var other = try openCapture(folder.path + "/x.ndjson")
    var count = 0
    while try other.next() != nil { count += 1 }
    #expect(count == EngineLimits.tapSpacingCount)
    #expect(other.skipped.counts == ["unsupportedShape": 10 - EngineLimits.tapSpacingCount])
  }

  @Test(
    "text formats: a number beyond its range costs its record",
    arguments: [
      "CIR_BEGIN,P:17,D:999999999999,ACC:1\nCIR,0,0A0000F6FFFF\nCIR_END,P:17\n",
      "CIR_BEGIN,P:17,FP_RAW:999999999999,ACC:1\nCIR,0,0A0000F6FFFF\nCIR_END,P:17\n",
      "NLOS,RANGE,FP_IDX,CIR0,CIR1\n1,1e300,5,1,2\n", "NLOS,RANGE,FP_IDX,CIR0,CIR1\n1,5,-1e300,1,2\n",
    ])
  func text(_ text: String) throws {
    var reader = try openCapture(ByteSource(text: text))
    #expect(try reader.next() == nil)
    #expect(reader.skipped.counts["outOfRange"] == 1)
  }

  @Test("counts of what was skipped stop at the largest number there is")
  func skipped() {
    var skipped = SkippedInput()
    skipped.add("a", count: .max)
    skipped.add("a", count: 2)
    var other = SkippedInput()
    other.add("a", count: .max)
    skipped.merge(other)
    #expect(skipped.counts == ["a": Int.max])
  }

  @Test("a summary takes times of any size")
  func summary() {
    var summary = CaptureSummary()
    for (index, time) in [-1e308, 1e308, .infinity, .nan, 0, -.infinity].enumerated() {
      summary.add(
        RangingExchange(
          index: index == 0 ? .min : .max, time: time, peer: DeviceAddress(rawValue: 1), poll: RangingMessage()))
    }
    #expect(summary.exchanges == 6)
  }
}
