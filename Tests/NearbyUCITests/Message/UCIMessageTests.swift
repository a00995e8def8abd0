import Testing

@testable import NearbyUCI

@Suite struct UCIMessageTests {
  private func message<Message: UCIMessage>(
    _ type: Message.Type, _ hex: String, _ dialect: UCIDialect = UCIDialect()
  ) throws -> Message {
    let packet = try #require(try UCIPacket(bytes: UCIExamples.bytes(hex)))
    let decoded = try #require(try packet.decoded(in: dialect))
    return try #require(decoded.message as? Message)
  }

  @Test("every message of the described dialogue is known, and written back byte for byte")
  func roundTrip() throws {
    for bytes in UCIExamples.commands + UCIExamples.answers {
      let packet = try #require(try UCIPacket(bytes: bytes))
      #expect(try packet.bytes == bytes)
      let decoded = try #require(try packet.decoded(), "\(packet.kind)")
      #expect(decoded.additionalBytes.isEmpty, "\(packet.kind)")
      #expect(try decoded.message.payload() == packet.payload, "\(packet.kind)")
    }
  }

  @Test("messages truncated at every byte throw, with field and place, or are whole by themselves")
  func truncation() throws {
    var thrown = 0
    for bytes in UCIExamples.commands + UCIExamples.answers {
      for count in 0..<bytes.count {
        #expect(try UCIPacket(bytes: bytes.prefix(count)) == nil)
      }
      let packet = try #require(try UCIPacket(bytes: bytes))
      for count in 0..<packet.payload.count {
        var short = packet
        short.payload = Array(packet.payload.prefix(count))
        do throws(UCIError) {
          guard let decoded = try short.decoded() else { continue }
          #expect(try decoded.message.payload() + decoded.additionalBytes == short.payload, "\(packet.kind) \(count)")
        } catch {
          thrown += 1
          guard case .truncated(let field, let offset, let needed, let available) = error else {
            Issue.record("\(packet.kind) at \(count): \(error)")
            continue
          }
          #expect(!field.isEmpty && offset + available == count && needed > available)
        }
      }
    }
    #expect(thrown > 500)
  }

  @Test("a session's measurements, field by field")
  func measurements() throws {
    let info = try message(SessionInfo.self, UCIExamples.clear)
    #expect(info.sequence == 0 && info.token == 1 && info.interval == 200 && !info.hasExtendedAddresses)
    guard case .twoWay(let list) = info.measurements, let measured = list.first else {
      Issue.record("expected a two-way measurement")
      return
    }
    #expect(list.count == 1 && measured.address == .short(1) && measured.status == .ok)
    #expect(measured.lineOfSight == .clear && measured.distance == 2.1)
    #expect(measured.azimuth.degrees == 12.5 && measured.azimuth.figureOfMerit == 100)
    #expect(measured.elevation.degrees == -3.25 && measured.peerAzimuth.degrees == -8)
    #expect(measured.peerElevation.degrees == nil, "a figure of merit of zero")
    #expect(measured.signalStrength == -78)
  }

  @Test("sentinels are nil, and a round whose distance is below zero has measured")
  func sentinels() throws {
    func only(_ hex: String) throws -> TwoWayMeasurement {
      guard case .twoWay(let list) = try message(SessionInfo.self, hex).measurements else { return TwoWayMeasurement() }
      return try #require(list.first)
    }
    let failed = try only(UCIExamples.timeout)
    #expect(failed.status == .receptionTimeout && failed.lineOfSight == .unknown && failed.slot == 2)
    #expect(failed.distance == nil && failed.azimuth.degrees == nil && failed.signalStrength == nil)
    let negative = try only(UCIExamples.negative)
    #expect(negative.status == .negativeDistance && negative.distance == -0.03 && negative.signalStrength == -49)
  }

  @Test("diagnostics: known fields with units, unknown ones by their size")
  func diagnostics() throws {
    let fields = try #require(
      try message(QorvoDiagnostics.self, UCIExamples.diagnostics).diagnostics.reports.first?.fields)
    #expect(fields.count == 6)
    guard case .clockOffset(let offset) = fields[1].value, case .angles(let angles) = fields[2].value,
      case .metrics(let metrics) = fields[3].value, case .impulseResponses(let windows) = fields[4].value
    else {
      Issue.record("fields \(fields)")
      return
    }
    #expect(offset == -112)
    #expect(angles.map(\.phaseDifference) == [0.75] && angles.map(\.angle) == [-0.25])
    #expect(metrics.map(\.noise) == [-80] && metrics[0].level == -64.1796875)
    #expect(metrics[0].firstPath.position == 362.234375 && metrics[0].peak.level == -64)
    #expect(SegmentMetrics.level(0xFFA1) == -95)
    #expect(windows.map(\.firstPathOffset) == [-2, 2, 1] && windows[2].taps == [SIMD2(-1, -2)])
    #expect(windows[0].taps == [SIMD2(12, -7), SIMD2(-35, 20)])
    #expect(windows[1].taps == [SIMD2(5, -6), SIMD2(700, -701), SIMD2(1, 2)])
    #expect(windows[0].id.isPrimaryReceiver && windows[1].id.receiver == 1 && windows[1].id.segment == 1)
    #expect(fields[5].value == .other([1, 2, 3]))
  }

  @Test("what differs between the generations is read by the one in use")
  func generations() throws {
    let first = try message(MulticastListStatus.self, "61 07 00 06 00010203 04 00", UCIDialect(.first))
    #expect(first.token == 0x0302_0100 && first.remaining == 4 && first.entries.isEmpty)
    #expect(try first.payload(in: UCIDialect(.first)) == [0, 1, 2, 3, 4, 0])
    let second = try message(MulticastListStatus.self, "61 07 00 08 01000000 01 0100 00")
    #expect(second.entries.map(\.address) == [1])
    #expect(try message(SessionHandle.self, "41 00 00 01 00").handle == nil)
    #expect(try message(SessionHandle.self, "41 00 00 05 00 07000000").handle == 7)
    let nxp = UCIDialect(hasTwoByteIdentifiers: true)
    let configuration = try message(SetDeviceConfiguration.self, "20 04 00 05 01 E4 33 01 01", nxp)
    #expect(configuration.parameters == [UCIParameter(UCIParameterID(rawValue: 0xE433), [1])])
    #expect(try configuration.payload(in: nxp) == [1, 0xE4, 0x33, 1, 1])
  }

  @Test("capabilities and versions")
  func capabilities() throws {
    let info = try message(DeviceInfo.self, "40 02 00 0A 00 0200 0200 0200 0110 00")
    #expect(info.uci.major == 2 && info.test.major == 1 && info.test.minor == 1 && info.generation == .second)
    let capabilities = try message(
      Capabilities.self, "40 03 00 12 00 05 01 02 FF00 04 01 03 0E 01 09 13 01 00 14 01 00")
    #expect(capabilities.channels(.second) == [5, 9] && !capabilities.supportsAngles(.second))
  }

  @Test("what later versions add at the end is kept")
  func additional() throws {
    let packet = UCIPacket(StartSession.kind.response, payload: [0, 1, 2])
    let decoded = try #require(try packet.decoded())
    #expect(decoded.additionalBytes == [1, 2])
    #expect(try UCIPacket(UCIMessageKind(.notification, group: 9, opcode: 10), payload: [1]).decoded() == nil)
  }

  @Test("lists too long for their count are refused, as are values that the layout rules out")
  func refused() {
    var command = SetSessionConfiguration()
    command.parameters = [UCIParameter](repeating: UCIParameter(.channel, UInt8(9)), count: 256)
    #expect(throws: UCIError.tooLong(field: "parameters", count: 256, limit: 255)) { try command.payload() }
    var bytes = UCIExamples.bytes(UCIExamples.clear)
    bytes[4 + 15] = 2
    #expect(throws: UCIError.invalid(field: "address mode", offset: 15, value: 2)) {
      try UCIPacket(bytes: bytes)?.decoded()
    }
  }

  @Test("an accessory's ranging as application configuration")
  func parameters() throws {
    var ranging = UCIRangingParameters(
      sessionID: 7, isController: true, address: 0x1234, peers: [0x91D8], staticInitialVector: [1, 2, 3, 4, 5, 6])
    var command = SetSessionConfiguration()
    command.parameters = ranging.parameters
    func value(_ id: UCIParameterID) -> [UInt8]? { command.parameters.first { $0.id == id }?.value }
    #expect(command.parameters.count == 24 && value(.deviceType) == [1] && value(.deviceRole) == [1])
    #expect(value(.deviceAddress) == [0x34, 0x12] && value(.destinationAddresses) == [0xD8, 0x91])
    #expect(value(.slotDuration) == [0x10, 0x0E] && value(.rangingInterval) == [180, 0, 0, 0])
    #expect(value(.staticInitialVector) == [1, 2, 3, 4, 5, 6] && value(.vendorID) == [0x4C, 0])
    let order = command.parameters.map(\.id)
    #expect(try #require(order.firstIndex(of: .addressMode)) < #require(order.firstIndex(of: .deviceAddress)))
    #expect(try #require(order.firstIndex(of: .controleeCount)) < #require(order.firstIndex(of: .destinationAddresses)))
    ranging.peers = [1, 2, 3]
    #expect(ranging.parameters.first { $0.id == .controleeCount }?.number == 3)
    #expect(ranging.parameters.first { $0.id == .multiNodeMode }?.number == 1)
  }

  @Test("random and mutated messages never trap, and what reads is written back byte for byte")
  func hostile() throws {
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0 ... .max, using: &generator)
    var random = SplitMix(state: seed)
    let examples = try (UCIExamples.commands + UCIExamples.answers).compactMap { try UCIPacket(bytes: $0) }
    for round in 0..<20_000 {
      var packet = examples[round % examples.count]
      for _ in 0..<Int.random(in: 1...4, using: &random) where !packet.payload.isEmpty {
        let place = Int.random(in: 0..<packet.payload.count, using: &random)
        packet.payload[place] = .random(in: 0 ... .max, using: &random)
      }
      if round % 5 == 0 { packet.payload += (0..<3).map { _ in UInt8.random(in: 0 ... .max, using: &random) } }
      for dialect in [UCIDialect(), UCIDialect(.first, hasTwoByteIdentifiers: true)] {
        guard let decoded = try? packet.decoded(in: dialect) else { continue }
        let written = try decoded.message.payload(in: dialect) + decoded.additionalBytes
        #expect(written == packet.payload, "seed \(seed), round \(round): \(packet.kind)")
      }
    }
  }
}

/// Steele, Lea and Flood 2014.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
