import Numerics
import UWBDSP

extension DelayTrialGenerator {
  /// The Cramér–Rao bound on the first path's delay in `trial`, taps².
  ///
  /// For path lists it takes all paths as the estimator meets them: number known, delays and amplitudes not. Before a
  /// dense cluster it is the bound without the cluster. The standard's channels have rays too close for it: `nil`.
  public func firstPathBound(_ trial: DelayTrial) -> Double? {
    let count: Int
    switch channel {
    case .awgn: count = 1
    case .twoPath: count = 2
    case .paths(let list), .pathsBeforeCluster(let list, _): count = list.count
    case .ieee802154a: return nil
    }
    let bound = DelayBound(pulse: synthesizer.pulse, tapSpacing: synthesizer.tapSpacing)
    let paths = trial.paths.prefix(count)
    let delays = paths.map { trial.firstPathTaps + $0.delay / synthesizer.tapSpacing }
    // Paths beyond the reach of the first one's pulse tell nothing of it, but each costs time.
    let near = delays.filter { $0 < trial.firstPathTaps + 64 }.count
    // Whitening costs the cube of the window; a pulse of limited band has nothing left 24 taps off.
    let margin = noise.isWhite ? 48 : 24
    let first = max(0, Int(trial.firstPathTaps, within: 0...synthesizer.tapCount) - margin)
    let last = min(synthesizer.tapCount, Int(delays[near - 1], within: 0...synthesizer.tapCount) + margin)
    let noise: DelayNoise =
      self.noise.isWhite
      ? .white(variance: trial.noiseVariance)
      : .stationary(
        autocorrelation: self.noise.lags.map { Complex(trial.noiseVariance * $0) }, tapCount: last - first)
    return bound.pathsTapsSquared(
      delaysTaps: Array(delays.prefix(near)), amplitudes: paths.prefix(near).map(\.amplitude), taps: first..<last,
      noise: noise)?.first
  }
}
