import Testing
import UWBDSP

@testable import NearbySession

@Suite struct DiscoveryTokenTests {
  @Test("R07 a token survives encoding, and keeps its equality and hash")
  func roundTrip() throws {
    for seed in 0..<100 as Range<UInt64> {
      let token = peerToken(seed, capabilities: DeviceCapabilities(bits: UInt8(seed % 16)))
      let copy = try DiscoveryToken(encoded: token.encoded)
      #expect(copy == token)
      #expect(copy.hashValue == token.hashValue)
      #expect(copy.deviceCapabilities == token.deviceCapabilities)
      #expect(token.encoded.count == DiscoveryToken.encodedLength)
    }
  }

  @Test("R07 damage to any bit, and any other length, is found")
  func damage() {
    let encoded = peerToken(5).encoded
    for bit in 0..<(8 * encoded.count) {
      var damaged = encoded
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: DiscoveryTokenError.self, "bit \(bit)") { try DiscoveryToken(encoded: damaged) }
    }
    for count in 0..<encoded.count {
      #expect(throws: DiscoveryTokenError.length(actual: count, expected: 24)) {
        try DiscoveryToken(encoded: encoded.prefix(count))
      }
    }
    #expect(throws: DiscoveryTokenError.length(actual: 25, expected: 24)) {
      try DiscoveryToken(encoded: encoded + [0])
    }
  }

  @Test("R07 version, stated length and kind are told apart")
  func reasons() {
    func reseal(_ index: Int, _ value: UInt8) -> [UInt8] {
      var bytes = peerToken(5).encoded.dropLast(4).map(\.self)
      bytes[index] = value
      let check = CyclicRedundancyCheck.checksum(of: bytes)
      return bytes + (0..<4).map { UInt8(truncatingIfNeeded: check >> (8 * UInt32($0))) }
    }
    #expect(throws: DiscoveryTokenError.unsupportedVersion(2)) { try DiscoveryToken(encoded: reseal(0, 2)) }
    #expect(throws: DiscoveryTokenError.statedLength(actual: 19, expected: 18)) {
      try DiscoveryToken(encoded: reseal(1, 19))
    }
    #expect(throws: DiscoveryTokenError.unknownKind(9)) { try DiscoveryToken(encoded: reseal(2, 9)) }
  }

  @Test("the check is CRC-32: its published answer for 123456789")
  func knownCheck() {
    #expect(CyclicRedundancyCheck.checksum(of: "123456789".utf8) == 0xCBF4_3926)
  }

  @Test("the seeded generator is SplitMix64: its published first values for seed 1234567")
  func knownSplitMix() {
    var generator = TokenGenerator.seeded(1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
    #expect(generator.next() == 9_817_491_932_198_370_423)
  }

  @Test("a session's address is a locally administered EUI-64, so no short address can be it")
  func address() {
    for seed in 0..<1000 as Range<UInt64> {
      let octet = peerToken(seed).address.rawValue >> 56
      #expect(octet & 0x03 == 0x02)
    }
  }
}
