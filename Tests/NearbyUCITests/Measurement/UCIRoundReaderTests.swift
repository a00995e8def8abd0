import NearbyUCI
import Testing
import UWBTypes

@Suite struct UCIRoundReaderTests {
  private static func results(_ reader: inout UCIRoundReader, _ hex: [String]) throws -> [UCIRoundReader.Result] {
    try hex.flatMap { text -> [UCIRoundReader.Result] in
      guard let packet = try UCIPacket(bytes: UCIExamples.bytes(text)) else { return [] }
      return reader.push(packet)
    }
  }

  @Test("the described dialogue: distances, angles, line of sight, and a round that failed")
  func dialogue() throws {
    var reader = UCIRoundReader()
    var results: [UCIRoundReader.Result] = []
    for bytes in UCIExamples.commands + UCIExamples.answers {
      // Commands first: the examples hold both sides apart.
      if let packet = try UCIPacket(bytes: bytes), packet.kind.group < 2 { _ = reader.push(packet) }
    }
    results += try Self.results(&reader, [UCIExamples.clear, UCIExamples.timeout])
    #expect(
      results.count == 2 && results.map(\.exchange.peer) == [DeviceAddress(rawValue: 1), DeviceAddress(rawValue: 1)])
    let measured = try #require(results.first?.exchange.ready)
    #expect(measured.distance == 2.1 && measured.lineOfSightProbability == 0.9)
    #expect(measured.azimuth?.value == 12.5 * .pi / 180 && measured.azimuth?.figureOfMerit == 1)
    #expect(measured.elevation?.value == -3.25 * .pi / 180)
    let deviations = (measured.azimuth?.deviation ?? 0, measured.elevation?.deviation ?? 0)
    #expect(deviations.1 > deviations.0, "80 % are worse than 100 %")
    #expect(results.last?.exchange.hasFailed == true && results.last?.status == .receptionTimeout)
  }

  @Test("traffic that begins in the middle counts; what comes between a reset and its answer does not")
  func sessions() throws {
    var reader = UCIRoundReader()
    #expect(try Self.results(&reader, [UCIExamples.clear]).count == 1)
    #expect(try Self.results(&reader, ["20 00 00 01 00", UCIExamples.clear]).isEmpty)
    #expect(try Self.results(&reader, ["40 00 00 01 00", UCIExamples.clear]).map(\.lost) == [0])
    let made = ["21 00 00 05 2A000000 00", "41 00 00 05 00 01000000", "21 03 00 09 01000000 01 06 02 3412"]
    let results = try Self.results(&reader, made + [UCIExamples.clear])
    #expect(results.map(\.exchange.local) == [DeviceAddress(rawValue: 0x1234)])
  }

  @Test("rounds that did not come are counted by their numbers")
  func lost() throws {
    var reader = UCIRoundReader()
    func info(_ sequence: UInt8) -> String {
      var bytes = UCIExamples.bytes(UCIExamples.clear)
      bytes[4] = sequence
      return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    #expect(try Self.results(&reader, [3, 4, 7, 8, 0].map(info)).map(\.lost) == [0, 0, 2, 0, 0])
  }
}
