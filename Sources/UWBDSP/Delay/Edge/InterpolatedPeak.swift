import Numerics

/// A window of taps after the filter matched to the pulse, interpolated to 1/16 tap, and its maximum to a fraction of
/// that: what `PeakTap` reads its delay off.
///
/// z(τ) = Σ_k p(k − τ)·h[k] / Σ_k p(k)², so that a path's peak is its amplitude. Without the filter, the noise beyond
/// the pulse's band would move the peak by more than twice the bound (standard pulse).
package final class InterpolatedPeak {
  private let window = InterpolatedWindow()
  /// The matched filter's spectrum.
  private let filter = AlignedBuffer<Float>(count: 2 * 64, zero: 0)
  /// Σ p'(k)² over taps, per tap²: what a lone path's delay bound needs.
  private let slopeEnergy: Double
  /// Σ p(k)²
  private let energy: Double

  package init(_ receiver: ReceiverModel) {
    let (pulse, tapSpacing) = (receiver.pulse, receiver.tapSpacing)
    var sum = 0.0
    var energy = 0.0
    for tap in -32...32 {
      let slope = (pulse((Double(tap) + 1e-3) * tapSpacing) - pulse((Double(tap) - 1e-3) * tapSpacing)) / 2e-3
      sum += slope * slope
      energy += pulse(Double(tap) * tapSpacing) * pulse(Double(tap) * tapSpacing)
    }
    self.energy = energy
    slopeEnergy = sum
    for tap in -32..<32 {
      window.input.pointer[2 * ((tap + 64) % 64)] = Float(pulse(Double(tap) * tapSpacing) / energy)
    }
    window.workspace.forward.execute(window.input.pointer, into: filter.pointer)
    for bin in 0..<64 { filter.pointer[2 * bin + 1].negate() }
  }

  /// Filters and interpolates the window around `tap`.
  package func load(_ taps: PreparedTaps, around tap: Int) { window.load(taps, around: tap, filter: filter.pointer) }

  /// The path whose maximum is the strongest point, refined by a parabola; its deviation is the Cramér–Rao bound of a lone path,
  /// σ²/(2·|a|²·Σ p'²).
  package func path(noiseVariance: Double) -> PathEstimate {
    let point = window.strongest()
    let offset = parabola(around: point)
    let amplitude = window.amplitude(point)
    let inverseSNR = noiseVariance / max(amplitude.lengthSquared, .leastNormalMagnitude)
    return PathEstimate(
      delayTaps: window.delay(Double(point) + offset), amplitude: amplitude,
      deviationTaps: (inverseSNR / (2 * slopeEnergy)).squareRoot(),
      phaseDeviation: (inverseSNR / (2 * energy)).squareRoot())
  }

  private func parabola(around point: Int) -> Double {
    let before = window.power(point - 1)
    let at = window.power(point)
    let after = window.power(point + 1)
    let bend = before - 2 * at + after
    return bend < 0 ? min(max(0.5 * (before - after) / bend, -1), 1) : 0
  }
}
