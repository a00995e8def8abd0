import Numerics

/// Random draws for tests: xoshiro256** (Blackman & Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021),
/// seeded through SplitMix64, so that any seed is a good one.
public struct StatisticsRandom: RandomNumberGenerator {
  private var state: (UInt64, UInt64, UInt64, UInt64)
  private var spare: Double?

  public init(seed: UInt64) {
    var counter = seed
    func draw() -> UInt64 {
      counter &+= 0x9E37_79B9_7F4A_7C15
      var z = counter
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
    state = (draw(), draw(), draw(), draw())
  }

  public mutating func next() -> UInt64 {
    let product = state.1 &* 5
    let result = ((product << 7) | (product >> 57)) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = (state.3 << 45) | (state.3 >> 19)
    return result
  }

  /// Uniform in [0, 1).
  public mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Uniform in `range`.
  public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// Gaussian of mean 0 and variance 1 (polar method, Marsaglia & Bray 1964).
  public mutating func gaussian() -> Double {
    if let spare {
      self.spare = nil
      return spare
    }
    while true {
      let x = 2 * uniform() - 1
      let y = 2 * uniform() - 1
      let square = x * x + y * y
      guard square > 0, square < 1 else { continue }
      let factor = (-2 * Double.log(square) / square).squareRoot()
      spare = y * factor
      return x * factor
    }
  }

  /// Circular complex Gaussian with E|z|² = `variance`.
  public mutating func complexGaussian(variance: Double = 1) -> Complex<Double> {
    let deviation = (variance / 2).squareRoot()
    return Complex(deviation * gaussian(), deviation * gaussian())
  }
}
