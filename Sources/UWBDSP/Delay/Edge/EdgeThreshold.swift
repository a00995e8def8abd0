/// The magnitude that counts as a path's leading edge, for the estimators that read a delay off a threshold crossing.
///
/// σ is the deviation of a tap's complex noise, σ² = E|n|².
public enum EdgeThreshold: Sendable, Hashable {
  /// So many σ, whatever the signal. Simple, and the usual choice; its false alarms depend on how many taps are
  /// searched, and the level sits lower on the edge the stronger the path is.
  case noiseMultiple(Double)
  /// So much of the strongest point, 0 … 1, and never less than noise alone passes at the estimator's false-alarm
  /// rate. Blind to a first path further below the strongest one.
  case relativeToPeak(Double)
  /// The level that noise alone passes with this chance in a whole search (Rice 1944, section 3.3; see
  /// `FirstPathSearch`).
  case falseAlarmRate(Double)
  /// So much of the first local maximum that stands above the level of the estimator's false-alarm rate, 0 … 1: always
  /// the same point of the pulse's slope, whatever the path's strength.
  case firstMaximum(Double)
}
