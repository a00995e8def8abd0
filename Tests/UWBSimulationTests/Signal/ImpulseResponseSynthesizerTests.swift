import Numerics
import Testing
import UWBDSP
import UWBPlatform

@testable import UWBSimulation

@Suite struct ImpulseResponseSynthesizerTests {
  /// Every tap of every path, straight from the definition.
  private func naive(
    _ paths: [Path], onsetTaps: Double, by synthesizer: ImpulseResponseSynthesizer
  ) -> [Complex<Double>] {
    let positions = synthesizer.array?.positions ?? [.zero]
    let carrier = synthesizer.array?.carrier ?? 1
    return positions.flatMap { position in
      (0..<synthesizer.tapCount).map { tap in
        paths.reduce(into: Complex<Double>.zero) { sum, path in
          let advance = ((path.direction ?? .zero) * position).sum() / synthesizer.propagationSpeed
          let time = (Double(tap) - onsetTaps) * synthesizer.tapSpacing - path.delay + advance
          let angle = 2 * Double.pi * carrier * advance
          sum += path.amplitude * Complex(cos(angle), sin(angle)) * Complex(synthesizer.pulse(time))
        }
      }
    }
  }

  private static let measured = MeasuredPulse(
    samples: (0..<201).map { exp(-pow((Double($0) - 80) / 20, 2)) }, spacing: UWB.tap / 20, peakPosition: 80)

  @Test(
    arguments: [
      PulseShape.standard, .rootRaisedCosine(rolloff: 0.5, period: 1 / UWB.chipRate), .measured(measured),
    ])
  func agreesWithDefinition(_ pulse: PulseShape) {
    let array = AntennaArray(
      positions: [SIMD3(0.2, -0.1, 0), SIMD3(-0.1, 0.3, 0.05)], carrier: 6489.6e6)
    let synthesizer = ImpulseResponseSynthesizer(pulse: pulse, array: array, tapCount: 256)
    var generator = SeededGenerator(seed: 11)
    for round in 0..<20 {
      let paths = (0..<4).map { _ in
        Path(
          delay: generator.uniform(in: 0...40e-9), amplitude: generator.complexNormal(),
          direction: Direction.unitVector(
            azimuth: generator.uniform(in: -3...3), elevation: generator.uniform(in: -1...1)))
      }
      let onset = generator.uniform(in: 60...200)
      let got = synthesizer.noiseless(paths, onsetTaps: onset)
      let expected = naive(paths, onsetTaps: onset, by: synthesizer)
      let largest = paths.reduce(0) { $0 + $1.amplitude.length }
      // Truncation, single precision, and a cubic table over a pulse whose second derivative jumps.
      let bound = (synthesizer.truncation + (pulse == .standard ? 3e-7 : 2e-6)) * largest
      for (a, b) in zip(got, expected) {
        let error = (Complex<Double>(Double(a.real), Double(a.imaginary)) - b).length
        #expect(error <= bound, "round \(round), onset \(onset)")
      }
    }
  }

  @Test(arguments: [1e-3, 1e-5, 1e-6])
  func truncationIsAsStated(_ truncation: Double) {
    let synthesizer = ImpulseResponseSynthesizer(truncation: truncation)
    let half = synthesizer.pulseHalfWidthTaps
    #expect(half < 256)
    for step in 0..<4000 {
      let distance = Double(half + 1) + Double(step) * 0.07
      #expect(abs(synthesizer.pulse(distance * UWB.tap)) < truncation)
    }
    // No wider than it must be.
    let edge = (0..<8).map { abs(synthesizer.pulse((Double(half) - Double($0) / 4) * UWB.tap)) }
    #expect((edge.max() ?? 0) >= truncation)
  }

  @Test func pathPeaksWhereItsDelaySays() {
    let synthesizer = ImpulseResponseSynthesizer()
    let path = Path(delay: 2.5 * UWB.tap, amplitude: Complex(3, 4))
    let samples = synthesizer.noiseless([path], onsetTaps: 740.5)
    let peak = samples.indices.max { samples[$0].length < samples[$1].length }
    #expect(peak == 743)
    #expect((samples[743] - Complex(3, 4)).length < 1e-5)
    // One tap is half a chip: p(T/2) = 0.6002 for β = 0.5.
    #expect(abs(samples[744].length / 5 - 0.600211) < 1e-5)
    // Two taps are one chip: the Nyquist null.
    #expect(samples[745].length < 1e-5)
  }

  @Test func edgesOfTheAccumulatorCut() {
    let synthesizer = ImpulseResponseSynthesizer(tapCount: 64)
    for onset in [-1e9, -70, -2.3, -0.5, 0, 63, 63.7, 66, 200, 1e9] {
      let samples = synthesizer.noiseless([Path(delay: 0, amplitude: Complex(1))], onsetTaps: onset)
      for (tap, sample) in samples.enumerated() {
        let expected = PulseShape.standard((Double(tap) - onset) * UWB.tap)
        #expect(abs(Double(sample.real) - expected) < 1.1e-5)
      }
    }
  }

  @Test func antennaPhaseAndDelayByHand() {
    // λ = 40 mm; an antenna a quarter of it to the right, one a quarter up.
    let carrier = UWB.speedOfLightInAir / 0.04
    let array = AntennaArray(positions: [.zero, SIMD3(0.01, 0, 0), SIMD3(0, 0.01, 0)], carrier: carrier)
    let synthesizer = ImpulseResponseSynthesizer(array: array, tapCount: 64)
    func response(_ azimuth: Double, _ elevation: Double, _ antenna: Int) -> (delay: Double, degrees: Double) {
      let path = Path(
        delay: 0, amplitude: Complex(1),
        direction: Direction.unitVector(azimuth: azimuth * .pi / 180, elevation: elevation * .pi / 180))
      let seen = synthesizer.response(of: path, antenna: antenna)
      return (seen.delay, seen.amplitude.phase * 180 / .pi)
    }
    // From the right: the right antenna leads by 90°, and hears it 10 mm / c = 33.37 ps sooner.
    #expect(abs(response(90, 0, 1).degrees - 90) < 1e-9)
    #expect(abs(response(90, 0, 1).delay + 33.366e-12) < 1e-15)
    #expect(abs(response(90, 0, 0).degrees) < 1e-9)
    #expect(abs(response(90, 0, 2).degrees) < 1e-9)
    // From the left it lags.
    #expect(abs(response(-90, 0, 1).degrees + 90) < 1e-9)
    // 30° to the right: sin 30° = ½.
    #expect(abs(response(30, 0, 1).degrees - 45) < 1e-9)
    // Straight ahead: no difference.
    #expect(abs(response(0, 0, 1).degrees) < 1e-9)
    // From above, the upper antenna leads.
    #expect(abs(response(0, 30, 2).degrees - 45) < 1e-9)
    #expect(abs(response(0, -30, 2).degrees + 45) < 1e-9)

    // The same in the samples: arg(h₁ · conj(h₀)), near enough as the pulses are 0.033 taps apart.
    let path = Path(
      delay: 0, amplitude: Complex(0.3, -0.8), direction: Direction.unitVector(azimuth: .pi / 6, elevation: 0))
    let samples = synthesizer.noiseless([path], onsetTaps: 30)
    let difference = (samples[64 + 30] * samples[30].conjugate).phase
    #expect(abs(difference * 180 / .pi - 45) < 1e-3)
  }

  @Test func noiseVarianceIsAsAsked() {
    let synthesizer = ImpulseResponseSynthesizer(tapCount: 20_000)
    var generator = SeededGenerator(seed: 3)
    var samples: [Complex<Float>] = []
    let variance = 0.04
    synthesizer.synthesize([], onsetTaps: 0, noiseVariance: variance, using: &generator, into: &samples)
    let powers = samples.map { Double($0.lengthSquared) }
    let mean = powers.reduce(0, +) / Double(powers.count)
    // |n|² is exponential: its mean's deviation is variance/√N; five of them.
    #expect(abs(mean - variance) < 5 * variance / Double(powers.count).squareRoot(), "seed 3")
    // White: neighbours and parts don't correlate.
    let neighbours = zip(samples, samples.dropFirst()).reduce(Complex<Float>.zero) { $0 + $1.0 * $1.1.conjugate }
    #expect(Double(neighbours.length) / Double(samples.count) < 5 * variance / Double(samples.count).squareRoot())
    let parts = samples.reduce(0.0) { $0 + Double($1.real * $1.imaginary) } / Double(samples.count)
    #expect(abs(parts) < 5 * variance / 2 / Double(samples.count).squareRoot())
  }

  @Test func synthesisRepeatsAndReusesItsBuffer() {
    let synthesizer = ImpulseResponseSynthesizer(tapCount: 100)
    let paths = [Path(delay: 0, amplitude: Complex(1, 1))]
    var first: [Complex<Float>] = []
    var second = [Complex<Float>](repeating: Complex(9, 9), count: 100)
    var a = SeededGenerator(seed: 4)
    var b = SeededGenerator(seed: 4)
    synthesizer.synthesize(paths, onsetTaps: 50.3, noiseVariance: 0.1, using: &a, into: &first)
    synthesizer.synthesize(paths, onsetTaps: 50.3, noiseVariance: 0.1, using: &b, into: &second)
    #expect(first == second)
  }
}
