import Foundation
import NearbyUCI
import TestSupport
import Testing

/// Vectors of public sources: real captures, others' tests.
@Suite struct UCIVectorTests {
  private struct File: Decodable {
    struct Vector: Decodable {
      let name: String
      let wireHex: String?
      let packets: [String]?
    }
    let vectors: [Vector]
  }

  private static let folder = "uci"

  private func vectors() throws -> [(name: String, wire: [UInt8], packets: [[UInt8]])] {
    let folder = URL(filePath: try RealData.path(Self.folder))
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    var all: [(String, [UInt8], [[UInt8]])] = []
    for file in files.sorted(by: { $0.path < $1.path })
    where file.pathExtension == "json" && !file.lastPathComponent.hasPrefix("reader-") {
      for vector in try decoder.decode(File.self, from: Data(contentsOf: file)).vectors {
        guard let wire = vector.wireHex.map(UCIExamples.bytes) else { continue }
        all.append(
          ("\(file.lastPathComponent) \(vector.name)", wire, (vector.packets ?? []).map(UCIExamples.bytes)))
      }
    }
    return all
  }

  @Test("every vector divides into its packets, is decoded, and written back byte for byte", .needsRealData(folder))
  func roundTrip() throws {
    let vectors = try vectors()
    #expect(vectors.count > 60)
    for (name, wire, packets) in vectors {
      var stream = UCIPacketStream(from: wire[0] >> 5 == 1 || wire[0] == 1 ? .host : .chip)
      var reassembler = UCIReassembler()
      let divided = stream.push(wire)
      #expect(stream.skipped == 0 && !stream.isInsidePacket, "\(name)")
      #expect(try divided.map { try $0.bytes } == (packets.isEmpty ? [wire] : packets), "\(name)")
      let dialect = UCIDialect(name.contains("v1") ? .first : .second)
      for packet in divided {
        guard let message = try reassembler.push(packet) else { continue }
        let decoded = try #require(try message.decoded(in: dialect), "\(name)")
        #expect(decoded.additionalBytes.isEmpty, "\(name)")
        #expect(try decoded.message.payload(in: dialect) == message.payload, "\(name)")
      }
    }
  }

  @Test("vectors truncated at every byte throw or are whole by themselves", .needsRealData(folder))
  func truncation() throws {
    for (name, wire, _) in try vectors() {
      guard let packet = try UCIPacket(bytes: wire) else { continue }
      for count in 0..<packet.payload.count {
        var short = packet
        short.payload = Array(packet.payload.prefix(count))
        guard let decoded = try? short.decoded() else { continue }
        let written = try decoded.message.payload() + decoded.additionalBytes
        #expect(written == short.payload, "\(name) at \(count)")
      }
    }
  }

  @Test("an accessory's shareable data as application configuration, byte for byte", .needsRealData(folder))
  func accessory() throws {
    let vector = try #require(try vectors().first { $0.name.hasSuffix("app-config-controller") })
    let ranging = UCIRangingParameters(
      sessionID: 20303, isController: true, address: 0x1234, peers: [0x91D8],
      staticInitialVector: UCIExamples.bytes("1baf75655238"))
    var command = SetSessionConfiguration()
    command.token = 1
    command.parameters = ranging.parameters
    #expect(try command.packets().map { try $0.bytes } == [vector.wire])
  }

  @Test("NXP's extension of a round: angles, phase differences, levels", .needsRealData(folder))
  func extensions() throws {
    func read(_ name: String) throws -> NXPRangingExtension {
      let vector = try #require(try vectors().first { $0.name.hasSuffix(name) })
      let packet = try #require(try UCIPacket(bytes: vector.wire))
      let info = try SessionInfo(payload: packet.payload)
      let read = try NXPRangingExtension(vendorBytes: info.vendorBytes, responderCount: 1)
      #expect(try Array(info.vendorBytes.prefix(read.vendorBytes.count)) == read.vendorBytes)
      return read
    }
    let pairs = try #require(try read("two-pairs").responders.first)
    #expect(pairs.angles.map(\.degrees) == [23.5, -7])
    #expect(pairs.angles.map(\.phaseDifferenceDegrees) == [-150.0625, -27.109375])
    #expect(pairs.levels.map(\.firstPathIndex) == [737, 736] && pairs.levels.map(\.mainPathSNR) == [25, 24])
    let fine = try #require(try read("type-a1").responders.first)
    #expect(fine.levels.map(\.rawTotalSNR) == [6272] && fine.levels.map(\.rawSignalStrength) == [-78])
    #expect(fine.fineDistance == 20342)
  }

  @Test(
    "Qorvo's diagnostics: a window of the preamble with its offset, power and a second segment", .needsRealData(folder))
  func diagnostics() throws {
    let vector = try #require(try vectors().first { $0.name.hasSuffix("three-reports") })
    var reader = UCIRoundReader()
    #expect(reader.push(try #require(try UCIPacket(bytes: vector.wire))).isEmpty)
    var info = SessionInfo()
    (info.token, info.sequence) = (1, 12)
    var round = TwoWayMeasurement()
    (round.address, round.rawDistance) = (.short(1), 200)
    info.measurements = .twoWay([round])
    let exchange = try #require(try info.packets().flatMap { reader.push($0) }.first?.exchange)
    let reception = try #require(exchange.poll.reception)
    #expect(reception.impulseResponse?.tapCount == 6 && reception.impulseResponse?.antennaCount == 1)
    #expect(reception.chipFirstPathTaps == 2)
    #expect(reader.problems == [.unusedWindow: 1])
  }
}
