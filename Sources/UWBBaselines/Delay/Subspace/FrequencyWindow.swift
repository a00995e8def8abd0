import UWBDSP
import UWBPlatform

/// What the subspace estimators (`DelayMUSIC`, `DelayRootMUSIC`, `DelayESPRIT`, `DelayMatrixPencil`) share: which taps
/// they look at, which frequencies they use, how many paths they ask for.
///
/// A window of taps round the rough first path is transformed and divided by the pulse's spectrum, over the band where
/// that is at least `bandLevel` of its largest value. There a path at τ is one complex exponential,
///
///     H[f] = Y[f]/P[f] = Σ_i a_i·exp(−j·2π·f·τ_i/N) + noise of variance N·σ²/|P[f]|²
///
/// (Li & Pahlavan 2004). The division colours the noise; the weights of `FrequencyResponse` undo most of
/// that, so a low `bandLevel` costs little, and a high one resolves less.
public struct FrequencyWindow: Sendable, Hashable {
  /// What is known of the receiver: pulse, noise, threshold.
  public var receiver: ReceiverModel
  /// Taps of the window, a power of two; three eighths of them lie before the rough first path. A path beyond the
  /// window's end is not seen, one across its end is seen wrong. Where a dense cluster fills the window, 16 taps lose a
  /// weak first path less often than 32.
  public let windowTaps: Int
  /// Least |P[f]| over its largest value for a frequency to be used.
  public let bandLevel: Double
  /// Number of paths in the window where it is known; `nil` lets minimum description length count them.
  public var order: Int?
  /// Most paths to be counted, 1 … 8.
  public var mostPaths: Int

  /// - Precondition: `windowTaps` is a power of two from 16 to 256, 0.05 ≤ `bandLevel` ≤ 0.9, `order` and `mostPaths`
  ///   lie in 1 … 8.
  public init(
    _ receiver: ReceiverModel = ReceiverModel(), windowTaps: Int = 32, bandLevel: Double = 0.3, order: Int? = nil,
    mostPaths: Int = 6
  ) {
    precondition(
      windowTaps.nonzeroBitCount == 1 && (16...256).contains(windowTaps),
      "a window of \(windowTaps) taps: a power of two from 16 to 256")
    precondition((0.05...0.9).contains(bandLevel), "a band down to \(bandLevel) of the pulse's spectrum: 0.05 … 0.9")
    precondition(
      (1...PathFit.mostPaths).contains(mostPaths) && (1...PathFit.mostPaths).contains(order ?? 1),
      "\(order ?? mostPaths) paths: between 1 and \(PathFit.mostPaths) can be asked for")
    self.receiver = receiver
    self.windowTaps = windowTaps
    self.bandLevel = bandLevel
    self.order = order
    self.mostPaths = mostPaths
  }

  /// Paths to ask of a method that tells `rank` directions apart, one of them left to noise: the order given, or the
  /// most to be counted.
  func mostPaths(rank: Int) -> Int {
    max(1, min(order ?? mostPaths, rank - 1))
  }

  /// Taps before the rough first path.
  var before: Int { windowTaps * 3 / 8 }

  /// P[f] = Σ_k p(k)·exp(−j·2πfk/N) for f = 0 … N/2.
  func pulseSpectrum() -> [(real: Double, imaginary: Double)] {
    let reach = 64
    return (0...windowTaps / 2).map { frequency in
      var sum = (real: 0.0, imaginary: 0.0)
      for tap in -reach...reach {
        let angle = -2 * Double.pi * Double(frequency * tap) / Double(windowTaps)
        let value = receiver.pulse(Double(tap) * receiver.tapSpacing)
        sum.real += value * cos(angle)
        sum.imaginary += value * sin(angle)
      }
      return sum
    }
  }
}
