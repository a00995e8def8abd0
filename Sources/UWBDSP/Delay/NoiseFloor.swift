import Numerics

/// The noise variance of a tap from the taps before the signal: the median of block means.
///
/// Powers of complex Gaussian noise average, over blocks of 16 taps, to Gamma(16, σ²/16); its median is 0.9793·σ². A
/// path that slips into some blocks moves a median hardly, where it would spoil a mean. With 40 blocks the estimate's
/// own relative deviation is 5 %. Where not even one block fits, the median of single powers stands in, whose median is
/// ln 2·σ². Cost O(taps).
///
/// Short windows, as some radios hand them over, are mostly signal: there the mean of the taps before it counts where it is lower.
struct NoiseFloor {
  static let blockTaps = 16
  /// Median of a Gamma(16, 1/16) variable (numerically, from the regularised incomplete gamma function).
  static let medianOfBlockMean = 0.97928
  private static let mostBlocks = 64
  /// Taps below which a window may be mostly signal.
  private static let shortWindow = 8 * blockTaps
  private static let leastLeadingTaps = 3
  /// −ln of the chance that a tap of noise is taken for signal.
  private static let strangeness = 5.0
  /// −ln of the chance of what noise does once in many CIRs.
  private static let strongDoubt = 12.0
  /// Taps of a pulse's rise that need not stand out of the noise.
  private static let riseTaps = 2

  /// The block means, and infinity behind them to the end of a vector of four.
  private let means = AlignedBuffer<Float>(count: mostBlocks, zero: .infinity)
  /// Powers of each block in four sums.
  private let sums = AlignedBuffer<Float>(count: 4 * mostBlocks, zero: 0)

  /// - Parameters:
  ///   - powers: |h|² of `count` taps.
  ///   - end: where signal may begin. Where fewer than eight blocks lie before it, all taps are used: the median
  ///     stands as long as signal fills less than half of them.
  /// - Returns: variance σ² = E|n|² of a tap.
  func estimate(_ powers: UnsafePointer<Float>, count: Int, before end: Int) -> Double {
    let quiet = end >= 8 * Self.blockTaps ? end : count
    let median = medianOfBlocks(powers, before: quiet)
    guard quiet == count, count < Self.shortWindow else { return median }
    return min(median, leadingNoise(powers, count: count))
  }

  /// The mean of the leading taps, up to the first that is too strong for noise of their mean. The rise of its pulse is left out. The mean is
  /// raised for what so few taps leave open.
  ///
  /// A tap of noise over the mean of n others has P(x > t) = (1 + t/n)^(−n), where a known variance has e^(−t). So x counts as
  /// n·ln(1 + x/n) alone. The variance is raised by the ratio of both at `strongDoubt`, where first paths are told from noise.
  private func leadingNoise(_ powers: UnsafePointer<Float>, count: Int) -> Double {
    let least = min(Self.leastLeadingTaps, count)
    var sum = 0.0
    for index in 0..<least { sum += Double(powers[index]) }
    var end = least
    while end < count {
      let number = Double(end)
      let limit = number * (Double.exp(Self.strangeness / number) - 1)
      guard Double(powers[end]) * number <= limit * sum else { break }
      sum += Double(powers[end])
      end += 1
    }
    if end < count {
      let kept = max(least, end - Self.riseTaps)
      for index in kept..<end { sum -= Double(powers[index]) }
      end = kept
    }
    guard end > 0 else { return 0 }
    return max(0, sum) * Self.strongDoubt / (Double(end * end) * Double.log(1 + Self.strongDoubt / Double(end)))
  }

  private func medianOfBlocks(_ powers: UnsafePointer<Float>, before quiet: Int) -> Double {
    let blocks = min(quiet / Self.blockTaps, Self.mostBlocks)
    guard blocks > 0 else {
      for index in 0..<quiet { means.pointer[index] = powers[index] }
      return median(of: quiet) / Double.log(2)
    }
    // The latest blocks before the signal: closest in time to what the noise is under the signal.
    let start = quiet - blocks * Self.blockTaps
    let share = 1 / Float(Self.blockTaps)
    var taps = powers + start
    let sums = sums.pointer
    for block in 0..<blocks {
      let four = (taps.load4(0) + taps.load4(8)) + (taps.load4(4) + taps.load4(12))
      UnsafeMutableRawPointer(sums + 4 &* block).storeBytes(of: four, as: SIMD4<Float>.self)
      taps += Self.blockTaps
    }
    // Not by lanes in the loop above: the compiler then takes its vectors apart.
    let means = means.pointer
    for block in 0..<blocks {
      let four = sums + 4 &* block
      means[block] = (four[0] + four[1] + four[2] + four[3]) * share
    }
    return median(of: blocks) / Self.medianOfBlockMean
  }

  /// The mean of the two middle ones of the first `count` means, which coincide for an odd count.
  ///
  /// By rank: how many are smaller is counted in vectors, without a branch. What lies on the wrong side of one that was
  /// counted already needs no count: some five or six are counted, on average.
  private func median(of count: Int) -> Double {
    guard count > 0 else { return 0 }
    let means = means.pointer
    let end = (count + 3) / 4 * 4
    for index in count..<end { means[index] = .infinity }
    let lower = Int32((count - 1) / 2)
    let upper = Int32(count / 2)
    var (below, above) = (-Float.infinity, Float.infinity)
    for index in 0..<count {
      let mean = means[index]
      guard mean > below, mean < above else { continue }
      guard number(before: end, where: { $0 .< mean }) <= lower else {
        above = mean
        continue
      }
      let upTo = number(before: end) { $0 .<= mean }
      guard upTo > lower else {
        below = mean
        continue
      }
      return Double(mean + (upTo > upper ? mean : next(after: mean, before: end))) / 2
    }
    // Not all of them are numbers: `PreparedTaps` calls such a CIR unusable.
    return 0
  }

  /// How many of the means before `end` are so; `end` is a multiple of four.
  @inline(__always)
  private func number(before end: Int, where isSo: (SIMD4<Float>) -> SIMDMask<SIMD4<Int32>>) -> Int32 {
    var counts = SIMD4<Int32>()
    var start = 0
    while start < end {
      counts &+= SIMD4<Int32>.zero.replacing(with: 1, where: isSo(means.pointer.load4(start)))
      start &+= 4
    }
    return counts.wrappedSum()
  }

  /// The smallest of the means before `end` that is larger than `mean`.
  private func next(after mean: Float, before end: Int) -> Float {
    var least = Float.infinity
    for index in 0..<end where means.pointer[index] > mean && means.pointer[index] < least {
      least = means.pointer[index]
    }
    return least
  }
}
