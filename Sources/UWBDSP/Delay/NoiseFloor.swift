import Numerics

/// The noise variance of a tap from the taps before the signal: the median of block means.
///
/// Powers of complex Gaussian noise average, over blocks of 16 taps, to Gamma(16, σ²/16); its median is 0.9793·σ². A
/// path that slips into some blocks moves a median hardly, where it would spoil a mean. With 40 blocks the estimate's
/// own relative deviation is 5 %. Where not even one block fits, the median of single powers stands in, whose median is
/// ln 2·σ². Cost O(taps).
struct NoiseFloor {
  static let blockTaps = 16
  /// Median of a Gamma(16, 1/16) variable (numerically, from the regularised incomplete gamma function).
  static let medianOfBlockMean = 0.97928
  private static let mostBlocks = 64

  private let means = AlignedBuffer<Float>(count: mostBlocks, zero: 0)

  /// - Parameters:
  ///   - powers: |h|² of `count` taps.
  ///   - end: where signal may begin. Where fewer than eight blocks lie before it, all taps are used: the median
  ///     stands as long as signal fills less than half of them.
  /// - Returns: variance σ² = E|n|² of a tap.
  func estimate(_ powers: UnsafePointer<Float>, count: Int, before end: Int) -> Double {
    let quiet = end >= 8 * Self.blockTaps ? end : count
    let blocks = min(quiet / Self.blockTaps, Self.mostBlocks)
    guard blocks > 0 else {
      for index in 0..<count { insert(powers[index], among: index) }
      return median(of: count) / Double.log(2)
    }
    // The latest blocks before the signal: closest in time to what the noise is under the signal.
    let start = quiet - blocks * Self.blockTaps
    for block in 0..<blocks {
      var sums = SIMD4<Float>()
      let base = powers + start + block * Self.blockTaps
      for offset in stride(from: 0, to: Self.blockTaps, by: 4) {
        sums += SIMD4(base[offset], base[offset + 1], base[offset + 2], base[offset + 3])
      }
      insert(sums.sum() / Float(Self.blockTaps), among: block)
    }
    return median(of: blocks) / Self.medianOfBlockMean
  }

  private func median(of count: Int) -> Double {
    guard count > 0 else { return 0 }
    return Double(means.pointer[count / 2] + means.pointer[(count - 1) / 2]) / 2
  }

  /// Keeps the first `sorted` means in ascending order.
  private func insert(_ mean: Float, among sorted: Int) {
    var position = sorted
    while position > 0, means.pointer[position - 1] > mean {
      means.pointer[position] = means.pointer[position - 1]
      position -= 1
    }
    means.pointer[position] = mean
  }
}
