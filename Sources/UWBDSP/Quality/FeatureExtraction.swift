import Numerics

/// Measures a CIR's `QualityFeature`s, given what a delay estimator found in it.
///
/// The window reaches from 16 taps before the first path to 160 after it, as far as the accumulator goes. Powers of taps
/// have the noise variance subtracted (not below zero) where they are summed to energies and delays.
///
/// Cost: O(window), some 176 taps, whatever the CIR's length: under a microsecond. Don't compare features of radios with
/// each other: `peak` and its kin are in the units that a receiver scales its taps to.
public struct FeatureExtraction: Sendable, Hashable {
  /// Taps before the first path that features see.
  public static let tapsBefore = 16
  /// Taps after the first path that features see.
  public static let tapsAfter = 160
  /// Edges found later than this, or not at all, count as this, taps after the first path.
  public static let latestEdge = 30.0

  /// The pulse that one path leaves.
  public var pulse: PulseShape
  /// Seconds from tap to tap.
  public var tapSpacing: Double

  /// Creates one with the given values.
  public init(pulse: PulseShape, tapSpacing: Double = UWB.tap) {
    self.pulse = pulse
    self.tapSpacing = tapSpacing
  }

  /// Tables of the pulse; one for each thread.
  public final class Workspace {
    let pulse: PulseTable
    let values = AlignedBuffer<Double>(count: PulseResidual.mostTaps, zero: 0)
    /// Energy of a pulse over the power of its peak.
    public let pulseEnergydB: Double

    fileprivate init(_ extraction: FeatureExtraction) {
      pulse = PulseTable(extraction.pulse, tapSpacing: extraction.tapSpacing)
      pulseEnergydB = AmplitudeFeatures.decibels(pulse.meanEnergy)
    }
  }

  /// Allocates everything that a calculation needs.
  public func makeWorkspace() -> Workspace { Workspace(self) }

  /// Features of `taps`, `freeSpacePeak` as at a distance of 1 m.
  ///
  /// - Parameters:
  ///   - path: the first path in `taps`.
  ///   - receivedPowerdBm: as the chip reports it.
  /// - Precondition: `taps.isUsable`.
  public func features(
    of taps: PreparedTaps, firstPath path: PathEstimate, receivedPowerdBm: Double? = nil, using workspace: Workspace
  ) -> QualityFeatures {
    let window = FeatureWindow(taps, firstPathTaps: path.delayTaps)
    var result = QualityFeatures()
    result.tapsAfter = Double(window.count - window.wholeOrigin)
    let sums = ProfileSums(window)
    AmplitudeFeatures.measure(window, sums, path, into: &result)
    ProfileFeatures.measure(window, sums, into: &result)
    EdgeFeatures.measure(window, into: &result)
    result[.fitResidual] = PulseResidual.measure(taps, delayTaps: path.delayTaps, workspace)
    if let receivedPowerdBm { result.reportPower(receivedPowerdBm, pulseEnergydB: workspace.pulseEnergydB) }
    return result
  }
}

/// The part of a CIR that features look at. Borrows the taps' memory: not to outlive them.
struct FeatureWindow {
  /// |h|² of the window's taps.
  let powers: UnsafePointer<Float>
  let count: Int
  /// The first path, taps from the window's start.
  let origin: Double
  /// Its whole taps.
  let wholeOrigin: Int
  /// The strongest tap of the CIR, taps from the window's start; may lie outside.
  let peakTap: Int
  let peakPower: Double
  let noiseVariance: Double

  init(_ taps: PreparedTaps, firstPathTaps: Double) {
    let first = Int(firstPathTaps, within: 0...taps.count - 1)
    let start = max(0, first - FeatureExtraction.tapsBefore)
    powers = UnsafePointer(taps.powers.pointer + start)
    count = min(taps.count, first + FeatureExtraction.tapsAfter) - start
    origin = firstPathTaps - Double(start)
    wholeOrigin = Int(origin, within: -(1 << 20)...1 << 20)
    peakTap = taps.peakTap - start
    peakPower = taps.peakPower
    noiseVariance = taps.noiseVariance
  }
}
