import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct FourierPlanTests {
  private func noise(_ count: Int, seed: UInt64) -> [Complex<Float>] {
    var random = StatisticsRandom(seed: seed)
    return (0..<count).map { _ in
      let value = random.complexGaussian()
      return Complex(Float(value.real), Float(value.imaginary))
    }
  }

  /// Relative error of a transform in single precision: about ε·√(log₂ N) (Gentleman & Sande 1966), 6·10⁻⁸·√12 at
  /// most here; 10⁻⁶ is a wide margin that any wrong twiddle breaks.
  private func expectClose(_ a: [Complex<Float>], _ b: [Complex<Double>], _ limit: Double = 1e-6) {
    var error = 0.0
    var size = 0.0
    for (x, y) in zip(a, b) {
      error += (Complex(Double(x.real), Double(x.imaginary)) - y).lengthSquared
      size += y.lengthSquared
    }
    #expect(a.count == b.count)
    #expect((error / max(size, .leastNormalMagnitude)).squareRoot() < limit)
  }

  private func double(_ samples: [Complex<Float>]) -> [Complex<Double>] {
    samples.map { Complex(Double($0.real), Double($0.imaginary)) }
  }

  @Test(arguments: (0...10).map { 1 << $0 })
  func agreesWithTheDefinition(count: Int) {
    let samples = noise(count, seed: UInt64(50 + count))
    expectClose(FourierTransform.forward(samples), NaiveFourier.transform(double(samples), sign: -1))
    expectClose(FourierTransform.inverse(samples), NaiveFourier.transform(double(samples), sign: 1))
  }

  @Test(arguments: (0...12).map { 1 << $0 }, [FourierRecipe.Direction.forward, .inverse])
  func theTransformWithoutFFTWGivesTheSame(count: Int, direction: FourierRecipe.Direction) {
    let recipe = FourierRecipe(count: count, direction: direction)
    let input = AlignedBuffer<Float>(count: 2 * count, zero: 0)
    for (index, sample) in noise(count, seed: UInt64(80 + count)).enumerated() {
      (input.pointer[2 * index], input.pointer[2 * index + 1]) = (sample.real, sample.imaginary)
    }
    func transformed(_ transform: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) -> Void) -> [Complex<
      Float
    >] {
      let output = AlignedBuffer<Float>(count: 2 * count, zero: .nan)
      transform(input.pointer, output.pointer)
      return (0..<count).map { Complex(output.pointer[2 * $0], output.pointer[2 * $0 + 1]) }
    }
    let plain = PlainTransform(recipe)
    expectClose(
      transformed { plain.execute($0, into: $1) }, double(transformed { recipe.makePlan().execute($0, into: $1) }))
  }

  /// The sizes whose naive transform takes seconds: some bins by the definition, and a tone in one bin.
  @Test(arguments: [2048, 4096])
  func largeSizesAgreeInSampledBins(count: Int) {
    let samples = noise(count, seed: UInt64(count))
    let spectrum = FourierTransform.forward(samples)
    let scale = Double(count).squareRoot()
    for bin in [0, 1, 7, count / 2 - 1, count / 2, count - 1] {
      var sum = Complex<Double>.zero
      for (n, sample) in double(samples).enumerated() {
        let angle = -2 * Double.pi * Double(n * bin % count) / Double(count)
        sum += sample * Complex(Double.cos(angle), Double.sin(angle))
      }
      let value = Complex(Double(spectrum[bin].real), Double(spectrum[bin].imaginary))
      #expect((value - sum).length < 1e-5 * scale)
    }
    let tone = (0..<count).map { n in
      let angle = 2 * Double.pi * Double(5 * n % count) / Double(count)
      return Complex(Float(Double.cos(angle)), Float(Double.sin(angle)))
    }
    for (bin, value) in FourierTransform.forward(tone).enumerated() {
      #expect(abs(Double(value.length) - (bin == 5 ? Double(count) : 0)) < 1e-2)
    }
  }

  @Test(arguments: (0...12).map { 1 << $0 })
  func inverseUndoesForward(count: Int) {
    let samples = noise(count, seed: UInt64(60 + count))
    let back = FourierTransform.inverse(FourierTransform.forward(samples))
    expectClose(back.map { $0 / Complex(Float(count)) }, double(samples))
  }

  @Test(arguments: [8, 64, 1024])
  func isLinear(count: Int) {
    let a = noise(count, seed: 71)
    let b = noise(count, seed: 72)
    let factor = Complex<Float>(0.3, -1.7)
    let together = FourierTransform.forward(zip(a, b).map { $0 + factor * $1 })
    let apart = zip(double(FourierTransform.forward(a)), double(FourierTransform.forward(b))).map {
      $0 + Complex(0.3, -1.7) * $1
    }
    expectClose(together, apart, 2e-6)
  }

  @Test func plansAreSharedAndRepeatable() {
    let recipe = FourierRecipe(count: 256, direction: .forward)
    #expect(recipe.makePlan() === recipe.makePlan())
    #expect(recipe.makePlan() !== FourierRecipe(count: 256, direction: .inverse).makePlan())
    let samples = noise(256, seed: 73)
    #expect(FourierTransform.forward(samples) == FourierTransform.forward(samples))
  }

  @Test(arguments: [16, 512])
  func dirtyOutputDoesNotMatter(count: Int) {
    let plan = FourierRecipe(count: count, direction: .forward).makePlan()
    let samples = noise(count, seed: 74)
    let input = AlignedBuffer<Float>(count: 2 * count, zero: 0)
    let output = AlignedBuffer<Float>(count: 2 * count, zero: .nan)
    for (index, sample) in samples.enumerated() {
      input.pointer[2 * index] = sample.real
      input.pointer[2 * index + 1] = sample.imaginary
    }
    plan.execute(input.pointer, into: output.pointer)
    let once = (0..<2 * count).map { output.pointer[$0] }
    for (index, sample) in samples.enumerated() {
      input.pointer[2 * index] = sample.real
      input.pointer[2 * index + 1] = sample.imaginary
    }
    plan.execute(input.pointer, into: output.pointer)
    #expect(once == (0..<2 * count).map { output.pointer[$0] })
    #expect(once.allSatisfy { $0.isFinite })
  }

  /// Planning from many threads at once is what FFTW itself does not survive.
  @Test func manyThreadsPlanAndExecute() async {
    let counts = (0...12).map { 1 << $0 }
    let expected = counts.map { FourierTransform.forward(noise($0, seed: 75)) }
    await withTaskGroup(of: Bool.self) { group in
      for worker in 0..<16 {
        group.addTask {
          (0..<counts.count).allSatisfy { step in
            let index = (step + worker) % counts.count
            return FourierTransform.forward(noise(counts[index], seed: 75)) == expected[index]
          }
        }
      }
      for await same in group { #expect(same) }
    }
  }

  @Test(arguments: [64, 1024])
  func buffersAreAligned(count: Int) {
    let buffer = AlignedBuffer<Float>(count: count, zero: 3)
    #expect(Int(bitPattern: buffer.pointer) % 64 == 0)
    #expect(buffer.count == count)
    #expect((0..<count).allSatisfy { buffer.pointer[$0] == 3 })
  }

  @Test func refusesOtherLengths() async {
    await #expect(processExitsWith: .failure) { _ = FourierRecipe(count: 1016, direction: .forward) }
    await #expect(processExitsWith: .failure) { _ = FourierRecipe(count: 0, direction: .forward) }
  }
}
