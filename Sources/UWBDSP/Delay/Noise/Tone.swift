import Numerics

/// A line a·e^{jωk} in taps of noise: a carrier of another kind of transmitter, or a clock of the receiver's.
struct Tone {
  /// rad a tap
  private(set) var frequency: Double
  /// At the first of the taps that it was found in.
  private(set) var amplitude = Complex<Double>.zero

  private static let blockTaps = 16
  /// Frequencies that turn as much over a period of the pattern.
  private static let aliases = PreparedTaps.patternTaps

  /// The strongest of the frequencies that are `turn` or a multiple of 2π/8 off, settled.
  ///
  /// Blocks of 16 taps tell which one it is, by their powers. How the phase turns from block to block betters the frequency; then blocks are
  /// joined in pairs, which tell more, until one is left. Cost: ten passes over the taps. Not for a tone below a third of the noise: blocks
  /// then miss by a turn.
  ///
  /// - Parameters:
  ///   - count: number of taps, at least 16.
  ///   - turn: rad a tap.
  ///   - sums: memory for a number for each 16 of them.
  init(_ taps: UnsafePointer<Float>, count: Int, aliasOf turn: Double, sums: inout [Complex<Double>]) {
    frequency = turn
    var blocks = count / Self.blockTaps
    var largest = -1.0
    for alias in 0..<Self.aliases {
      let candidate = turn + 2 * .pi * Double(alias) / Double(Self.aliases)
      let power = (0..<blocks).reduce(0.0) {
        $0 + Self.sum(taps + 2 * Self.blockTaps * $1, count: Self.blockTaps, candidate).lengthSquared
      }
      if power > largest { (largest, frequency) = (power, candidate) }
    }
    for block in 0..<blocks {
      let start = Self.blockTaps * block
      sums[block] =
        Self.sum(taps + 2 * start, count: Self.blockTaps, frequency)
        * Complex(length: 1, phase: -frequency * Double(start))
    }
    var length = Double(Self.blockTaps)
    while blocks > 1 {
      let product = (1..<blocks).reduce(Complex<Double>.zero) { $0 + sums[$1] * sums[$1 - 1].conjugate }
      // Zero has no phase.
      let step = product == .zero ? 0 : product.phase
      frequency += step / length
      for pair in 0..<(blocks + 1) / 2 {
        let (early, late) = (2 * pair, 2 * pair + 1)
        var sum = sums[early] * Complex(length: 1, phase: -step * Double(early))
        if late < blocks { sum += sums[late] * Complex(length: 1, phase: -step * Double(late)) }
        sums[pair] = sum
      }
      blocks = (blocks + 1) / 2
      length *= 2
    }
    amplitude = Self.sum(taps, count: count, frequency) / Complex(Double(count))
  }

  /// Σ h[k]·e^{−jωk}
  private static func sum(_ taps: UnsafePointer<Float>, count: Int, _ frequency: Double) -> Complex<Double> {
    let step = Complex<Double>(length: 1, phase: -frequency)
    var (turned, sum) = (Complex<Double>.one, Complex<Double>.zero)
    for tap in 0..<count {
      sum += Complex(Double(taps[2 * tap]), Double(taps[2 * tap + 1])) * turned
      turned *= step
    }
    return sum
  }

  /// Takes it off taps, of which `origin` is the first of those that it was found in.
  func subtract(from taps: UnsafeMutablePointer<Float>, count: Int, origin: Int) {
    let step = Complex<Double>(length: 1, phase: frequency)
    var turned = amplitude * Complex(length: 1, phase: -frequency * Double(origin))
    for tap in 0..<count {
      taps[2 * tap] -= Float(turned.real)
      taps[2 * tap + 1] -= Float(turned.imaginary)
      turned *= step
    }
  }
}
