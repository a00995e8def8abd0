import TestSupport
import Testing

@testable import UWBCapture

@Suite struct SHA512Tests {
  private func hash(_ bytes: [UInt8]) -> String {
    var hash = SHA512()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.hexadecimal()
  }

  /// FIPS 180-4's examples (NIST, "Examples with intermediate values": SHA-512 of one and of two blocks), and of nothing.
  @Test(arguments: [
    (
      "",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
    (
      "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
    ),
  ])
  func knownAnswers(_ text: String, _ expected: String) {
    #expect(hash(Array(text.utf8)) == expected)
  }

  @Test func partsMakeNoDifference() {
    for seed in 0..<40 as Range<UInt64> {
      var random = DecaRangingGenerator(seed: seed)
      let bytes = (0..<Int.random(in: 0...600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      var parts = SHA512()
      var position = 0
      while position < bytes.count {
        let count = min(Int.random(in: 0...200, using: &random), bytes.count - position)
        bytes[position..<position + count].withUnsafeBytes { parts.update($0) }
        position += count
      }
      #expect(parts.hexadecimal() == hash(bytes), "seed \(seed)")
    }
  }
}
