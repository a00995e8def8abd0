import Numerics
import Testing
import UWBDSP
import UWBSimulation

@Suite struct AccumulatorQuantisationTests {
  @Test func roundsToTheNearestCount() {
    let samples = [Complex<Float>(0.5, -0.25), Complex(0.00004, 0.99)]
    let cir = AccumulatorQuantisation.fullScale(1).impulseResponse(samples)
    #expect(cir.format == .int16)
    #expect(cir.scale == Float(1.0 / 32767))
    for (stored, sample) in zip(cir.samples(), samples) {
      #expect(abs(stored.real - sample.real) <= 0.5001 / 32767)
      #expect(abs(stored.imaginary - sample.imaginary) <= 0.5001 / 32767)
    }
  }

  @Test func saturatesEvenly() {
    let cir = AccumulatorQuantisation.fullScale(1).impulseResponse([Complex(5, -5)])
    #expect(cir.storage.withBytes { $0.load(fromByteOffset: 0, as: Int16.self) } == 32767)
    #expect(cir.storage.withBytes { $0.load(fromByteOffset: 2, as: Int16.self) } == -32767)
  }

  @Test func gainControlUsesTheLargestPart() {
    let cir = AccumulatorQuantisation.automaticGain(peakCounts: 1000).impulseResponse([Complex(0.2, -4), Complex(1, 1)])
    #expect(cir.storage.withBytes { $0.load(fromByteOffset: 2, as: Int16.self) } == -1000)
    #expect(cir.storage.withBytes { $0.load(fromByteOffset: 4, as: Int16.self) } == 250)
    #expect(abs(cir.samples()[0].imaginary + 4) < 1e-5)
  }

  @Test func accumulationScalesWithTheSymbols() {
    let one = AccumulatorQuantisation.accumulated(preambleCount: 64, countsPerSymbol: 20)
    let two = AccumulatorQuantisation.accumulated(preambleCount: 128, countsPerSymbol: 20)
    let a = one.impulseResponse([Complex(1, 0)])
    let b = two.impulseResponse([Complex(1, 0)])
    #expect(a.storage.withBytes { $0.load(fromByteOffset: 0, as: Int16.self) } == 1280)
    #expect(b.storage.withBytes { $0.load(fromByteOffset: 0, as: Int16.self) } == 2560)
    #expect(abs(a.samples()[0].real - 1) < 1e-6 && abs(b.samples()[0].real - 1) < 1e-6)
  }

  @Test func zerosStayZeros() {
    let cir = AccumulatorQuantisation.automaticGain(peakCounts: 1000).impulseResponse([Complex(0, 0)])
    #expect(cir.samples() == [Complex(0, 0)])
  }

  @Test func roundingNoiseIsATwelfthOfASquaredCount() {
    var generator = SeededGenerator(seed: 8)
    let samples = (0..<20_000).map { _ in
      Complex<Float>(Float(generator.uniform(in: -0.9...0.9)), Float(generator.uniform(in: -0.9...0.9)))
    }
    let cir = AccumulatorQuantisation.fullScale(32.767).impulseResponse(samples)
    let errors = zip(cir.samples(), samples).flatMap { [$0.real - $1.real, $0.imaginary - $1.imaginary] }
    let variance = errors.reduce(0.0) { $0 + Double($1 * $1) } / Double(errors.count)
    // The square of a uniform error has mean 1/12 and variance 1/180.
    let count = 1e-3 * 1e-3
    let bound = 5 * (1 / 180.0 / Double(errors.count)).squareRoot()
    #expect(abs(variance / count - 1.0 / 12) < bound, "seed 8")
  }
}
