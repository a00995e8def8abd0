import Numerics
import UWBPlatform

/// Variates of the distributions that channels and clocks are made of.
extension SeededGenerator {
  /// Uniform in the open interval (0, 1): a logarithm of it is finite.
  @inlinable
  public mutating func uniform() -> Double {
    (Double(next() >> 12) + 0.5) * 0x1p-52
  }

  /// Uniform in `range`.
  public mutating func uniform(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// Uniform in the logarithm, in `range` of positive numbers.
  public mutating func logUniform(in range: ClosedRange<Double>) -> Double {
    pow(range.upperBound / range.lowerBound, uniform()) * range.lowerBound
  }

  /// A uniform phase, 0 ..< 2π rad.
  public mutating func phase() -> Double {
    2 * .pi * uniform()
  }

  /// exp(jφ) with uniform φ.
  public mutating func unitPhasor() -> Complex<Double> {
    let angle = phase()
    return Complex(cos(angle), sin(angle))
  }

  /// Normal with mean 0 and standard deviation 1.
  public mutating func normal() -> Double {
    NormalZiggurat.shared.draw(using: &self)
  }

  /// Circular complex normal with E|z|² = `variance`.
  public mutating func complexNormal(variance: Double = 1) -> Complex<Double> {
    let deviation = (variance / 2).squareRoot()
    let real = normal()
    return Complex(deviation * real, deviation * normal())
  }

  /// Exponential with mean `mean`, by inversion.
  public mutating func exponential(mean: Double = 1) -> Double {
    -mean * log(uniform())
  }

  /// Gamma with density ∝ x^(shape−1)·e^(−x/scale); mean shape · scale.
  ///
  /// Marsaglia & Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3), 2000; shapes below 1 by their
  /// power transform.
  ///
  /// - Precondition: `shape` > 0.
  public mutating func gamma(shape: Double, scale: Double = 1) -> Double {
    precondition(shape > 0, "a gamma variate of shape \(shape) doesn't exist")
    guard shape >= 1 else { return gamma(shape: shape + 1, scale: scale) * pow(uniform(), 1 / shape) }
    let d = shape - 1.0 / 3
    let c = 1 / (9 * d).squareRoot()
    while true {
      let x = normal()
      let root = 1 + c * x
      guard root > 0 else { continue }
      let v = root * root * root
      if log(uniform()) < 0.5 * x * x + d - d * v + d * log(v) { return scale * d * v }
    }
  }

  /// A power factor whose decibels (10·log₁₀) are normal.
  public mutating func lognormalPower(meandB: Double, deviationdB: Double) -> Double {
    pow(10, (meandB + deviationdB * normal()) / 10)
  }

  /// Poisson with mean `mean`; the time grows with the mean.
  ///
  /// Products of uniforms (Knuth, TAOCP 2, 3.4.1), in parts of mean 16 and below so that e^(−mean) stays far from the
  /// smallest number.
  public mutating func poisson(mean: Double) -> Int {
    var count = 0
    var remaining = mean
    while remaining > 0 {
      let part = min(remaining, 16)
      remaining -= part
      let limit = exp(-part)
      var product = uniform()
      while product > limit {
        count += 1
        product *= uniform()
      }
    }
    return count
  }

  /// Adds circular complex white noise of variance `variance` a tap (half of it in each part) to every sample.
  public mutating func addNoise(variance: Double, to samples: inout [Complex<Float>]) {
    samples.withUnsafeMutableBufferPointer { addNoise(variance: variance, to: $0) }
  }

  mutating func addNoise(variance: Double, to samples: UnsafeMutableBufferPointer<Complex<Float>>) {
    let deviation = (variance / 2).squareRoot()
    guard deviation > 0 else { return }
    let table = NormalZiggurat.shared
    // A local copy lets the compiler keep the state in registers.
    var generator = self
    table.edges.withUnsafeBufferPointer { edges in
      table.heights.withUnsafeBufferPointer { heights in
        for index in samples.indices {
          let real = NormalZiggurat.draw(edges: edges, heights: heights, using: &generator)
          let imaginary = NormalZiggurat.draw(edges: edges, heights: heights, using: &generator)
          let raw = samples[index].rawStorage
          samples[index] = Complex(raw.x + Float(deviation * real), raw.y + Float(deviation * imaginary))
        }
      }
    }
    self = generator
  }
}
