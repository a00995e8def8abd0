import Numerics
import TestSupport
import Testing
import UWBPlatform

@testable import UWBDSP

@Suite struct InBandNoiseTests {
  private static let tapCount = 640
  private static let signalTap = 600

  /// Neighbours correlated by ½.
  private static func coloured(_ random: inout StatisticsRandom) -> [Complex<Float>] {
    var before = random.complexGaussian(variance: 0.5)
    return (0..<tapCount).map { _ in
      let next = random.complexGaussian(variance: 0.5)
      let sum = before + next
      before = next
      return Complex(Float(sum.real), Float(sum.imaginary))
    }
  }

  private static func excess(_ samples: [Complex<Float>], _ taps: PreparedTaps) -> Double? {
    var samples = samples
    samples[signalTap] = Complex(100, 0)
    taps.load(ChannelImpulseResponse(samples), antenna: 0)
    return InBandNoise(ReceiverModel()).excess(taps, before: signalTap)
  }

  /// A filter of weights w with Σw² = 1 passes 1 + 2·½·Σ w[k]·w[k + 1] of such noise.
  private static var expected: Double {
    let width = FirstPathSearch.mainLobeWidth(.standard, UWB.tap)
    let shape = (-3...3).map { Double.exp(-Double($0 * $0) / (2 * width * width)) }
    let neighbours = zip(shape, shape.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
    return 1 + neighbours / shape.reduce(0) { $0 + $1 * $1 }
  }

  /// A median of eight blocks scatters by a sixth, and that of coloured noise lies up to 4 % lower.
  @Test(arguments: [false, true])
  func excessIsWhatTheFilterPasses(isColoured: Bool) throws {
    var random = StatisticsRandom(seed: 670)
    let taps = PreparedTaps(tapCount: Self.tapCount)
    let trials = 400
    var errors = StatisticsErrors()
    for _ in 0..<trials {
      let white = (0..<Self.tapCount).map { _ -> Complex<Float> in
        let value = random.complexGaussian(variance: 1)
        return Complex(Float(value.real), Float(value.imaginary))
      }
      let found = try #require(Self.excess(isColoured ? Self.coloured(&random) : white, taps))
      errors.add(found / (isColoured ? Self.expected : 1) - 1)
    }
    #expect(Self.expected > 1.5)
    #expect(abs(errors.mean) < StatisticsLimits.mean(deviation: 1.0 / 6, trials: trials) + 0.04)
    #expect(errors.rootMeanSquare < 0.25)
  }

  /// A burst of the pulse's band in a fifth of the taps leaves most blocks alone.
  @Test func aBurstIsNoColour() throws {
    var random = StatisticsRandom(seed: 671)
    let taps = PreparedTaps(tapCount: Self.tapCount)
    var errors = StatisticsErrors()
    for _ in 0..<200 {
      let burst = Self.coloured(&random)
      let samples = (0..<Self.tapCount).map { tap -> Complex<Float> in
        let value = random.complexGaussian(variance: 1)
        let scale: Float = (200..<320).contains(tap) ? 10 : 0
        return Complex(
          Float(value.real) + scale * burst[tap].real, Float(value.imaginary) + scale * burst[tap].imaginary)
      }
      errors.add(try #require(Self.excess(samples, taps)))
    }
    #expect(errors.mean < 1.35)
  }

  @Test func tooFewBlocksSayNothing() {
    let taps = PreparedTaps(tapCount: Self.tapCount)
    taps.load(ChannelImpulseResponse([Complex<Float>](repeating: Complex(1, 0), count: Self.tapCount)), antenna: 0)
    let noise = InBandNoise(ReceiverModel())
    let least = PreparedTaps.guardTaps + 5 * PreparedTaps.blockTaps
    #expect(noise.excess(taps, before: least - 1) == nil)
    #expect(noise.excess(taps, before: least) != nil)
    #expect(noise.excess(taps, before: -50) == nil)
  }
}
