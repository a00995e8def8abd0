import Numerics
import UWBPlatform

extension RiceLikelihood {
  /// Amplitude of the first path at `delay`, taps from the window's start, and the variance of its real and of its imaginary part, with the
  /// likeliest alternative and ρ at the nearest onset.
  ///
  /// a = pᵀC⁻¹y/q, of variance v/q.
  func amplitude(delay: Double, antenna: Int = 0) -> (amplitude: Complex<Double>, variance: Double) {
    let position = (delay - RiceTables.firstOnset) * Double(RiceTables.stepsPerTap)
    let lower = Int(position, rounded: .down, within: 0...RiceTables.onsetCount - 2)
    let share = min(max(position - Double(lower), 0), 1)
    let (alternative, lane) = likeliest(share < 0.5 ? lower : lower + 1)
    let before = amplitude(onset: lower, alternative, lane, antenna)
    let after = amplitude(onset: lower + 1, alternative, lane, antenna)
    return (
      before.amplitude * Complex(1 - share) + after.amplitude * Complex(share),
      before.variance * (1 - share) + after.variance * share
    )
  }

  private func amplitude(
    onset: Int, _ alternative: Int, _ lane: Int, _ antenna: Int
  ) -> (amplitude: Complex<Double>, variance: Double) {
    let cell = RiceCell(cells(onset) + alternative * RiceTables.cellSize)
    let seen = RiceMatch(cell, pulse(onset), window(self.real, antenna), window(self.imaginary, antenna))
    let variance = variances.pointer[antenna]
    let inverse = Double(cell.inverse[lane])
    let scale = inverse * variance.squareRoot()
    return (
      Complex(scale * Double(seen.real[lane]), scale * Double(seen.imaginary[lane])), inverse * variance / 2
    )
  }

  /// The likeliest with a path.
  private func likeliest(_ onset: Int) -> (alternative: Int, lane: Int) {
    var found = (alternative: 0, lane: 0)
    var most = -Float.infinity
    for alternative in 0..<RiceAlternative.pathCount {
      let term = terms(onset: onset, alternative: alternative)
      for lane in 0..<8 where term[lane] > most {
        most = term[lane]
        found = (alternative, lane)
      }
    }
    return found
  }
}
