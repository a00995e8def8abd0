import Numerics
import UWBPlatform

/// Least-squares fit of one pulse to the leading edge of the first path.
///
/// For radios in dense surroundings whose pulse is known to a few per cent only (a DW1000 indoors). The rise of the first
/// pulse is fitted. What follows its peak, where reflections overlap it, loses weight:
///
///     minimise over τ, a:  Σ_k w(k − τ) · |h[k] − a·p(k − τ)|²,    w(t) = 1 / (1 + exp((t − c)/s))
///
/// over 8 taps before the peak to 4 after. For a τ given, a is linear; τ moves by Gauss–Newton on the projected
/// slope (variable projection: Golub & Pereyra 1973; Kaufman 1975). The deviation is that of the weighted fit,
/// σ_τ² = σ²/(2|a|²) · Σ w²d² / (Σ w d²)², with d the slope after projection. σ² is the noise floor plus the pulse's model
/// error. The fit's residual takes its place where that is larger by three deviations of its own.
///
/// Cost: the search over all taps, then some 10 taps × 5 iterations. Don't use it where two
/// paths lie closer than a tap and both delays matter: `PulseFit` resolves them, given an exact pulse. Where reflections follow
/// within two taps, `RiceFit` is nearer: it takes the weights from the taps.
public struct EdgeFit: DelayEstimator {
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel
  /// c: taps after the peak where the weight has fallen to one half.
  public var edgeTaps: Double
  /// s: how softly it falls, taps.
  public var softnessTaps: Double

  /// Creates one with the given values.
  public init(_ receiver: ReceiverModel = ReceiverModel(), edgeTaps: Double = 0.2, softnessTaps: Double = 0.4) {
    self.receiver = receiver
    self.edgeTaps = edgeTaps
    self.softnessTaps = softnessTaps
  }

  private static let before = 8.0
  private static let after = 4.0
  private static let mostTaps = 13
  private static let mostIterations = 50

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let rough: RoughFirstPath
    fileprivate let pulse: PulseTable
    fileprivate let weight: PulseTable
    fileprivate let values = AlignedBuffer<Double>(count: mostTaps, zero: 0)
    fileprivate let slopes = AlignedBuffer<Double>(count: mostTaps, zero: 0)
    fileprivate let weights = AlignedBuffer<Double>(count: mostTaps, zero: 0)

    fileprivate init(_ fit: EdgeFit, tapCount: Int) {
      rough = RoughFirstPath(fit.receiver, filter: .sharp, tapCount: tapCount)
      pulse = PulseTable(fit.receiver)
      weight = PulseTable { 1 / (1 + exp(($0 - fit.edgeTaps) / fit.softnessTaps)) }
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    guard let halfTap = workspace.rough.find(taps, into: &estimate) else { return }

    var delay = Double(halfTap) / 2
    var fit = Sums()
    var gain = 1.0
    var previous = 0.0
    for _ in 0..<Self.mostIterations {
      fit = sums(taps, delay: delay, workspace)
      guard fit.curvature > 0 else { return }
      var step = min(max(fit.gradient / fit.curvature, -0.4), 0.4)
      // The weights move with the delay, so whole steps may swing round the solution for ever.
      if step * previous < 0 { gain = max(gain * 0.6, 0.1) }
      previous = step
      step *= gain
      delay += step
      if abs(previous) < 1e-3 {
        estimate.status = .ok
        break
      }
      // The first path lies where the search found it, or the edge has led the fit away from any path.
      guard abs(delay - Double(halfTap) / 2) < 4 else { break }
    }
    if estimate.status != .ok { estimate.status = .didNotConverge }

    let power = fit.amplitude.lengthSquared
    let assumed = receiver.variance(noise: taps.noiseVariance, peak: power)
    // Complex samples less a complex amplitude and a real delay. The larger of the two would be too large on average:
    // so few samples scatter by a third.
    let freedom = max(fit.weight - 1.5, 1)
    let seen = fit.residual / freedom
    let halfVariance = (seen > assumed * (1 + 3 / freedom.squareRoot()) ? seen : assumed) / 2
    let delayVariance = halfVariance * fit.squaredWeightCurvature / (fit.curvature * fit.curvature)
    let phaseVariance = halfVariance / power * fit.squaredWeightEnergy / (fit.energy * fit.energy)
    estimate.paths.append(
      PathEstimate(
        delayTaps: delay, amplitude: fit.amplitude, deviationTaps: delayVariance.squareRoot(),
        phaseDeviation: phaseVariance.squareRoot()))
  }

  /// The weighted sums of one Gauss–Newton step, the amplitude included.
  private struct Sums {
    var amplitude = Complex<Double>.zero
    /// Σ w·Re(conj(a·d)·r)
    var gradient = 0.0
    /// Σ w·|a|²·d²
    var curvature = 0.0
    /// Σ w²·|a|²·d²
    var squaredWeightCurvature = 0.0
    /// Σ w·p² and Σ w²·p²
    var energy = 0.0
    var squaredWeightEnergy = 0.0
    var residual = 0.0
    var weight = 0.0
  }

  private func sums(_ taps: PreparedTaps, delay: Double, _ workspace: Workspace) -> Sums {
    let first = Int(delay - Self.before, rounded: .up, within: 0...taps.count)
    let last = Int(delay + Self.after, rounded: .down, within: -1...taps.count - 1)
    let count = min(last - first + 1, Self.mostTaps)
    var result = Sums()
    guard count >= 4 else { return result }
    let values = workspace.values.pointer
    let slopes = workspace.slopes.pointer
    let weights = workspace.weights.pointer
    workspace.pulse.evaluate(delay: delay, firstTap: first, count: count, into: values)
    workspace.pulse.evaluateSlope(delay: delay, firstTap: first, count: count, into: slopes)
    workspace.weight.evaluate(delay: delay, firstTap: first, count: count, into: weights)

    var energy = 0.0
    var overlap = 0.0
    var real = 0.0
    var imaginary = 0.0
    for index in 0..<count {
      let weighted = weights[index] * values[index]
      energy += weighted * values[index]
      overlap += weighted * slopes[index]
      real += weighted * Double(taps.taps[2 * (first + index)])
      imaginary += weighted * Double(taps.taps[2 * (first + index) + 1])
    }
    guard energy > 0 else { return result }
    real /= energy
    imaginary /= energy
    result.amplitude = Complex(real, imaginary)
    result.energy = energy
    let power = real * real + imaginary * imaginary
    let projection = overlap / energy
    for index in 0..<count {
      let slope = slopes[index] - projection * values[index]
      let realResidual = Double(taps.taps[2 * (first + index)]) - real * values[index]
      let imaginaryResidual = Double(taps.taps[2 * (first + index) + 1]) - imaginary * values[index]
      let weighted = weights[index] * slope
      result.gradient += weighted * (real * realResidual + imaginary * imaginaryResidual)
      result.curvature += weighted * slope * power
      result.squaredWeightCurvature += weighted * weighted * power
      result.squaredWeightEnergy += weights[index] * weights[index] * values[index] * values[index]
      result.residual +=
        weights[index] * (realResidual * realResidual + imaginaryResidual * imaginaryResidual)
      result.weight += weights[index]
    }
    return result
  }
}
