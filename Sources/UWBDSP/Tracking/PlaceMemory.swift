#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whether a peer stays where it is, and what a classifier said of it there.
///
/// Two channels are alike as long as the antennas have not moved by about a wavelength (Clarke, Bell System Technical Journal 47, 1968:
/// the correlation's first zero is at 0.38 wavelengths), and so are a classifier's verdicts: seen twice from one place, what it errs in
/// is the same. Verdicts of one place are therefore averaged, and the mean counts once. With the part of the way to
/// another channel that was made since the last exchange, a verdict counts as a new one.
///
/// Obstructions stay where they are, too: for a peer that stands, line of sight neither goes nor comes, doors and passers-by apart.
struct PlaceMemory: Sendable, Hashable {
  /// Over so many seconds it is judged whether the peer moves.
  private static let window = 1.0
  /// So far apart two channels are no longer the same, m: a wavelength at 6.5 GHz.
  private static let decorrelation = 0.05
  /// Who moves so fast is walking, m/s.
  private static let walking = 0.5
  /// Doors and passers-by, as part of the changes that come from walking.
  private static let restless = 0.01
  /// Verdicts of a place that make its mean: the latest ones, so that a change is noticed.
  private static let most = 10.0
  /// What a path's own deviations make of its spread, at most: twice what chance makes of them once in thousands, for noise is often more
  /// than is stated.
  private static let noise = 8.0

  /// Of the path's length, m and m², over the last second or so.
  private var mean: Double
  private var spread = 0.0
  private var verdicts = 0.0
  private var logOdds = 0.0
  /// m/s along the line to the peer; what noise explains does not count.
  private var speed = 0.0
  /// m/s that it may have for all that is known in the first seconds.
  private var doubt = walking

  init(_ path: Double) { mean = path }

  /// How much of the changes of line of sight are to be expected within a step (s) that come from walking, 0 … 1.
  func share(over step: Double) -> Double {
    min(1, max(Self.restless, (speed + doubt * exp(-step / Self.window)) / Self.walking))
  }

  /// The device moved: no motion of the peer, and no other path.
  mutating func shift(by distance: Double) { mean += distance }

  /// - Parameters:
  ///   - path: length of the path that is measured, detour included: it tells rest from motion whether or not line of sight is lost.
  ///   - variance: of that length as the track has it
  mutating func follow(_ path: Double, variance: Double, step: Double) {
    let part = -expm1(-step / Self.window)
    let apart = path - mean
    mean += part * apart
    spread = (1 - part) * (spread + part * apart * apart)
    speed = max(0, spread - Self.noise * variance).squareRoot() / Self.window
    doubt *= 1 - part
  }

  /// What a verdict adds to those before it, as a probability.
  mutating func news(_ probability: Double, step: Double) -> Double {
    let said = log(probability / (1 - probability))
    let moved = min(1, speed * step / Self.decorrelation)
    let kept = (1 - moved) * verdicts
    let before = kept > 0 ? logOdds : 0
    verdicts = min(kept + 1, Self.most)
    let change = (said - before) / verdicts
    logOdds = before + change
    return 1 / (1 + exp(-(moved * said + (1 - moved) * change)))
  }
}
