/// A file with a few random errors in it.
struct MutatedBytes {
  enum Error {
    case flippedBit, otherByte, nine, lostByte, strayByte
  }

  private(set) var bytes: [UInt8]
  /// Where the first error is: what ends before it is whole.
  private(set) var firstError: Int

  /// - Parameter most: errors, one at least.
  init<Generator: RandomNumberGenerator>(
    _ whole: [UInt8], most: Int, _ errors: [Error], using random: inout Generator
  ) {
    bytes = whole
    firstError = whole.count
    for _ in 0..<Int.random(in: 1...most, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      firstError = min(firstError, place)
      switch errors[Int.random(in: 0..<errors.count, using: &random)] {
      case .flippedBit: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case .otherByte: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case .nine: bytes[place] = UInt8(ascii: "9")
      case .lostByte: bytes.remove(at: place)
      case .strayByte: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: place)
      }
    }
  }
}
