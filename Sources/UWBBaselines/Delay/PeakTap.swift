import Numerics
import UWBDSP

/// The strongest point of the CIR after the filter matched to the pulse, interpolated between taps.
///
/// The maximum-likelihood delay of a lone path (Kay, "Estimation Theory", 1993, example 3.13), and what many scripts
/// use: right for a single path, or where the first path is the strongest by far; its delay is then
/// within a few per cent of the Cramér–Rao bound. Behind an obstacle the strongest path is not the first, and the
/// estimate is late by the excess delay: use it to compare, not to range. Cost: one 64 → 1024 interpolation.
public struct PeakTap: DelayEstimator {
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel

  /// Creates one with the given values.
  public init(_ receiver: ReceiverModel = ReceiverModel()) {
    self.receiver = receiver
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let peak: InterpolatedPeak
    fileprivate init(_ peak: InterpolatedPeak) { self.peak = peak }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace {
    Workspace(InterpolatedPeak(receiver))
  }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    guard taps.isUsable else { return estimate.reset(.emptyImpulseResponse) }
    // The largest of n independent exponential powers exceeds g·σ² with probability n·e^(−g).
    let threshold = taps.noiseVariance * Double.log(Double(taps.count) / receiver.falseAlarmRate)
    estimate.reset(.noFirstPath, noiseVariance: taps.noiseVariance, threshold: threshold.squareRoot())
    guard taps.peakPower >= threshold else { return }
    workspace.peak.load(taps, around: taps.peakTap)
    estimate.paths.append(workspace.peak.path(noiseVariance: taps.noiseVariance))
    estimate.status = .ok
  }
}
