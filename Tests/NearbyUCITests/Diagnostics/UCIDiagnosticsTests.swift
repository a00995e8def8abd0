import Testing
import UWBTypes

@testable import NearbyUCI

/// Diagnostics with windows of impulse responses, brought together with the rounds that they are of.
@Suite struct UCIDiagnosticsTests {
  private static let taps: [SIMD2<Int16>] = (0..<16).map { SIMD2(Int16($0), Int16(-3 * $0)) }

  private static func info(_ sequence: UInt32, token: UInt32 = 1, peers: [UInt16] = [2]) throws -> [UCIPacket] {
    var info = SessionInfo()
    (info.sequence, info.token, info.interval) = (sequence, token, 100)
    info.measurements = .twoWay(
      peers.map { peer in
        var round = TwoWayMeasurement()
        (round.address, round.rawDistance) = (.short(peer), UInt16(100 + sequence))
        return round
      })
    return try info.packets()
  }

  private static func frame(_ message: UInt8 = 1, sender: UInt16 = 2, windows: Int = 1) -> SimulatedDiagnostics.Frame {
    SimulatedDiagnostics.Frame(
      message: message, sender: sender, windows: Array(repeating: taps, count: windows), firstPath: 4)
  }

  private static func seen(
    _ sequence: UInt32, token: UInt32 = 1, _ frames: [SimulatedDiagnostics.Frame] = [frame()],
    layout: SimulatedDiagnostics.Layout = .qorvo
  ) throws -> [UCIPacket] {
    let diagnostics = SimulatedDiagnostics(frames, of: token, sequence)
    return try layout == .qorvo ? diagnostics.qorvo.packets() : diagnostics.android.packets()
  }

  private static func results(
    _ reader: inout UCIRoundReader, _ packets: [[UCIPacket]]
  ) -> [(sequence: UInt32, hasResponse: Bool)] {
    packets.joined().flatMap { reader.push($0) }.map { ($0.sequence, $0.hasImpulseResponse) }
  }

  @Test(
    "before its round, after it, in segments: the windows are the round's reception",
    arguments: SimulatedDiagnostics.Layout.allCases)
  func joined(layout: SimulatedDiagnostics.Layout) throws {
    var reader = UCIRoundReader()
    // Segments of 20 bytes, as long diagnostics come.
    let early = try Self.seen(0, layout: layout).flatMap { UCIPacket.segments($0.kind, payload: $0.payload, limit: 20) }
    #expect(early.count > 3)
    let all = Self.results(
      &reader, [early, try Self.info(0), try Self.info(1), try Self.seen(1, layout: layout), try Self.info(2)])
    #expect(all.map(\.sequence) == [0, 1] && all.allSatisfy(\.hasResponse))
    #expect(reader.problems.isEmpty, "round 2 waits")
    let last = try #require(reader.finish().first)
    #expect(last.sequence == 2 && !last.hasImpulseResponse)
    #expect(reader.problems == [.roundWithoutDiagnostics: 1])
  }

  @Test(
    "the window's samples, spacing and first path, a row for each receiver",
    arguments: SimulatedDiagnostics.Layout.allCases)
  func reception(layout: SimulatedDiagnostics.Layout) throws {
    var reader = UCIRoundReader()
    _ = Self.results(&reader, [try Self.seen(7, [Self.frame(windows: 2)], layout: layout)])
    let exchange = try #require(try Self.info(7).flatMap { reader.push($0) }.first?.exchange)
    #expect(exchange.initiator == .local && exchange.ready?.distance == 1.07)
    let reception = try #require(exchange.response?.reception)
    #expect(reception.chipFirstPathTaps == 4 && reception.antennaFirstPathTaps == [4, 4])
    let response = try #require(reception.impulseResponse)
    #expect(response.tapCount == 16 && response.antennaCount == 2 && response.tapSpacing == UWB.tap)
    for antenna in 0..<2 {
      for tap in 0..<16 {
        let found = response.storage.withBytes { bytes -> SIMD2<Double> in
          let place = response.byteOffset(antenna: antenna, tap: tap)
          guard response.format == .float32 else {
            return SIMD2(
              Double(bytes.loadUnaligned(fromByteOffset: place, as: Int16.self)),
              Double(bytes.loadUnaligned(fromByteOffset: place + 2, as: Int16.self)))
          }
          return SIMD2(
            Double(bytes.loadUnaligned(fromByteOffset: place, as: Float.self)),
            Double(bytes.loadUnaligned(fromByteOffset: place + 4, as: Float.self)))
        }
        #expect(found == SIMD2(Double(tap), Double(-3 * tap)))
      }
    }
  }

  @Test(
    "frames go where the engine looks: a responder's poll and final, an initiator's response, frames of reports at need"
  )
  func frames() throws {
    func exchange(_ messages: [UInt8], role: UInt8? = nil) throws -> (RangingExchange, UCIRoundReader) {
      var reader = UCIRoundReader()
      if let role {
        var command = SetSessionConfiguration()
        (command.token, command.parameters) = (1, [UCIParameter(.deviceRole, [role])])
        for packet in try command.packets() { _ = reader.push(packet) }
      }
      _ = Self.results(&reader, [try Self.seen(0, messages.map { Self.frame($0) })])
      let exchange = try #require(try Self.info(0).flatMap { reader.push($0) }.first?.exchange)
      return (exchange, reader)
    }
    let responder = try exchange([0, 2]).0
    #expect(responder.initiator == .peer)
    #expect(responder.poll.reception?.impulseResponse != nil && responder.final?.reception?.impulseResponse != nil)
    let (initiator, reader) = try exchange([1, 4])
    #expect(initiator.initiator == .local && initiator.response?.reception?.impulseResponse != nil)
    #expect(initiator.poll.reception == nil && reader.problems == [.unusedWindow: 1])
    #expect(try exchange([4]).0.poll.reception?.impulseResponse != nil)
    #expect(try exchange([4], role: 1).0.response?.reception?.impulseResponse != nil)
  }

  @Test("what is missing or late is counted, and a silent session is not waited for")
  func missing() throws {
    var reader = UCIRoundReader()
    let rounds = try (0...5).map { try Self.info($0) }
    // The first one goes on before anybody knows of diagnostics.
    var all = Self.results(&reader, [rounds[0], try Self.seen(0), rounds[1]])
    #expect(all.map(\.sequence) == [0] && reader.problems == [.lateDiagnostics: 1])
    all = Self.results(&reader, [rounds[2], rounds[3], rounds[4], rounds[5]])
    #expect(all.map(\.sequence) == [1, 2, 3, 4, 5] && !all.contains(where: \.hasResponse))
    #expect(reader.problems == [.lateDiagnostics: 1, .roundWithoutDiagnostics: 5])
    _ = Self.results(&reader, [try Self.seen(9)])
    #expect(reader.finish().isEmpty)
    #expect(reader.problems[.diagnosticsWithoutRound] == 1)
  }

  @Test("a session's end, a reset and another session's round let a waiting round go")
  func released() throws {
    for end in ["61 02 00 06 01000000 03 00", "20 00 00 01 00"] {
      var reader = UCIRoundReader()
      _ = Self.results(&reader, [try Self.seen(0), try Self.info(0), try Self.info(1)])
      let packet = try #require(try UCIPacket(bytes: UCIExamples.bytes(end)))
      #expect(reader.push(packet).map(\.sequence) == [1])
    }
    var reader = UCIRoundReader()
    _ = Self.results(&reader, [try Self.seen(0), try Self.info(0), try Self.info(1)])
    #expect(Self.results(&reader, [try Self.info(0, token: 2)]).map(\.sequence) == [1, 0])
  }

  @Test("the configuration says that diagnostics come: the first round waits for its own")
  func announced() throws {
    var reader = UCIRoundReader()
    let command = try #require(try UCIPacket(bytes: UCIExamples.bytes("21 03 00 08 01000000 01 E8 01 01")))
    let idle = try #require(try UCIPacket(bytes: UCIExamples.bytes("61 02 00 06 01000000 03 00")))
    #expect(Self.results(&reader, [[command, idle], try Self.info(0)]).isEmpty)
    #expect(Self.results(&reader, [try Self.seen(0)]).map(\.hasResponse) == [true])
    #expect(reader.problems.isEmpty)
  }

  @Test("a round with several peers: each has the frame of its own; frames without a sender are counted")
  func peers() throws {
    var reader = UCIRoundReader()
    _ = Self.results(&reader, [try Self.seen(0, [Self.frame(sender: 3)])])
    let results = try Self.info(0, peers: [2, 3]).flatMap { reader.push($0) }
    #expect(results.map(\.hasImpulseResponse) == [false, true] && reader.problems.isEmpty)
    reader = UCIRoundReader()
    _ = Self.results(&reader, [try Self.seen(0, layout: .android)])
    #expect(try Self.info(0, peers: [2, 3]).flatMap { reader.push($0) }.allSatisfy { !$0.hasImpulseResponse })
    #expect(reader.problems == [.frameOfUnknownPeer: 1])
    reader = UCIRoundReader()
    _ = Self.results(&reader, [try Self.seen(0, [Self.frame(sender: 9)])])
    #expect(try Self.info(0).flatMap { reader.push($0) }.map(\.hasImpulseResponse) == [false])
    #expect(reader.problems == [.frameOfUnknownPeer: 1])
  }

  @Test("the preamble's segment before the sequence's, the primary receiver first; the other segment is counted")
  func segments() throws {
    func response(_ id: UInt8, offset: Int8, first: Int64) -> SegmentImpulseResponse {
      var response = SegmentImpulseResponse()
      (response.id.rawValue, response.firstPathOffset) = (id, offset)
      response.taps = (0..<20).map { SIMD2(first + $0, 0) }
      return response
    }
    var report = FrameReport()
    report.message = 0
    var field = DiagnosticField()
    field.type = 7
    field.value = .impulseResponses([
      response(0x19, offset: 3, first: 100), response(0x08, offset: -5, first: 200),
      response(0x10, offset: 90, first: 300),
    ])
    report.fields = [field]
    let frames = RoundFrames([report], isInitiator: nil)
    #expect(frames.unusedWindows == 1 && frames.unreadableWindows == 0)
    let reception = try #require(frames.first?.reception)
    #expect(reception.impulseResponse?.antennaCount == 2 && reception.impulseResponse?.tapCount == 20)
    // The second receiver's window does not hold its first path.
    #expect(reception.chipFirstPathTaps == 5 && reception.antennaFirstPathTaps == nil)
    let first = try #require(reception.impulseResponse).storage.withBytes { $0.loadUnaligned(as: Float.self) }
    #expect(first == 200)
  }

  @Test("windows whose octets do not divide into taps are counted")
  func unreadable() {
    var window = PathWindow()
    (window.sampleCount, window.samples) = (3, [1, 2, 3, 4])
    var report = FrameReport()
    var field = DiagnosticField()
    (field.type, field.value) = (2, .windows([window]))
    report.fields = [field]
    #expect(RoundFrames([report], isInitiator: nil).unreadableWindows == 1)
  }

  @Test("cut off at every byte, or with any byte changed, diagnostics end in a reception or a count")
  func hostile() throws {
    let packet = try #require(try Self.seen(0, [Self.frame(0), Self.frame(2, windows: 2)]).first)
    let whole = try Self.seen(0, [Self.frame(0), Self.frame(2, windows: 2)]).flatMap(\.payload)
    for count in 0...whole.count {
      var reader = UCIRoundReader()
      _ = reader.push(UCIPacket(packet.kind, payload: Array(whole.prefix(count))))
      let results = try Self.info(0).flatMap { reader.push($0) }
      #expect(results.count == 1)
      #expect(
        results[0].hasImpulseResponse == (count == whole.count) && (count == whole.count) == reader.problems.isEmpty)
    }
    for place in whole.indices {
      for value: UInt8 in [0, 0xFF] {
        var changed = whole
        changed[place] = value
        var reader = UCIRoundReader()
        _ = reader.push(UCIPacket(packet.kind, payload: changed))
        let results = try Self.info(0).flatMap { reader.push($0) }
        #expect(results.count + reader.finish().count == 1)
      }
    }
  }

  @Test("impulse responses of NXP's chips, which name no round, are counted", arguments: ["6E 04", "6E 0B", "6F 34"])
  func unnamed(kind: String) throws {
    var reader = UCIRoundReader()
    let packet = try #require(try UCIPacket(bytes: UCIExamples.bytes(kind + " 00 08 01000000 0300FCFF")))
    #expect(reader.push(packet).isEmpty)
    #expect(reader.problems == [.windowWithoutRound: 1])
  }
}
