import Numerics
import UWBDSP

/// Fisher information of a complex Gaussian with a known mean function, by numerical derivatives.
public enum NaiveFisherInformation {
  /// J_ij = 2·Re(∂μᴴ/∂θ_i · C⁻¹ · ∂μ/∂θ_j), C not depending on θ (Kay, "Estimation Theory", 1993, equation 15.52).
  ///
  /// - Parameters:
  ///   - covariance: C, rows of rows; `nil` stands for the identity.
  ///   - step: for the five-point derivative, in each parameter's own unit.
  public static func matrix(
    at parameters: [Double], covariance: [[Complex<Double>]]? = nil, step: Double = 1e-3,
    mean: ([Double]) -> [Complex<Double>]
  ) -> [[Double]] {
    let slopes = parameters.indices.map { index in
      func moved(_ steps: Double) -> [Complex<Double>] {
        var shifted = parameters
        shifted[index] += steps * step
        return mean(shifted)
      }
      let (far, near) = (zip(moved(2), moved(-2)), zip(moved(1), moved(-1)))
      return zip(near, far).map { near, far in
        (Complex(8) * (near.0 - near.1) - (far.0 - far.1)) / Complex(12 * step)
      }
    }
    // C⁻¹ times every slope, as columns.
    let columns = slopes[0].indices.map { row in slopes.map { $0[row] } }
    let whitened = covariance.flatMap { NaiveAlgebra.solve($0, columns) } ?? columns
    return slopes.map { left in
      slopes.indices.map { column in
        2 * left.indices.reduce(0.0) { $0 + (left[$1].conjugate * whitened[$1][column]).real }
      }
    }
  }

  /// The mean of taps `range` for parameters (τ_1 … τ_K, Re a_1, Im a_1, … Re a_K, Im a_K), taps and amplitudes.
  public static func pathModel(
    _ pulse: PulseShape, taps range: Range<Int>, pathCount: Int
  ) -> ([Double]) -> [Complex<Double>] {
    { parameters in
      range.map { tap in
        (0..<pathCount).reduce(Complex<Double>.zero) { sum, path in
          let value = pulse((Double(tap) - parameters[path]) * UWB.tap)
          return sum
            + Complex(value * parameters[pathCount + 2 * path], value * parameters[pathCount + 2 * path + 1])
        }
      }
    }
  }

  /// The parameters of `paths` in the order of `pathModel`.
  public static func parameters(_ paths: [NaivePath]) -> [Double] {
    paths.map(\.delayTaps) + paths.flatMap { [$0.amplitude.real, $0.amplitude.imaginary] }
  }
}
