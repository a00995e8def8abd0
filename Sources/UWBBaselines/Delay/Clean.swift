import Numerics
import UWBDSP

/// CLEAN: a little of the strongest peak at a time, until nothing but noise is left.
///
/// On the matched filter's output z over a grid of 1/8 tap (the dirty map), with R the filtered pulse (the dirty beam)
/// and γ the loop gain:
///
///     m = argmax |z[m]|;  c[m] ← c[m] + γ·z[m];  z ← z − γ·z[m]·R(· − m)
///
/// until max |z| falls below the level that noise alone passes. Components within a tap of each other are then one
/// path: its amplitude their sum, its delay their centre of weight. Source: Högbom, "Aperture synthesis with a
/// non-regular distribution of interferometer baselines", Astronomy and Astrophysics Supplement 15, 1974; for UWB
/// channels Cramer, Scholtz & Win, "Evaluation of an ultra-wide-band propagation channel", IEEE Transactions on
/// Antennas and Propagation 50(5), 2002.
///
/// Looks at 64 taps before the strongest tap to 8 after; below 13 dB, that tap may be noise's. With γ < 1 a path that
/// another one overlaps is not taken whole at the wrong place, so CLEAN errs less than `SearchSubtract` there.
/// Where paths lie about two taps apart, the components of both run together.
/// What is left at a path's place counts to its amplitude. The deviation is the Cramér–Rao bound of a lone path, so it
/// is too small where paths overlap; `PulseFit` is the one to use for delays, CLEAN for a quick picture of a channel.
/// Cost: the dirty map, and some 2 to 10 iterations for each path, each a pass over it.
public struct Clean: DelayEstimator {
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel
  /// γ, above 0 and at most 1.
  public var loopGain: Double
  /// Iterations before it gives up with `didNotConverge`.
  public var mostIterations: Int

  /// - Precondition: 0 < `loopGain` ≤ 1, `mostIterations` ≥ 1.
  public init(_ receiver: ReceiverModel = ReceiverModel(), loopGain: Double = 0.5, mostIterations: Int = 400) {
    precondition(
      loopGain > 0 && loopGain <= 1 && mostIterations >= 1, "loop gain \(loopGain), \(mostIterations) iterations")
    self.receiver = receiver
    self.loopGain = loopGain
    self.mostIterations = mostIterations
  }

  /// Points that one path's components may spread over.
  private static let spread = MatchedFilterMap.pointsPerTap
  private static let points = MatchedFilterMap.windowTaps * MatchedFilterMap.pointsPerTap

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let map: MatchedFilterMap
    /// R from −`points` to `points`.
    fileprivate let beam = AlignedBuffer<Float>(count: 2 * points, zero: 0)
    fileprivate let components = AlignedBuffer<Float>(count: 2 * points, zero: 0)

    fileprivate init(_ estimator: Clean) {
      let (pulse, tapSpacing) = (estimator.receiver.pulse, estimator.receiver.tapSpacing)
      map = MatchedFilterMap(estimator.receiver)
      let half = MatchedFilterMap.windowTaps / 2
      for tap in 0..<MatchedFilterMap.windowTaps {
        map.residual.pointer[2 * tap] = Float(pulse(Double(tap - half) * tapSpacing))
        map.residual.pointer[2 * tap + 1] = 0
      }
      map.filter()
      for point in 0..<points {
        beam.pointer[points / 2 + point] = map.output.pointer[2 * point]
      }
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    let map = workspace.map
    guard let detection = PathDetection(taps, map, receiver, into: &estimate) else { return }
    workspace.components.pointer.update(repeating: 0, count: workspace.components.count)
    estimate.status = .didNotConverge
    for _ in 0..<mostIterations {
      let peak = map.strongest()
      guard map.power(peak) >= detection.level else {
        estimate.status = .ok
        break
      }
      clean(peak, workspace)
    }
    gather(detection, workspace, into: &estimate)
    if estimate.paths.isEmpty { estimate.status = .noFirstPath }
  }

  private func clean(_ point: Int, _ workspace: Workspace) {
    let map = workspace.map
    let output = map.output.pointer
    let gain = Float(loopGain)
    let real = gain * output[2 * point]
    let imaginary = gain * output[2 * point + 1]
    workspace.components.pointer[2 * point] += real
    workspace.components.pointer[2 * point + 1] += imaginary
    let range = map.searched
    let beam = workspace.beam.pointer + Self.points - point
    let powers = map.powers.pointer
    for index in range.lowerBound - 1..<range.upperBound + 1 {
      let newReal = output[2 * index] - real * beam[index]
      let newImaginary = output[2 * index + 1] - imaginary * beam[index]
      output[2 * index] = newReal
      output[2 * index + 1] = newImaginary
      powers[index] = newReal * newReal + newImaginary * newImaginary
    }
  }

  /// Turns components into paths, by increasing delay.
  private func gather(_ detection: PathDetection, _ workspace: Workspace, into estimate: inout DelayEstimate) {
    let components = workspace.components.pointer
    let range = workspace.map.searched
    var start = range.lowerBound
    while start < range.upperBound, estimate.paths.count < DelayEstimate.pathCapacity {
      guard components[2 * start] != 0 || components[2 * start + 1] != 0 else {
        start += 1
        continue
      }
      let end = min(start + Self.spread + 1, range.upperBound)
      var real = 0.0
      var imaginary = 0.0
      for point in start..<end {
        real += Double(components[2 * point])
        imaginary += Double(components[2 * point + 1])
      }
      let power = real * real + imaginary * imaginary
      // One iteration on a peak at the level leaves γ of it; less is components that cancel.
      if power >= 0.9 * loopGain * loopGain * detection.level {
        var centre = 0.0
        for point in start..<end {
          let share = real * Double(components[2 * point]) + imaginary * Double(components[2 * point + 1])
          centre += Double(point - start) * share / power
        }
        // Components of opposite phase may throw the centre out of the group.
        centre = Double(start) + min(max(centre, 0), Double(end - start - 1))
        let nearest = Int(centre, rounded: .toNearestOrAwayFromZero, within: start...end - 1)
        let residual = workspace.map.output.pointer
        let amplitude = Complex(
          real + Double(residual[2 * nearest]), imaginary + Double(residual[2 * nearest + 1]))
        estimate.paths.append(
          workspace.map.path(
            delay: centre / Double(MatchedFilterMap.pointsPerTap), amplitude: amplitude, variance: detection.variance))
      }
      start = end
    }
  }
}
