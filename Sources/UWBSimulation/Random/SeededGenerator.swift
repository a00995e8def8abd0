/// A random generator whose draws depend on a seed and a stream number alone.
///
/// Trial `i` of a run draws from stream `i`, so a result is the same whichever thread makes it and in whatever order.
/// The algorithm is xoshiro256++ (Blackman & Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47,
/// 2021), period 2²⁵⁶ − 1; its state comes from SplitMix64 (Steele, Lea & Flood, OOPSLA 2014). Not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable, Hashable {
  private var s0: UInt64
  private var s1: UInt64
  private var s2: UInt64
  private var s3: UInt64

  /// Starts stream `stream` of `seed`. Streams of one seed are independent for all practical purposes: their states
  /// are hashed from both numbers.
  public init(seed: UInt64, stream: UInt64 = 0) {
    // The stream is hashed before it meets the seed, so that (seed, stream + 1) and (seed + 1, stream) don't collide.
    var state = Self.mix(seed &+ 0x9E37_79B9_7F4A_7C15) ^ Self.mix(Self.mix(stream &+ 0xD1B5_4A32_D192_ED03))
    func word() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      return Self.mix(state)
    }
    s0 = word()
    s1 = word()
    s2 = word()
    // An all-zero state would stay zero; a set bit rules it out.
    s3 = word() | 1
  }

  /// A generator of its own for part `index` of what this one is for. Doesn't advance this one.
  public func substream(_ index: UInt64) -> SeededGenerator {
    SeededGenerator(seed: s0 ^ (s3 &* 0x2545_F491_4F6C_DD1D), stream: index)
  }

  public mutating func next() -> UInt64 {
    let result = Self.rotate(s0 &+ s3, 23) &+ s0
    let t = s1 << 17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    s3 = Self.rotate(s3, 45)
    return result
  }

  private static func rotate(_ x: UInt64, _ k: UInt64) -> UInt64 {
    (x << k) | (x >> (64 - k))
  }

  private static func mix(_ x: UInt64) -> UInt64 {
    var z = x
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
