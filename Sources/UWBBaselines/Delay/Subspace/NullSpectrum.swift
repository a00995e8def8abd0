import Numerics
import UWBDSP

/// What MUSIC looks for zeros of: the power of a path's exponential outside the signal subspace, as a trigonometric
/// polynomial.
///
/// With the weighted exponential e(μ)_l = w_l·exp(jμl) and orthonormal signal directions s_k,
///
///     D(μ) = ‖e(μ)‖² − Σ_k |s_kᴴ·e(μ)|² = Σ_d n_d·exp(jμd),   n_{−d} = n_d*,
///
/// n_d summed over the d-th diagonal of the projector on the noise subspace (Barabell 1983).
final class NullSpectrum {
  let subspace: SignalSubspace
  /// L: there are n_0 … n_{L−1}.
  let count: Int
  /// n_0 … n_{L−1}, interleaved parts.
  let coefficients: AlignedBuffer<Double>
  private let squareWeights: [Double]
  private let weighted: AlignedBuffer<Double>

  init(_ subspace: SignalSubspace) {
    self.subspace = subspace
    count = subspace.response.rows
    squareWeights = subspace.response.rowWeights.map { $0 * $0 }
    coefficients = AlignedBuffer(count: 2 * count, zero: 0)
    weighted = AlignedBuffer(count: 2 * count, zero: 0)
  }

  /// Makes the polynomial for `order` signal directions of the subspace; `false` where it has none.
  func make(order: Int) -> Bool {
    guard subspace.makeExponentials(count: order) else { return false }
    let n = coefficients.pointer
    let b = weighted.pointer
    n.update(repeating: 0, count: 2 * count)
    squareWeights.withUnsafeBufferPointer { weights in
      for weight in weights { n[0] += weight }
      for index in 0..<order {
        let source = subspace.exponentials.pointer + 2 * index * count
        for row in 0..<count {
          b[2 * row] = weights[row] * source[2 * row]
          b[2 * row + 1] = weights[row] * source[2 * row + 1]
        }
        for lag in 0..<count {
          var real = 0.0
          var imaginary = 0.0
          // b_l · conj(b_{l + lag})
          for row in 0..<count - lag {
            let (x, y) = (b[2 * row], b[2 * row + 1])
            let (u, v) = (b[2 * (row + lag)], b[2 * (row + lag) + 1])
            real += x * u + y * v
            imaginary += y * u - x * v
          }
          n[2 * lag] -= real
          n[2 * lag + 1] -= imaginary
        }
      }
    }
    return true
  }

  /// D and its first two derivatives at `angle`.
  func evaluate(_ angle: Double) -> (value: Double, slope: Double, bend: Double) {
    let n = coefficients.pointer
    let (stepX, stepY) = (Double.cos(angle), Double.sin(angle))
    var (x, y) = (1.0, 0.0)
    var value = n[0]
    var slope = 0.0
    var bend = 0.0
    for lag in 1..<count {
      (x, y) = (x * stepX - y * stepY, x * stepY + y * stepX)
      let real = 2 * (n[2 * lag] * x - n[2 * lag + 1] * y)
      let imaginary = 2 * (n[2 * lag] * y + n[2 * lag + 1] * x)
      value += real
      slope -= Double(lag) * imaginary
      bend -= Double(lag * lag) * real
    }
    return (value, slope, bend)
  }
}
