import Numerics

/// The Fourier transform over arrays: a convenience for users and tests, which allocates its result.
package enum FourierTransform {
  /// X[k] = Σ_n x[n]·exp(−j·2πkn/N), unscaled. `samples.count` is a power of two.
  package static func forward(_ samples: [Complex<Float>]) -> [Complex<Float>] {
    transform(samples, .forward)
  }

  /// x[n] = Σ_k X[k]·exp(+j·2πkn/N), unscaled: `inverse(forward(x))` is N·x.
  package static func inverse(_ spectrum: [Complex<Float>]) -> [Complex<Float>] {
    transform(spectrum, .inverse)
  }

  private static func transform(
    _ samples: [Complex<Float>], _ direction: FourierRecipe.Direction
  ) -> [Complex<Float>] {
    let plan = FourierRecipe(count: samples.count, direction: direction).makePlan()
    let input = AlignedBuffer<Float>(count: 2 * samples.count, zero: 0)
    let output = AlignedBuffer<Float>(count: 2 * samples.count, zero: 0)
    for (index, sample) in samples.enumerated() {
      input.pointer[2 * index] = sample.rawStorage.x
      input.pointer[2 * index + 1] = sample.rawStorage.y
    }
    plan.execute(input.pointer, into: output.pointer)
    return (0..<samples.count).map { Complex(output.pointer[2 * $0], output.pointer[2 * $0 + 1]) }
  }
}
