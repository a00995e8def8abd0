import Numerics

/// The noise that a bound reckons with.
public enum DelayNoise: Sendable, Hashable {
  /// Independent from tap to tap, of `variance` E|n|² each.
  case white(variance: Double)
  /// Covariance E[n·nᴴ] of the window's taps: n × n by columns, Hermitian and positive definite.
  case covariance([Complex<Double>])

  /// Noise whose covariance depends on the lag alone: `autocorrelation[l]` = E[n[k + l]·n[k]*], zero beyond its end.
  ///
  /// A matched filter leaves noise of the pulse's own autocorrelation. Such noise has no power outside the pulse's
  /// band, so its covariance is close to singular; a little white noise (a receiver's rounding) makes it regular.
  public static func stationary(autocorrelation: [Complex<Double>], tapCount: Int) -> DelayNoise {
    var matrix = [Complex<Double>](repeating: .zero, count: tapCount * tapCount)
    for row in 0..<tapCount {
      for column in 0..<tapCount where abs(row - column) < autocorrelation.count {
        let value = autocorrelation[abs(row - column)]
        matrix[column * tapCount + row] = row >= column ? value : value.conjugate
      }
    }
    return .covariance(matrix)
  }
}

extension DelayBound {
  /// Covariance bound of all delays of a path list, taps², K × K by columns.
  ///
  /// For coloured noise of covariance C = L·Lᴴ, pulses and slopes are whitened (multiplied by L⁻¹) first, and so has
  /// an estimator to do that is to reach the bound. Cost O(n³) for n taps of coloured noise, O(n·K²) for white.
  ///
  /// - Parameters:
  ///   - delaysTaps: of the paths.
  ///   - amplitudes: of the paths, as many.
  ///   - taps: the window that an estimator sees.
  ///   - noise: of the window's taps.
  /// - Returns: `nil` where paths coincide, one of them can't be seen in the window, or C is not positive definite.
  /// - Precondition: as many amplitudes as delays, at least one; a covariance has `taps.count`² elements.
  public func pathsTapsSquared(
    delaysTaps: [Double], amplitudes: [Complex<Double>], taps: Range<Int>, noise: DelayNoise
  ) -> [Double]? {
    let count = delaysTaps.count
    precondition(
      count >= 1 && amplitudes.count == count, "\(delaysTaps.count) delays and \(amplitudes.count) amplitudes")
    var pulses = delaysTaps.map { delay in taps.map { Complex(value(Double($0) - delay)) } }
    var slopes = delaysTaps.map { delay in taps.map { Complex(-slope(Double($0) - delay)) } }
    var scale = 1.0
    switch noise {
    case .white(let variance): scale = 1 / variance
    case .covariance(let matrix):
      guard let factor = HermitianCholesky(matrix, order: taps.count) else { return nil }
      pulses = pulses.map(factor.solveLower)
      slopes = slopes.map(factor.solveLower)
    }
    guard let gram = HermitianCholesky(gramian(pulses), order: count) else { return nil }
    for (path, slope) in slopes.enumerated() {
      let taken = gram.solve(pulses.map { inner($0, slope) })
      for other in 0..<count {
        for tap in slope.indices { slopes[path][tap] -= taken[other] * pulses[other][tap] }
      }
    }
    let projected = gramian(slopes)
    let information = SmallCholesky(order: count)
    for row in 0..<count {
      for column in 0...row {
        let weight = amplitudes[row].conjugate * amplitudes[column] * projected[column * count + row]
        information[row, column] = 2 * scale * weight.real
      }
    }
    guard information.factorise(order: count) else { return nil }
    let column = AlignedBuffer<Double>(count: count, zero: 0)
    var covariance: [Double] = []
    for index in 0..<count {
      for row in 0..<count { column.pointer[row] = row == index ? 1 : 0 }
      information.solve(column.pointer, order: count)
      covariance += (0..<count).map { column.pointer[$0] }
    }
    return covariance
  }

  private func inner(_ a: [Complex<Double>], _ b: [Complex<Double>]) -> Complex<Double> {
    zip(a, b).reduce(.zero) { $0 + $1.0.conjugate * $1.1 }
  }

  /// All inner products aᵢᴴaⱼ, by columns.
  private func gramian(_ vectors: [[Complex<Double>]]) -> [Complex<Double>] {
    vectors.flatMap { right in vectors.map { inner($0, right) } }
  }
}
