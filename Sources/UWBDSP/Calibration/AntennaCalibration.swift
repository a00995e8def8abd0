import Numerics

/// What an array's antennas do to a plane wave, undone: amplitudes y of a path across antennas are taken to be
///
///     y = α · C · s(u),    s_m = exp(+j·2π·f/c · p_m·u)
///
/// with a gain and phase for each antenna (C diagonal) or mutual coupling between them (C full), at effective positions p.
/// `correction` is C⁻¹: it turns measured amplitudes into those of the ideal array at `positions`.
public struct AntennaCalibration: Sendable, Hashable, Codable {
  /// Effective positions, m.
  public var positions: [SIMD3<Double>]
  /// C⁻¹ by rows, each element's real and imaginary part: 2 · antennas² numbers.
  public var correction: [Double]

  /// Creates one with the given values.
  public init(positions: [SIMD3<Double>], correction: [Double]) {
    self.positions = positions
    self.correction = correction
  }

  /// Whether all numbers fit together: what a file may get wrong.
  public var isValid: Bool {
    (2...32).contains(positions.count) && correction.count == 2 * positions.count * positions.count
      && correction.allSatisfy(\.isFinite) && positions.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }
  }

  /// Turns amplitudes into the ideal array's. Allocates nothing.
  ///
  /// - Precondition: one amplitude for each antenna, at most 32.
  public func correct(_ amplitudes: inout [Complex<Double>]) {
    let count = positions.count
    precondition(
      amplitudes.count == count && correction.count == 2 * count * count && count <= 32,
      "\(amplitudes.count) amplitudes for \(count) antennas and a correction of \(correction.count) numbers")
    withUnsafeTemporaryAllocation(of: Complex<Double>.self, capacity: count) { sums in
      for row in 0..<count {
        var sum = Complex<Double>.zero
        for column in 0..<count {
          let place = 2 * (row * count + column)
          sum += Complex(correction[place], correction[place + 1]) * amplitudes[column]
        }
        sums.initializeElement(at: row, to: sum)
      }
      for row in 0..<count { amplitudes[row] = sums[row] }
    }
  }
}
