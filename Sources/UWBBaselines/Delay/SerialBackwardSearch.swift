import UWBDSP

/// Walk back from the strongest path, tap by tap, until only noise is left.
///
/// From the strongest tap towards earlier ones, the walk ends once more than K taps in a row stay below the threshold L;
/// the earliest tap over L that it met begins the first path's edge. Source: Guvenc & Sahinoglu, "Low complexity TOA
/// estimation for impulse radio UWB systems", MERL TR2005-025, 2005 (the search-back step), and "Searchback algorithms
/// for TOA estimation in non-coherent low-rate IR-UWB systems", Wireless Personal Communications, 2008,
/// doi 10.1007/s11277-008-9549-3, where K is the inter-cluster delay: paths arrive in clusters with quiet between them.
/// They work on energy blocks; here it is the taps, then the interpolated magnitude, and the crossing is carried to
/// the path's peak as in `LeadingEdge`, whose deviation, side-lobe rule and weakness next to overlapping paths this
/// has too.
///
/// Since only K taps of noise are passed before the walk ends, L lies lower than in any search over a fixed window;
/// but a first path more than K taps ahead of the next is missed, however strong. Use `JumpBackSearchForward` where K
/// is not known (that paper's own conclusion). Cost: one or two 64 → 1024 interpolations.
public struct SerialBackwardSearch: DelayEstimator {
  /// Where an edge begins.
  public var threshold: EdgeThreshold
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel
  /// K, taps.
  public var gapTaps: Int
  /// How far above the side lobes of later paths, in magnitude, a peak has to stand.
  public var sideLobeMargin: Double

  /// - Precondition: `gapTaps` is not negative.
  public init(
    _ receiver: ReceiverModel = ReceiverModel(), threshold: EdgeThreshold = .firstMaximum(0.5), gapTaps: Int = 16,
    sideLobeMargin: Double = 2
  ) {
    precondition(gapTaps >= 0, "a gap of \(gapTaps) taps")
    self.threshold = threshold
    self.receiver = receiver
    self.gapTaps = gapTaps
    self.sideLobeMargin = sideLobeMargin
  }

  public func makeWorkspace(tapCount: Int) -> EdgeReader {
    EdgeReader(receiver, sideLobeMargin: sideLobeMargin)
  }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using reader: EdgeReader) {
    let gap = min(gapTaps, taps.count)
    reader.searchBack(taps, threshold, receiver, quietTaps: gap, into: &estimate) { level in
      reader.walkBack(taps, from: taps.peakTap, gap: gap, level: level)
    }
  }
}
