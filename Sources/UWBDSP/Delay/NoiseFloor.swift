import Numerics

/// The noise variance of a tap from the taps before the signal: the median of block means.
///
/// Powers of complex Gaussian noise average, over blocks of 16 taps, to Gamma(16, σ²/16); its median is 0.9793·σ². A
/// path that slips into some blocks moves a median hardly, where it would spoil a mean. With 40 blocks the estimate's
/// own relative deviation is 5 %. Where not even one block fits, the median of single powers stands in, whose median is
/// ln 2·σ². Cost O(taps).
///
/// Short windows, as some radios hand them over, are mostly signal: there the least mean of the first taps counts where it is lower.
struct NoiseFloor {
  static let blockTaps = 16
  /// Median of a Gamma(16, 1/16) variable (numerically, from the regularised incomplete gamma function).
  static let medianOfBlockMean = 0.97928
  private static let mostBlocks = 64
  /// Taps below which a window may be mostly signal.
  private static let shortWindow = 8 * blockTaps

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
    if quiet == count, count < Self.shortWindow {
      return min(medianOfBlocks(powers, before: count), leastLeadingMean(powers, count: count))
    }
    return medianOfBlocks(powers, before: quiet)
  }

  /// The least mean of the first m taps, m ≥ 3, each raised by three of its standard deviations: with so few taps, the least of
  /// several means would be too low.
  private func leastLeadingMean(_ powers: UnsafePointer<Float>, count: Int) -> Double {
    var least = Double.infinity
    var sum = 0.0
    for index in 0..<count {
      sum += Double(powers[index])
      let number = Double(index + 1)
      if index >= 2 { least = min(least, sum / number * (1 + 3 / number.squareRoot())) }
    }
    return least
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
