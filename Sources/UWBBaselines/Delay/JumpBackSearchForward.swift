import UWBDSP

/// Jump back from the strongest path, search forward for the first sample above a threshold.
///
/// With t_max the strongest tap and W the search-back window, τ = min { t ≥ t_max − W : |h(t)| ≥ L }. L comes from the
/// noise of the W taps alone, so it lies lower than where the whole accumulator is searched, and noise or clutter
/// further ahead does no harm. Source: Guvenc & Sahinoglu, "Low complexity TOA estimation for impulse radio UWB
/// systems", MERL TR2005-025, 2005 (the search-back step), and "Searchback algorithms for TOA estimation in
/// non-coherent low-rate IR-UWB systems", Wireless Personal Communications, 2008, doi 10.1007/s11277-008-9549-3,
/// which names it and its twin `SerialBackwardSearch`. They work on energy blocks of several nanoseconds; here it is
/// the interpolated magnitude, and the crossing is carried to the path's peak as in `LeadingEdge`, whose deviation,
/// side-lobe rule and weakness next to overlapping paths this has too.
///
/// A first path more than W taps before the strongest one is missed: choose W from the largest such delay of the
/// surroundings. Where nothing before the strongest path passes the threshold, that path is the first. Cost: one or
/// two 64 → 1024 interpolations.
public struct JumpBackSearchForward: DelayEstimator {
  /// Where an edge begins.
  public var threshold: EdgeThreshold
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel
  /// W, taps.
  public var windowTaps: Int
  /// How far above the side lobes of later paths, in magnitude, a peak has to stand.
  public var sideLobeMargin: Double

  /// - Precondition: `windowTaps` is not negative.
  public init(
    _ receiver: ReceiverModel = ReceiverModel(), threshold: EdgeThreshold = .firstMaximum(0.5), windowTaps: Int = 64,
    sideLobeMargin: Double = 2
  ) {
    precondition(windowTaps >= 0, "a search-back window of \(windowTaps) taps")
    self.threshold = threshold
    self.receiver = receiver
    self.windowTaps = windowTaps
    self.sideLobeMargin = sideLobeMargin
  }

  public func makeWorkspace(tapCount: Int) -> EdgeReader {
    EdgeReader(receiver, sideLobeMargin: sideLobeMargin)
  }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using reader: EdgeReader) {
    let before = min(windowTaps, taps.peakTap)
    reader.searchBack(taps, threshold, receiver, quietTaps: before, into: &estimate) { _ in taps.peakTap - before }
  }
}
