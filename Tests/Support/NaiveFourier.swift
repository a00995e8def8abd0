import Numerics

/// The discrete Fourier transform by its definition, in double precision.
public enum NaiveFourier {
  /// X[k] = Σ_n x[n]·exp(sign·j·2πkn/N); sign −1 is forward. O(N²).
  public static func transform(_ samples: [Complex<Double>], sign: Double) -> [Complex<Double>] {
    let count = samples.count
    // kn modulo N keeps the angle exact: 2πkn/N itself loses digits as kn grows.
    let roots = (0..<count).map { Complex<Double>.exp(Complex(0, sign * 2 * .pi * Double($0) / Double(count))) }
    return (0..<count).map { k in
      var sum = Complex<Double>.zero
      for n in 0..<count { sum += samples[n] * roots[k * n % count] }
      return sum
    }
  }

  /// The trigonometric polynomial through `samples` at `position` (in samples, fractional), the Nyquist term shared by
  /// both ends: (1/N)·Σ_k X[k]·exp(j·2πk·position/N).
  public static func interpolate(_ samples: [Complex<Double>], at position: Double) -> Complex<Double> {
    let count = samples.count
    let spectrum = transform(samples, sign: -1)
    var sum = Complex<Double>.zero
    for k in -(count / 2)...(count / 2) {
      let isNyquist = 2 * abs(k) == count
      let turn = Complex<Double>.exp(Complex(0, 2 * .pi * Double(k) * position / Double(count)))
      sum += spectrum[(k + count) % count] * turn * Complex(isNyquist ? 0.5 : 1)
    }
    return sum / Complex(Double(count))
  }
}
