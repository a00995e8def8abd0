import Numerics

/// A window of taps after the filter matched to the pulse, interpolated to 1/16 tap, and its maximum to a fraction of
/// that: what `PeakTap` reads its delay off.
///
/// z(τ) = Σ_k p(k − τ)·h[k] / Σ_k p(k)², so that a path's crest is its amplitude. Without the filter, the noise beyond
/// the pulse's band would move the crest by more than twice the bound (standard pulse).
final class InterpolatedCrest {
  static let interpolation = BandLimitedInterpolation(windowTaps: 64, factor: 16)
  /// The ends of the window wrap into each other; nothing is read from so many taps at either end.
  static let edgeTaps = 8

  private let workspace = interpolation.makeWorkspace()
  private let powers = AlignedBuffer<Float>(count: 64 * 16, zero: 0)
  private let input = AlignedBuffer<Float>(count: 2 * 64, zero: 0)
  /// The matched filter's spectrum.
  private let filter = AlignedBuffer<Float>(count: 2 * 64, zero: 0)
  private(set) var firstTap = 0
  /// Σ p'(k)² over taps, per tap²: what a lone path's delay bound needs.
  private let slopeEnergy: Double
  /// Σ p(k)²
  private let energy: Double

  init(_ receiver: ReceiverModel) {
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
      input.pointer[2 * ((tap + 64) % 64)] = Float(pulse(Double(tap) * tapSpacing) / energy)
    }
    workspace.forward.execute(input.pointer, into: filter.pointer)
    for bin in 0..<64 { filter.pointer[2 * bin + 1].negate() }
  }

  /// Interpolates the 64 taps that begin 24 before `tap`; taps outside the CIR are zero.
  func load(_ taps: PreparedTaps, around tap: Int) {
    firstTap = tap - 24
    for index in 0..<64 {
      let source = firstTap + index
      let inside = source >= 0 && source < taps.count
      input.pointer[2 * index] = inside ? taps.taps[2 * source] : 0
      input.pointer[2 * index + 1] = inside ? taps.taps[2 * source + 1] : 0
    }
    Self.interpolation.run(input.pointer, filter: filter.pointer, using: workspace)
    let fine = workspace.fine.pointer
    for index in 0..<powers.count {
      powers.pointer[index] = fine[2 * index] * fine[2 * index] + fine[2 * index + 1] * fine[2 * index + 1]
    }
  }

  /// Fine points that may be read.
  var readable: Range<Int> { (Self.edgeTaps * 16)..<((64 - Self.edgeTaps) * 16) }

  func power(_ point: Int) -> Double { Double(powers.pointer[point]) }

  func strongest() -> Int {
    var best = readable.lowerBound
    for point in readable where powers.pointer[point] > powers.pointer[best] { best = point }
    return best
  }

  /// The delay at a fine point, taps from the start of the accumulator.
  func delay(_ point: Double) -> Double { Double(firstTap) + point / 16 }

  /// Amplitude at a fine point.
  func amplitude(_ point: Int) -> Complex<Double> {
    Complex(Double(workspace.fine.pointer[2 * point]), Double(workspace.fine.pointer[2 * point + 1]))
  }

  /// The path whose crest is at `point`, refined by a parabola; its deviation is the Cramér–Rao bound of a lone path,
  /// σ²/(2·|a|²·Σ p'²).
  func path(at point: Int, noiseVariance: Double) -> PathEstimate {
    let offset = parabola(around: point)
    let amplitude = amplitude(point)
    let inverseSNR = noiseVariance / max(amplitude.lengthSquared, .leastNormalMagnitude)
    return PathEstimate(
      delayTaps: delay(Double(point) + offset), amplitude: amplitude,
      deviationTaps: (inverseSNR / (2 * slopeEnergy)).squareRoot(),
      phaseDeviation: (inverseSNR / (2 * energy)).squareRoot())
  }

  private func parabola(around point: Int) -> Double {
    guard point > 0, point + 1 < powers.count else { return 0 }
    let before = power(point - 1)
    let at = power(point)
    let after = power(point + 1)
    let bend = before - 2 * at + after
    return bend < 0 ? min(max(0.5 * (before - after) / bend, -1), 1) : 0
  }
}
