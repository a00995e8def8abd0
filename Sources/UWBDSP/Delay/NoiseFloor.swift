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

  /// The block means, and infinity behind them, so that they are compared in whole vectors.
  private let means = AlignedBuffer<Float>(count: mostBlocks, zero: .infinity)

  /// - Parameters:
  ///   - powers: |h|² of `count` taps.
  ///   - end: where signal may begin. Where fewer than eight blocks lie before it, all taps are used: the median
  ///     stands as long as signal fills less than half of them.
  /// - Returns: variance σ² = E|n|² of a tap.
  func estimate(_ powers: UnsafePointer<Float>, count: Int, before end: Int) -> Double {
    let quiet = end >= 8 * Self.blockTaps ? end : count
    let blocks = min(quiet / Self.blockTaps, Self.mostBlocks)
    guard blocks > 0 else {
      for index in 0..<count { means.pointer[index] = powers[index] }
      return median(of: count) / Double.log(2)
    }
    // The latest blocks before the signal: closest in time to what the noise is under the signal.
    let start = quiet - blocks * Self.blockTaps
    for block in 0..<blocks {
      let base = UnsafeRawPointer(powers + start + block * Self.blockTaps)
      let taps = base.loadUnaligned(as: SIMD16<Float>.self)
      let halves = taps.lowHalf + taps.highHalf
      means.pointer[block] = (halves.lowHalf + halves.highHalf).sum() / Float(Self.blockTaps)
    }
    return median(of: blocks) / Self.medianOfBlockMean
  }

  /// The mean of the two middle ones of the first `count` means, which coincide for an odd count.
  ///
  /// By rank: how many are smaller is counted in vectors, without a branch; sorting mispredicts at every step.
  private func median(of count: Int) -> Double {
    guard count > 0 else { return 0 }
    for index in count..<Self.mostBlocks { means.pointer[index] = .infinity }
    let vectors = (count + 15) / 16
    let lower = Int32((count - 1) / 2)
    let upper = Int32(count / 2)
    var (low, high): (Float?, Float?)
    for index in 0..<count {
      let mean = means.pointer[index]
      var smaller = SIMD16<Int32>()
      var equal = SIMD16<Int32>()
      for vector in 0..<vectors {
        let others = UnsafeRawPointer(means.pointer + 16 * vector).loadUnaligned(as: SIMD16<Float>.self)
        smaller.replace(with: smaller &+ 1, where: others .< mean)
        equal.replace(with: equal &+ 1, where: others .== mean)
      }
      let first = smaller.wrappedSum()
      let last = first + equal.wrappedSum() - 1
      if first <= lower, lower <= last { low = mean }
      if first <= upper, upper <= last { high = mean }
      if let low, let high { return Double(low + high) / 2 }
    }
    // Not all of them are numbers: `PreparedTaps` calls such a CIR unusable.
    return 0
  }
}
