import Numerics
import Testing
import UWBDSP
import UWBPlatform
import UWBSimulation

@Suite struct FrequencyDependenceTests {
  /// The transform of a path's taps, at `frequency` Hz from the carrier.
  private func spectrum(_ samples: [Complex<Float>], centre: Double, at frequency: Double) -> Complex<Double> {
    samples.enumerated().reduce(into: Complex<Double>.zero) { sum, item in
      let angle = -2 * .pi * frequency * (Double(item.offset) - centre) * UWB.tap
      sum += Complex(cos(angle), sin(angle)) * Complex(Double(item.element.real), Double(item.element.imaginary))
    }
  }

  @Test(arguments: [1.53, 1.12, -1.427, 0.03])
  func spectrumFollowsThePowerLaw(_ exponent: Double) {
    let carrier = 6489.6e6
    let centre = 128.37
    let path = Path(delay: 0, amplitude: Complex(0.6, -0.8))
    let plain = ImpulseResponseSynthesizer(tapCount: 256).noiseless([path], onsetTaps: centre)
    let tilted = ImpulseResponseSynthesizer(
      tapCount: 256, frequencyDependence: FrequencyDependence(exponent: exponent, carrier: carrier)
    ).noiseless([path], onsetTaps: centre)
    for megahertz in stride(from: -240.0, through: 240, by: 40) {
      let frequency = megahertz * 1e6
      let ratio =
        spectrum(tilted, centre: centre, at: frequency) / spectrum(plain, centre: centre, at: frequency)
      let expected = pow(1 + frequency / carrier, -exponent)
      #expect((ratio - Complex(expected)).length < 3e-4, "\(megahertz) MHz: \(ratio) is not \(expected)")
    }
  }

  @Test func noExponentChangesNothing() {
    let path = Path(delay: 0, amplitude: Complex(1, 2))
    let plain = ImpulseResponseSynthesizer(tapCount: 64).noiseless([path], onsetTaps: 30.2)
    let same = ImpulseResponseSynthesizer(
      tapCount: 64, frequencyDependence: FrequencyDependence(exponent: 0, carrier: 8e9)
    ).noiseless([path], onsetTaps: 30.2)
    #expect(plain == same)
  }
}
