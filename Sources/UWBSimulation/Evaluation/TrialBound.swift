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
    let first = max(0, Int(trial.firstPathTaps) - 48)
    let last = min(synthesizer.tapCount, Int(delays[near - 1]) + 48)
    return bound.pathsTapsSquared(
      delaysTaps: Array(delays.prefix(near)), amplitudes: paths.prefix(near).map(\.amplitude), taps: first..<last,
      noise: .white(variance: trial.noiseVariance))?.first
  }
}
