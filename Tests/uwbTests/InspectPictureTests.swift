import Numerics
import TestSupport
import Testing
import UWBDSP

@testable import uwb

@Suite("the picture of one CIR")
struct InspectPictureTests {
  /// Noise of variance 1 with the additive pattern of a DW1000, eight taps long, and one path.
  private static func drawing(at delay: Double, seed: UInt64) -> ImpulseResponseDrawing {
    var random = StatisticsRandom(seed: seed)
    func complex(_ scale: Double) -> Complex<Double> {
      Complex(
        length: scale * (-Double.log(1 - Double.random(in: 0..<1, using: &random))).squareRoot(),
        phase: Double.random(in: 0..<(2 * .pi), using: &random))
    }
    let profile = DeviceProfile.dw1000
    let pattern = (0..<8).map { _ in complex(2) }
    let taps = (0..<1016).map { tap -> Complex<Float> in
      let path = Complex<Double>(60 * profile.pulse((Double(tap) - delay) * UWB.tap))
      let sample = complex(1) + pattern[tap % 8] + path
      return Complex(Float(sample.real), Float(sample.imaginary))
    }
    let response = ChannelImpulseResponse(taps)
    return ImpulseResponseDrawing(
      capture: "x", exchange: 0, message: "poll",
      reception: Reception(time: DeviceTime(ticks: 0), chipFirstPathTaps: delay, impulseResponse: response),
      response: response, engine: RangingEngine(.init(profile: profile)))
  }

  /// The mean of 640 exponential powers about a pattern: relative deviation below 1/√640 · √2; the median of block means has twice that.
  @Test("the noise floor is that of the taps as they are drawn, beside that without the radio's pattern")
  func noiseFloor() throws {
    let picture = Self.drawing(at: 740.3, seed: 1).picture
    let powers = picture.magnitudes[0][0..<640].map { $0 * $0 }
    let mean = powers.reduce(0, +) / Double(powers.count)
    let floor = try #require(picture.noiseFloor)
    #expect(abs(floor * floor / mean - 1) < 0.35, "\(floor * floor) instead of \(mean)")
    let cleaned = try #require(picture.cleanedNoiseFloor)
    #expect(abs(cleaned * cleaned - 1) < 0.35)
    #expect(floor > 1.4 * cleaned)
  }

  @Test("the curve between the taps goes through them all, up to the last", arguments: [740.3, 10.2, 1009.6])
  func interpolation(_ delay: Double) throws {
    let picture = Self.drawing(at: delay, seed: 2).picture
    let curve = try #require(picture.interpolated)
    #expect(curve.taps.first == picture.closeUp.lowerBound && curve.taps.last == picture.closeUp.upperBound)
    for (tap, magnitude) in zip(curve.taps, curve.magnitudes) where tap == tap.rounded() {
      #expect(abs(magnitude - picture.magnitudes[0][Int(tap)]) < 1e-3, "tap \(tap)")
    }
  }
}
