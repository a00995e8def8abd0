import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct BandLimitedInterpolationTests {
  private func noise(_ count: Int, seed: UInt64) -> [Complex<Float>] {
    var random = StatisticsRandom(seed: seed)
    return (0..<count).map { _ in
      let value = random.complexGaussian()
      return Complex(Float(value.real), Float(value.imaginary))
    }
  }

  private func double(_ samples: [Complex<Float>]) -> [Complex<Double>] {
    samples.map { Complex(Double($0.real), Double($0.imaginary)) }
  }

  @Test(arguments: [(2, 4), (4, 1), (8, 2), (16, 16), (64, 16)])
  func isTheTrigonometricPolynomial(window: Int, factor: Int) {
    let samples = noise(window, seed: UInt64(80 + window))
    let fine = BandLimitedInterpolation(windowTaps: window, factor: factor).interpolate(samples)
    #expect(fine.count == window * factor)
    for point in stride(from: 0, to: fine.count, by: max(1, fine.count / 61)) {
      let exact = NaiveFourier.interpolate(double(samples), at: Double(point) / Double(factor))
      let value = Complex(Double(fine[point].real), Double(fine[point].imaginary))
      #expect((value - exact).length < 5e-6)
    }
  }

  @Test(arguments: [1, 2, 16])
  func passesThroughTheSamples(factor: Int) {
    let samples = noise(64, seed: 90)
    let fine = BandLimitedInterpolation(windowTaps: 64, factor: factor).interpolate(samples)
    for (index, sample) in samples.enumerated() {
      #expect((fine[factor * index] - sample).length < 3e-6)
    }
  }

  /// A pulse in the middle of the window comes out as the pulse: what the window cuts off are tails below 10⁻³.
  @Test func interpolatesThePulse() {
    let samples = (0..<64).map { Complex<Float>(Float(PulseShape.standard((Double($0) - 30.37) * UWB.tap))) }
    let fine = BandLimitedInterpolation().interpolate(samples)
    for point in 200..<800 {
      let exact = PulseShape.standard((Double(point) / 16 - 30.37) * UWB.tap)
      #expect(abs(Double(fine[point].real) - exact) < 1e-3)
      #expect(abs(fine[point].imaginary) < 1e-6)
    }
  }

  @Test func dirtyWorkspaceGivesTheSameBits() {
    let interpolation = BandLimitedInterpolation(windowTaps: 64, factor: 16)
    let samples = noise(64, seed: 91)
    let input = AlignedBuffer<Float>(count: 128, zero: 0)
    for (index, sample) in samples.enumerated() {
      input.pointer[2 * index] = sample.real
      input.pointer[2 * index + 1] = sample.imaginary
    }
    let workspace = interpolation.makeWorkspace()
    for buffer in [workspace.window, workspace.spectrum, workspace.padded, workspace.fine] {
      for index in 0..<buffer.count { buffer.pointer[index] = .nan }
    }
    interpolation.run(input.pointer, using: workspace)
    let fine = (0..<1024).map { Complex(workspace.fine.pointer[2 * $0], workspace.fine.pointer[2 * $0 + 1]) }
    #expect(fine == interpolation.interpolate(samples))
  }

  @Test func refusesOtherSizes() async {
    await #expect(processExitsWith: .failure) { _ = BandLimitedInterpolation(windowTaps: 48, factor: 16) }
    await #expect(processExitsWith: .failure) { _ = BandLimitedInterpolation(windowTaps: 64, factor: 3) }
  }
}
