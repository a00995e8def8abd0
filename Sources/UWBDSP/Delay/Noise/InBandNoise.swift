import CUWBKernels
import Numerics
import UWBPlatform

/// The noise that a pulse's band holds shortly before a path, as the variance of a tap of white noise that would leave as much.
///
/// What a receive filter passes lies in the pulse's own band, and there is more of it there than its variance tells. Bursts, another
/// transmitter's tail and the code's side lobes are noise to a first path as well. The taps go through a Gaussian of the pulse's
/// main-lobe width, and powers are averaged.
struct InBandNoise: Sendable {
  private static let taps = 64
  /// Taps before the path that may belong to its pulse.
  private static let rise = 10
  private static let least = 16
  private static let halfWidth = 3

  private static let leastBlocks = 4
  private static let mostBlocks = 8

  /// For 0 to 3 taps off; the sum of their squares, each taken as often as it counts, is 1.
  private let weights: SIMD4<Float>
  /// Median of a block's mean power over its mean, for white noise.
  private let medianOfBlockMean: Double

  init(_ receiver: ReceiverModel) {
    let width = FirstPathSearch.mainLobeWidth(receiver.pulse, receiver.tapSpacing)
    let shape = (0...Self.halfWidth).map { (tap: Int) -> Double in
      let deviations = Double(tap) / width
      return exp(-deviations * deviations / 2)
    }
    let sides = shape.dropFirst().reduce(0.0) { $0 + $1 * $1 }
    let norm = (shape[0] * shape[0] + 2 * sides).squareRoot()
    weights = SIMD4(shape.map { Float($0 / norm) })
    medianOfBlockMean = 1 - Self.relativeVariance(shape.map { $0 / norm }) / 3
  }

  /// Relative variance of a block's mean power: Σ|ρ(i − j)|²/n² over its pairs of taps, ρ the correlation of filtered white noise.
  ///
  /// A Gamma variable of relative variance v has the median 1 − v/3 of its mean.
  private static func relativeVariance(_ weights: [Double]) -> Double {
    let count = PreparedTaps.blockTaps
    func weight(_ tap: Int) -> Double { abs(tap) <= halfWidth ? weights[abs(tap)] : 0 }
    let sum = (1 - count..<count).reduce(0.0) { sum, lag in
      let correlation = (-halfWidth...halfWidth).reduce(0.0) { $0 + weight($1) * weight($1 + lag) }
      return sum + Double(count - abs(lag)) * correlation * correlation
    }
    return sum / Double(count * count)
  }

  /// `nil` where too few taps lie before `tap`.
  func variance(_ taps: PreparedTaps, before tap: Int) -> Double? {
    let end = min(tap - Self.rise, taps.count - Self.halfWidth)
    let first = max(Self.halfWidth, end - Self.taps)
    // Four taps at a time.
    let count = max(0, end - first) / 4 * 4
    guard count >= Self.least else { return nil }
    return Double(power(taps, from: first, count: count)) / Double(count)
  }

  /// The noise in the pulse's band over the taps' variance. Up to eight blocks between the CIR's start and the signal show it; `nil` where
  /// there are too few.
  ///
  /// The median of blocks' mean powers, as `NoiseFloor` takes it: a burst or a tail fills some of them.
  func excess(_ taps: PreparedTaps, before tap: Int) -> Double? {
    // The first block has no taps on one side.
    let blocks = (tap - PreparedTaps.guardTaps) / PreparedTaps.blockTaps - 1
    guard blocks >= Self.leastBlocks else { return nil }
    let count = min(blocks, Self.mostBlocks)
    // In order of size.
    var sums = SIMD8<Float>(repeating: .infinity)
    for index in 0..<count {
      let first = PreparedTaps.blockTaps * (1 + index * blocks / count)
      var sum = power(taps, from: first, count: PreparedTaps.blockTaps)
      for place in 0...index {
        let other = sums[place]
        sums[place] = min(sum, other)
        sum = max(sum, other)
      }
    }
    let median = Double(sums[(count - 1) / 2] + sums[count / 2]) / Double(2 * PreparedTaps.blockTaps)
    return median / (medianOfBlockMean * taps.noiseVariance)
  }

  /// Σ|z|² of filtered taps, a multiple of four.
  private func power(_ taps: PreparedTaps, from first: Int, count: Int) -> Float {
    let source = taps.taps(in: first - Self.halfWidth..<first + count + Self.halfWidth)
    return uwb_filtered_power(source + 2 * first, count, weights[0], weights[1], weights[2], weights[3])
  }
}
