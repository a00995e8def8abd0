import Numerics
import UWBDSP
import UWBPlatform

/// Draws noise of a given correlation: white noise through the filter whose gain is the square root of its spectrum.
///
/// The filter is real and symmetric, g[k] = 1/2π·∫ √S(ω)·cos(kω) dω for |k| ≤ 64, scaled so that the power is right. What
/// lies beyond falls as 1/k² for a raised cosine's spectrum: correlations are met within a thousandth.
struct NoiseColouring: Sendable {
  private static let reach = 64
  /// g[0 … 2·reach], the middle at `reach`.
  private let filter: [Float]

  init(_ correlation: NoiseCorrelation) {
    let steps = 2048
    var filter = [Double](repeating: 0, count: 2 * Self.reach + 1)
    let roots = (0..<steps).map { index in
      max(0, correlation.density(.pi * (Double(index) + 0.5) / Double(steps))).squareRoot()
    }
    for lag in 0...Self.reach {
      var sum = 0.0
      for (index, root) in roots.enumerated() {
        sum += root * cos(.pi * (Double(index) + 0.5) / Double(steps) * Double(lag))
      }
      filter[Self.reach + lag] = sum / Double(steps)
      filter[Self.reach - lag] = sum / Double(steps)
    }
    let power = filter.reduce(0) { $0 + $1 * $1 }
    self.filter = filter.map { Float($0 / power.squareRoot()) }
  }

  /// Adds circular complex noise of `variance` a tap; allocates its white noise.
  func addNoise(variance: Double, to samples: inout [Complex<Float>], using generator: inout SeededGenerator) {
    var white = [Complex<Float>](repeating: .zero, count: samples.count + 2 * Self.reach)
    generator.addNoise(variance: variance, to: &white)
    for index in samples.indices {
      var sum = SIMD2<Float>()
      for lag in filter.indices {
        let sample = white[index + lag].rawStorage
        sum += filter[lag] * SIMD2(sample.x, sample.y)
      }
      let own = samples[index].rawStorage
      samples[index] = Complex(own.x + sum.x, own.y + sum.y)
    }
  }
}
