import NearbyPorts
import Testing
import UWBTypes

@testable import NearbyRoom
@testable import NearbySession

@Suite struct RoomMessageTests {
  /// Draws messages of every kind with every field that may be left out.
  private struct Maker {
    var generator: TokenGenerator

    private mutating func chance() -> Bool { Bool.random(using: &generator) }

    mutating func link() -> RangingLink {
      RangingLink(
        localToken: token(), peerToken: token(), localAddress: DeviceAddress(rawValue: generator.next()),
        peerAddress: DeviceAddress(rawValue: generator.next()))
    }

    private mutating func token() -> DiscoveryToken {
      DiscoveryToken(deviceCapabilities: DeviceCapabilities(bits: UInt8(generator.next() & 15)), using: &generator)
    }

    private mutating func angle() -> RadioMeasurement.Angle? {
      guard chance() else { return nil }
      return RadioMeasurement.Angle(
        Double.random(in: -3...3, using: &generator), deviation: Double.random(in: 0...1, using: &generator),
        figureOfMerit: Double.random(in: 0...1, using: &generator))
    }

    private mutating func text() -> String {
      String(
        (0..<Int.random(in: 0...60, using: &generator)).map { _ in ["a", "ß", "→", "🛰"][Int(generator.next() & 3)] })
    }

    private mutating func measurement() -> RadioMeasurement {
      RadioMeasurement(
        distance: chance() ? Double.random(in: -1...100, using: &generator) : nil,
        distanceDeviation: Double.random(in: 0...1, using: &generator), azimuth: angle(), elevation: angle(),
        lineOfSightProbability: chance() ? Double.random(in: 0...1, using: &generator) : nil,
        time: chance() ? Double.random(in: 0...1e6, using: &generator) : nil)
    }

    mutating func message() -> RoomMessage {
      switch generator.next() % 8 {
      case 0: return .join(version: UInt8(generator.next() & 255), device: text())
      case 1:
        let link = link()
        return .start(
          link, RangingParameters(local: link.localToken, peer: link.peerToken, settings: AccessoryRangingSettings()))
      case 2: return .stop(link())
      case 3: return .welcome(device: text(), DeviceCapabilities(bits: UInt8(generator.next() & 15)))
      case 4: return .refused(text())
      case 5: return .measured(measurement(), of: link())
      case 6: return .missed(link())
      default: return .failed(text(), of: chance() ? link() : nil)
      }
    }
  }

  @Test("what is written reads back the same, and is within the limit of a frame", arguments: 0..<500 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var maker = Maker(generator: .seeded(seed))
    let message = maker.message()
    #expect(try RoomMessage(bytes: message.bytes) == message)
    #expect(message.bytes.count <= RoomMessage.maximumLength)
  }

  @Test("messages truncated at every byte, and with a byte more, throw", arguments: 0..<200 as Range<UInt64>)
  func truncated(seed: UInt64) {
    var maker = Maker(generator: .seeded(seed))
    let bytes = maker.message().bytes
    for count in 0..<bytes.count {
      #expect(throws: RoomMessageError.self, "\(count) of \(bytes)") {
        try RoomMessage(bytes: Array(bytes.prefix(count)))
      }
    }
    #expect(throws: RoomMessageError.excess(count: 1)) { try RoomMessage(bytes: bytes + [0]) }
  }

  @Test("random bytes and mutated messages never trap, and what reads is written back byte for byte")
  func hostile() {
    for seed in 0..<20_000 as Range<UInt64> {
      var maker = Maker(generator: .seeded(seed))
      var bytes = maker.message().bytes
      for _ in 0..<Int.random(in: 1...4, using: &maker.generator) {
        let place = Int.random(in: 0..<bytes.count, using: &maker.generator)
        bytes[place] = UInt8(truncatingIfNeeded: maker.generator.next())
      }
      if seed.isMultiple(of: 3) { bytes.shuffle(using: &maker.generator) }
      if let read = try? RoomMessage(bytes: bytes) {
        let isKept = read.bytes == bytes || Self.isUnusedCapability(read)
        #expect(isKept, "seed \(seed): \(bytes)")
      }
    }
  }

  /// Bits of a later version's capabilities are passed over.
  private static func isUnusedCapability(_ message: RoomMessage) -> Bool {
    if case .welcome = message { true } else { false }
  }

  @Test("each mistake has an error of its own")
  func mistakes() throws {
    var maker = Maker(generator: .seeded(1))
    let link = maker.link()
    #expect(throws: RoomMessageError.empty) { try RoomMessage(bytes: []) }
    #expect(throws: RoomMessageError.unknownKind(0x77)) { try RoomMessage(bytes: [0x77]) }
    #expect(throws: RoomMessageError.truncated(offset: 1)) { try RoomMessage(bytes: [0x12]) }
    #expect(throws: RoomMessageError.value(offset: 2)) { try RoomMessage(bytes: [0x12, 1, 0xFF]) }
    var damaged = RoomMessage.stop(link).bytes
    damaged[10] ^= 1
    #expect(throws: RoomMessageError.token(.check, offset: 1)) { try RoomMessage(bytes: damaged) }
    for number in [Double.nan, .infinity, 1e10] {
      let bytes = RoomMessage.measured(RadioMeasurement(distance: number), of: link).bytes
      #expect(throws: RoomMessageError.value(offset: 66)) { try RoomMessage(bytes: bytes) }
    }
    let doubtful = RadioMeasurement(distance: 1, azimuth: .init(0, figureOfMerit: 1.5))
    #expect(throws: RoomMessageError.self) { try RoomMessage(bytes: RoomMessage.measured(doubtful, of: link).bytes) }
  }

  @Test("a text that is too long is cut to whole characters")
  func longText() throws {
    guard
      case .refused(let text) = try RoomMessage(bytes: RoomMessage.refused(String(repeating: "🛰", count: 500)).bytes)
    else { return #expect(Bool(false)) }
    #expect(text == String(repeating: "🛰", count: 63))
  }
}
