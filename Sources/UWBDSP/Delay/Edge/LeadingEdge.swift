/// The first crossing of a threshold by the band-limited interpolated magnitude.
///
/// What most receivers do, the DW1000 included: t₁ = min { t : |h(t)| ≥ L }, with L by one of four rules
/// (`EdgeThreshold`; Dardari, Conti, Ferner, Giorgetti & Win, "Ranging with ultrawide bandwidth signals in multipath
/// environments", Proceedings of the IEEE, 2009, compares the kinds). The raw crossing t₁ lies on the pulse's slope,
/// up to two taps before its peak; the stronger the path, the earlier. The way from there to the peak of a lone
/// path is added: τ = t₁ − q(L/Â), p(q) = L/A, with Â the magnitude of the first local maximum (`PulseSlope`).
/// `compensatesSlope` = false reports t₁ itself.
///
/// A peak is passed over where the early side lobes of a later path explain it. They do up to `sideLobeMargin` times
/// their bound. 0 takes every crossing, as the textbook does. Any pulse with side lobes is then found early
/// above some 20 dB.
///
/// The deviation is that of a lone path's crossing in white noise (`PulseSlope`). It is 1.9 times the Cramér–Rao
/// bound near half height and 2.5 times near the foot of the standard's pulse. The magnitude holds all of the noise's
/// band, the pulse only three quarters of it. Paths that overlap the first one bend its edge. There the error is a
/// share of a tap whatever the noise: use `PulseFit` or `EdgeFit`. Cost: a pass over the taps and one or two
/// 64 → 1024 interpolations.
public struct LeadingEdge: DelayEstimator {
  /// Where an edge begins.
  public var threshold: EdgeThreshold
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel
  /// How far above the side lobes of later paths, in magnitude, a peak has to stand.
  public var sideLobeMargin: Double
  /// Whether the way from the crossing to the path's peak is added.
  public var compensatesSlope: Bool

  /// Creates one with the given values.
  public init(
    _ receiver: ReceiverModel = ReceiverModel(), threshold: EdgeThreshold = .firstMaximum(0.5),
    sideLobeMargin: Double = 2, compensatesSlope: Bool = true
  ) {
    self.threshold = threshold
    self.receiver = receiver
    self.sideLobeMargin = sideLobeMargin
    self.compensatesSlope = compensatesSlope
  }

  public func makeWorkspace(tapCount: Int) -> EdgeReader {
    EdgeReader(receiver, sideLobeMargin: sideLobeMargin)
  }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using reader: EdgeReader) {
    guard taps.isUsable else { return estimate.reset(.emptyImpulseResponse) }
    reader.reset()
    let level = reader.level(threshold, taps, tapCount: taps.count, receiver)
    estimate.reset(.noFirstPath, noiseVariance: taps.noiseVariance, threshold: level)
    guard let found = reader.first(taps, in: 0..<taps.count, level: level) else {
      return reportStrongest(taps, into: &estimate, reader)
    }
    let edge = reader.edge(found, threshold)
    estimate.paths.append(reader.path(edge, noiseVariance: taps.noiseVariance, compensates: compensatesSlope))
    estimate.status = .ok
  }

  /// For the rules that are relative to the signal, a strongest point too weak for a safe search is still one.
  private func reportStrongest(_ taps: PreparedTaps, into estimate: inout DelayEstimate, _ reader: EdgeReader) {
    switch threshold {
    case .noiseMultiple, .falseAlarmRate: return
    case .relativeToPeak, .firstMaximum:
      guard reader.detectsPresence(taps, falseAlarmRate: receiver.falseAlarmRate, into: &estimate) else { return }
      let edge = reader.strongestEdge(taps, threshold)
      estimate.paths.append(reader.path(edge, noiseVariance: taps.noiseVariance, compensates: compensatesSlope))
      estimate.status = .ok
    }
  }
}
