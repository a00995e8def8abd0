/// Where a host draws its random values from.
///
/// The system's generator is for real use: a token must not be guessed. A seed is for replays and tests, whose output
/// must repeat to the byte.
public enum TokenGenerator: Sendable, RandomNumberGenerator {
  /// Random numbers of the system.
  case system
  /// SplitMix64 with its present state (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators").
  case seeded(UInt64)

  public mutating func next() -> UInt64 {
    switch self {
    case .system:
      var system = SystemRandomNumberGenerator()
      return system.next()
    case .seeded(let state):
      let advanced = state &+ 0x9E37_79B9_7F4A_7C15
      self = .seeded(advanced)
      var mixed = advanced
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}
