import Numerics
import Testing
import UWBDSP

@testable import UWBSimulation

@Suite("coloured noise")
struct NoiseColouringTests {
  @Test("simulated noise has the power and the correlation that were asked for")
  func correlation() throws {
    let noise = try #require(NoiseCorrelation.matchedFilter(.standard))
    let colouring = NoiseColouring(noise)
    var generator = SeededGenerator(seed: 21)
    let count = 60_000
    var samples = [Complex<Float>](repeating: .zero, count: count)
    colouring.addNoise(variance: 4, to: &samples, using: &generator)
    // A sample correlation of N taps scatters by √(Σ r²/N) at most, relative to the variance; five of them.
    let squares = noise.lags.dropFirst().reduce(1) { $0 + 2 * $1 * $1 }
    let limit = 5 * (squares / Double(count)).squareRoot()
    for lag in 0...12 {
      var sum = Complex<Double>.zero
      for index in 0..<count - lag {
        let (a, b) = (samples[index + lag].rawStorage, samples[index].rawStorage)
        sum += Complex(Double(a.x * b.x + a.y * b.y), Double(a.y * b.x - a.x * b.y))
      }
      let mean = sum / Complex(Double(count - lag) * 4)
      #expect(abs(mean.real - noise(lag)) < limit, "lag \(lag)")
      #expect(abs(mean.imaginary) < limit, "lag \(lag)")
    }
  }
}
