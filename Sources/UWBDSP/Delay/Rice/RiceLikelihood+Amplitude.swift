import CUWBKernels
import Numerics
import UWBPlatform

/// Amplitudes of a first path before scattering, averaged over what scatters.
///
/// With an alternative and a ρ an amplitude is a = pᵀC⁻¹y/q, of variance v/q. They are weighed by their likelihood at the onset next to
/// the delay; between onsets amplitudes are linear.
extension RiceLikelihood {
  /// Of the first path on an antenna, and the variance of its real and of its imaginary part for the noise.
  typealias Amplitude = (amplitude: Complex<Double>, variance: Double)

  /// Of the first path at `delay`, taps from the window's start.
  func amplitude(delay: Double, antenna: Int = 0) -> Amplitude {
    let position = (delay - RiceTables.firstOnset) * Double(RiceTables.stepsPerTap)
    let lower = Int(position, rounded: .down, within: 0...RiceTables.onsetCount - 2)
    let share = Float(min(max(position - Double(lower), 0), 1))
    let nearest = share < 0.5 ? lower : lower + 1
    var (real, imaginary, variance, total) = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
    let top = highestWithPath(nearest)
    for alternative in 0..<RiceAlternative.pathCount where self.top(nearest, alternative) > top - Self.leastWeight {
      let weight = weights(nearest, alternative, below: top)
      let before = match(lower, alternative, antenna)
      let after = match(lower + 1, alternative, antenna)
      let x = before.real * before.inverse * (1 - share) + after.real * after.inverse * share
      let y = before.imaginary * before.inverse * (1 - share) + after.imaginary * after.inverse * share
      total += weight
      real += weight * x
      imaginary += weight * y
      variance += weight * (before.inverse * (1 - share) + after.inverse * share)
    }
    let weight = Double(total.sum())
    let scale = loadedVariances.pointer[antenna].squareRoot() / weight
    return (
      Complex(scale * Double(real.sum()), scale * Double(imaginary.sum())),
      variances.pointer[antenna] * Double(variance.sum()) / weight / 2
    )
  }

  /// pᵀC⁻¹y for each ρ, in √v as loaded, and 1/q.
  private func match(
    _ onset: Int, _ alternative: Int, _ antenna: Int
  ) -> (real: SIMD8<Float>, imaginary: SIMD8<Float>, inverse: SIMD8<Float>) {
    let cell = cells(onset) + alternative * uwb_rice_cell
    var (real, imaginary) = (SIMD8<Float>(), SIMD8<Float>())
    uwb_rice_matches(
      cell, pulse(onset), window(self.real, antenna), window(self.imaginary, antenna), floats(&real),
      floats(&imaginary))
    return (real, imaginary, loadEight(cell + uwb_rice_inverses))
  }

  private func highestWithPath(_ onset: Int) -> Float {
    (0..<RiceAlternative.pathCount).reduce(-.infinity) { max($0, top(onset, $1)) }
  }

  /// −ln of a fiftieth: what is less likely beside the likeliest hardly moves an amplitude.
  private static let leastWeight: Float = 4

  /// Likelihoods over the largest; 0 where they are less by `leastWeight`.
  private func weights(_ onset: Int, _ alternative: Int, below top: Float) -> SIMD8<Float> {
    let term = terms(onset: onset, alternative: alternative) - top
    var weights = SIMD8<Float>.zero
    for lane in 0..<8 where term[lane] > -Self.leastWeight { weights[lane] = expf(term[lane]) }
    return weights
  }
}
