import CUWBKernels
import Numerics

/// The noise variance of a tap from the taps before the signal: the median of block means.
///
/// Powers of complex Gaussian noise average, over blocks of 16 taps, to Gamma(16, σ²/16); its median is 0.9793·σ². A
/// path that slips into some blocks moves a median hardly, where it would spoil a mean. With 40 blocks the estimate's
/// own relative deviation is 5 %. Where not even one block fits, the median of single powers stands in, whose median is
/// ln 2·σ². Cost O(taps).
///
/// A window that begins shortly before its signal, as some radios hand it over, may be mostly signal. There the mean of the taps before the
/// signal counts where it is lower.
struct NoiseFloor {
  static let blockTaps = 16
  /// Median of a Gamma(16, 1/16) variable (numerically, from the regularised incomplete gamma function).
  static let medianOfBlockMean = 0.97928
  private static let mostBlocks = 64
  /// Most taps of a window that may be mostly signal whatever the median says.
  private static let shortWindow = 8 * blockTaps
  /// Noise before the signal over the median, below which a longer window is. Noise has a tap that looks like signal sooner or later, and
  /// those before it are the weaker ones.
  private static let spoiltShare = 1.0 / 3
  /// Taps from which on noise fills more than half of them.
  private static let wholeAccumulator = 32 * blockTaps
  private static let leastLeadingTaps = 3
  /// Surprisal (−ln of the chance) of a tap that may be signal, and of it together with the next one where both are.
  private static let leastSurprisal = 4.0
  private static let sharedSurprisal = 8.0
  /// −ln of the chance of what noise does once in many CIRs.
  private static let strongSurprisal = 12.0
  /// A window round a first path begins before it. In this share of its taps signal has to be improbable noise by `earlySurprisal` more,
  /// unless one of `pulseTaps` is within this share of the strongest power.
  private static let earlyShare = 0.3
  private static let earlySurprisal = 6.0
  private static let earlyPower: Float = 1 / 30
  private static let pulseTaps = 3
  /// Taps of a pulse's rise that need not stand out of the noise.
  private static let riseTaps = 2

  private let means = AlignedBuffer<Float>(count: mostBlocks, zero: 0)

  /// - Parameters:
  ///   - powers: |h|² of `count` taps.
  ///   - end: where signal may begin. Where fewer than eight blocks lie before it, all taps are used: the median
  ///     stands as long as signal fills less than half of them.
  /// - Returns: variance σ² = E|n|² of a tap.
  func estimate(_ powers: UnsafePointer<Float>, count: Int, before end: Int) -> Double {
    let isEarly = end < 8 * Self.blockTaps
    let median = medianOfBlocks(powers, before: isEarly ? count : end)
    guard isEarly, count < Self.wholeAccumulator else { return median }
    let leading = leadingNoise(powers, count: count)
    return leading < (count <= Self.shortWindow ? 1 : Self.spoiltShare) * median ? leading : median
  }

  /// The mean of the leading taps, up to where signal begins: a tap too strong for noise of the mean of those before, alone or together with
  /// the next. Noise makes one such tap in some windows, and a pulse is wider than a tap. The rise of the pulse is left out.
  ///
  /// The first taps may all be weak by chance. What follows them is taken for signal early in the window only where it is strong.
  ///
  /// So few taps leave the mean uncertain, and it is raised for that. With a known variance a tap of `strongSurprisal` times the mean
  /// has that surprisal. The factor is that number over the tap's own. First paths are told from noise there.
  private func leadingNoise(_ powers: UnsafePointer<Float>, count: Int) -> Double {
    let least = min(Self.leastLeadingTaps, count)
    var sum = 0.0
    for index in 0..<least { sum += Double(powers[index]) }
    var end = least
    while end < count {
      let power = Double(powers[end])
      // ln(1 + x) ≤ x: most taps need no logarithm.
      let own =
        Double(end) * power > Self.leastSurprisal * sum ? Self.surprisal(power, number: end, sum: sum) : 0
      if own > Self.leastSurprisal {
        let with = sum + power
        let next = end + 1 < count ? Self.surprisal(Double(powers[end + 1]), number: end + 1, sum: with) : 0
        if own + next > Self.sharedSurprisal + (isWeakAndEarly(powers, end, count: count) ? Self.earlySurprisal : 0) {
          break
        }
      }
      sum += power
      end += 1
    }
    if end < count {
      let kept = max(least, end - Self.riseTaps)
      for index in kept..<end { sum -= Double(powers[index]) }
      end = kept
    }
    guard end > 0 else { return 0 }
    let number = Double(end)
    let surprisal = Self.surprisal(Self.strongSurprisal, number: end, sum: number)
    return max(0, sum) / number * Self.strongSurprisal / surprisal
  }

  private func isWeakAndEarly(_ powers: UnsafePointer<Float>, _ tap: Int, count: Int) -> Bool {
    guard Double(tap) < Self.earlyShare * Double(count) else { return false }
    let peak = (tap..<count).reduce(Float()) { max($0, powers[$1]) }
    return (tap..<min(count, tap + Self.pulseTaps)).allSatisfy { powers[$0] < Self.earlyPower * peak }
  }

  /// −ln of the chance that a tap of noise is so strong beside the sum of n others: P(x > t) = (1 + t/n)^(−n) for a tap over their mean.
  private static func surprisal(_ power: Double, number: Int, sum: Double) -> Double {
    guard sum > 0 else { return power > 0 ? .infinity : 0 }
    return Double(number) * Double.log(1 + power / sum)
  }

  private func medianOfBlocks(_ powers: UnsafePointer<Float>, before quiet: Int) -> Double {
    let blocks = min(quiet / Self.blockTaps, Self.mostBlocks)
    guard blocks > 0 else {
      means.pointer.update(from: powers, count: quiet)
      return uwb_median(means.pointer, quiet) / Double.log(2)
    }
    // The latest blocks before the signal: closest in time to what the noise is under the signal.
    uwb_block_means(powers + (quiet - blocks * Self.blockTaps), blocks, means.pointer)
    return uwb_median(means.pointer, blocks) / Self.medianOfBlockMean
  }
}
