import Foundation
import NearbyUCI
import TestSupport
import Testing
import UWBCapture
import UWBTypes

@Suite struct UCIRecordingTests {
  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  static let round =
    "62000038000000000100000000c800000001000000000000000000000101000000d20040066460fe5000fc5a000000009c0000000000000000000000"

  private static func packets(_ hex: [String]) throws -> [UCIPacket] {
    try hex.map { try #require(try UCIPacket(bytes: bytes($0))) }
  }

  /// A recording of a session with one round that measured and one that did not.
  static func recording() throws -> [UInt8] {
    let path = NSTemporaryDirectory() + "/\(UUID().uuidString).pcapng"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let writer = try UCIRecordingWriter(path: path)
    var failed = bytes(round)
    (failed[4], failed[31]) = (3, 0x21)
    let texts = [
      "2000000100", "4000000100", "6001000101", "210000052a00000000", "410000050001000000",
      "210300090100000001060234" + "12",
    ]
    for (index, packet) in (try packets(texts + [round])).enumerated() {
      try writer.append(packet, microseconds: 1_754_000_000_000_000 + UInt64(index))
    }
    try writer.append(try #require(try UCIPacket(bytes: failed)), microseconds: 1_754_000_000_200_006)
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  private static func read(_ bytes: [UInt8]) throws -> ([RangingExchange], SkippedInput) {
    var source = bytes[...]
    var reader = UCIRecording(
      ByteSource(name: "recording") { target in
        let count = min(target.count, source.count, 7)
        target.copyBytes(from: source.prefix(count))
        source = source.dropFirst(count)
        return count
      })
    var exchanges: [RangingExchange] = []
    while let exchange = try reader.next() { exchanges.append(exchange) }
    return (exchanges, reader.skipped)
  }

  @Test("what was written is read: distance, angles, times, addresses, a failed round, and rounds that are missing")
  func written() throws {
    let (exchanges, skipped) = try Self.read(Self.recording())
    #expect(exchanges.map(\.index) == [0, 1] && exchanges.map { Int(($0.time * 1e6).rounded()) } == [0, 200_000])
    let first = try #require(exchanges.first)
    #expect(first.peer == DeviceAddress(rawValue: 1) && first.local == DeviceAddress(rawValue: 0x1234))
    #expect(first.ready?.distance == 2.1 && first.chipReport?.azimuth == 12.5 * .pi / 180)
    #expect(exchanges.last?.ready == nil && exchanges.last?.hasFailed == true)
    #expect(skipped.counts == ["lostRound": 2])
  }

  /// A recording of so many packets, a millisecond apart.
  private static func recording(of packets: [UCIPacket]) throws -> [UInt8] {
    let path = NSTemporaryDirectory() + "/\(UUID().uuidString).pcapng"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let writer = try UCIRecordingWriter(path: path)
    for (index, packet) in packets.enumerated() { try writer.append(packet, microseconds: 1000 * UInt64(index)) }
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  @Test("one-way angles and a tag's messages of anchors: angles, and the times of message and arrival")
  func otherKinds() throws {
    var angle = OneWayAngleMeasurement()
    (angle.address, angle.azimuth) = (.short(7), UCIAngle(degrees: -20, figureOfMerit: 80))
    var heard = DownlinkMeasurement()
    (heard.address, heard.lineOfSight) = (.short(8), .obstructed)
    (heard.azimuth, heard.transmitTime, heard.receiveTime) = (UCIAngle(degrees: 30, figureOfMerit: 100), 5000, 7000)
    var blind = heard
    blind.azimuth = UCIAngle()
    var failed = heard
    failed.status = .receptionTimeout
    let packets = try [
      SessionInfo.Measurements.oneWayAngle([angle]), .downlink([heard, blind, failed]), .other(count: 0),
    ]
    .flatMap { measurements in
      var info = SessionInfo()
      (info.token, info.measurements) = (4, measurements)
      switch measurements {
      case .oneWayAngle: info.type = .oneWayAngle
      case .downlink: info.type = .downlink
      default: info.type = .init(rawValue: 0)
      }
      return try info.packets()
    }
    let (exchanges, skipped) = try Self.read(Self.recording(of: packets))
    #expect(exchanges.map(\.peer.rawValue) == [7, 8, 8, 8] && skipped.counts == ["otherRound": 1])
    let degrees = exchanges.map { $0.ready?.azimuth.map { ($0.value * 180 / .pi).rounded() } }
    #expect(degrees == [-20, 30, nil, nil] && exchanges.allSatisfy { $0.ready?.distance == nil })
    #expect(exchanges.map(\.hasFailed) == [false, false, false, true])
    #expect(exchanges[1].poll.transmitted == DeviceTime(ticks: 5000))
    #expect(exchanges[1].poll.reception?.time == DeviceTime(ticks: 7000))
    #expect(exchanges[1].ready?.lineOfSightProbability.map { $0 < 0.5 } == true)
  }

  @Test("it is known by its first bytes")
  func recognised() throws {
    var source = try Self.recording()[...]
    let reader = try openCapture(
      ByteSource(name: "recording") { target in
        let count = min(target.count, source.count)
        target.copyBytes(from: source.prefix(count))
        source = source.dropFirst(count)
        return count
      })
    #expect(reader.header.format == "uci")
  }

  @Test("cut off at every byte it gives what was whole, and says so")
  func truncated() throws {
    let whole = try Self.recording()
    var mostSkipped = 0
    for count in 0..<whole.count {
      let (exchanges, skipped) = try Self.read(Array(whole.prefix(count)))
      #expect(exchanges.count <= 1)
      mostSkipped += skipped.counts["truncatedBlock"] == 1 ? 1 : 0
    }
    // All but those that end with a block: section, interface, eight packets, and the empty one.
    #expect(mostSkipped == whole.count - 10)
  }

  @Test("any bytes are read to their end without a trap")
  func hostile() throws {
    let whole = try Self.recording()
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0 ... .max, using: &random)
      }
      let (exchanges, _) = try Self.read(bytes)
      #expect(exchanges.count <= 2)
    }
  }

  @Test(
    "recordings of other programs: packets as on the wire, Android's headers, another link type", .needsRealData("uci"))
  func others() throws {
    struct File: Decodable {
      struct Vector: Decodable {
        let name: String
        let hex: String
      }
      let vectors: [Vector]
    }
    let file = URL(filePath: try RealData.path("uci")).appending(path: "pcapng.json")
    let vectors = try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).vectors
    for name in ["file-wire-header", "file-aosp-header", "file-pica"] {
      let vector = try #require(vectors.first { $0.name == name })
      let (exchanges, skipped) = try Self.read(Self.bytes(vector.hex))
      #expect(skipped.isEmpty, "\(name): \(skipped.counts)")
      // The last one holds a start and no round.
      #expect(exchanges.compactMap(\.ready?.distance) == (name == "file-pica" ? [] : [2.1]), "\(name)")
    }
  }
}
