import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct ArrayPulseFitTests {
  private static let fit = PulseFit()

  private func estimate(
    _ trials: ArrayTrials, _ random: inout StatisticsRandom, array: AntennaArray?, firstPathTaps: [Double]? = nil,
    phases: [Double]? = nil
  ) -> ArrayEstimate {
    let estimator = ArrayPulseFit(Self.fit, array: array)
    let taps = ArrayTrials.prepare(trials.response(using: &random))
    let workspace = estimator.makeWorkspace(tapCount: trials.tapCount, antennaCount: taps.count)
    var result = ArrayEstimate(antennaCount: taps.count)
    estimator.estimate(
      taps, antennaCount: taps.count, firstPathTaps: firstPathTaps, phases: phases, into: &result, using: workspace)
    return result
  }

  private static let two = [
    JointBound.Wave(delayTaps: 200.3, azimuth: 0.3, elevation: 0.1, amplitude: Complex(30, 5)),
    JointBound.Wave(delayTaps: 201.8, azimuth: -0.5, elevation: 0.2, amplitude: Complex(-8, 28)),
  ]

  /// A later path leaks into no antenna's first amplitude, though gains differ.
  @Test func amplitudesAreThoseOfTheFirstPathAlone() {
    var random = StatisticsRandom(seed: 5201)
    var trials = ArrayTrials()
    trials.waves = Self.two
    trials.noiseVariances = [1e-2, 1e-2, 1e-2, 1e-2]
    trials.gains = [Complex(1), Complex(0.7, 0.1), Complex(1.3, -0.2), Complex(0.9)]
    let result = estimate(trials, &random, array: trials.array)
    #expect(result.status == .ok && result.paths.count == 2 && result.isAtOrigin)
    #expect(abs(result.paths[0].delayTaps - 200.3) < 0.02)
    for (antenna, position) in trials.array.positions.enumerated() {
      let direction = Direction.unitVector(azimuth: 0.3, elevation: 0.1)
      let turn = 2 * .pi * trials.array.carrier / UWB.speedOfLightInAir * (position * direction).sum()
      let expected = trials.gains[antenna] * Complex(30, 5) * Complex(length: 1, phase: turn)
      // Gains that are not a plane wave's mislead the travel by some hundredths of a tap.
      #expect((result.amplitude(path: 0, antenna: antenna) - expected).length < 0.05 * 30)
    }
  }

  /// Errors of amplitudes over their stated deviations, with one antenna ten times as noisy; 200 trials × 4 antennas, seed
  /// 5202. The phases of one path's antennas share the delay's error, which is none of a lone path's.
  @Test func phaseDeviationsAreHonest() {
    var random = StatisticsRandom(seed: 5202)
    var errors = StatisticsErrors()
    var delays = StatisticsErrors()
    var trials = ArrayTrials()
    trials.noiseVariances = [1, 10, 1, 1]
    let estimator = ArrayPulseFit(Self.fit, array: trials.array)
    let workspace = estimator.makeWorkspace(tapCount: trials.tapCount, antennaCount: 4)
    var result = ArrayEstimate(antennaCount: 4)
    for _ in 0..<200 {
      trials.waves = [
        JointBound.Wave(
          delayTaps: random.uniform(150...250), azimuth: 0.2,
          amplitude: Complex(length: 25, phase: random.uniform(0...6)))
      ]
      let taps = ArrayTrials.prepare(trials.response(using: &random))
      estimator.estimate(taps, antennaCount: 4, into: &result, using: workspace)
      let direction = Direction.unitVector(azimuth: 0.2, elevation: 0)
      for (antenna, position) in trials.array.positions.enumerated() {
        let turn = 2 * .pi * trials.array.carrier / UWB.speedOfLightInAir * (position * direction).sum()
        let expected = trials.waves[0].amplitude * Complex(length: 1, phase: turn)
        let found = result.amplitude(path: 0, antenna: antenna)
        errors.add((found * expected.conjugate).phase / result.phaseDeviations[antenna])
      }
      delays.add((result.paths[0].delayTaps - trials.waves[0].delayTaps) / result.paths[0].deviationTaps)
    }
    #expect(StatisticsLimits.normalisedVariance(trials: 800).contains(errors.meanSquare), "\(errors.meanSquare)")
    #expect(StatisticsLimits.normalisedVariance(trials: 200).contains(delays.meanSquare), "\(delays.meanSquare)")
  }

  /// Rows of chips of their own, aligned by first paths that err by a tenth of a tap, and turned by their carriers' phases.
  @Test func chipsOfTheirOwnAreAligned() {
    var random = StatisticsRandom(seed: 5203)
    var trials = ArrayTrials()
    trials.waves = Self.two
    trials.noiseVariances = [1e-2, 1e-2, 1e-2, 1e-2]
    trials.shifts = [0, 13.37, -4.81, 0.44]
    let phases = [0.3, -1.2, 2.9, 0.7]
    trials.gains = phases.map { Complex(length: 1, phase: $0) }
    let chips = trials.shifts.enumerated().map { 199.1 + $1 + 0.1 * Double($0 % 3 - 1) }
    let result = estimate(trials, &random, array: trials.array, firstPathTaps: chips, phases: phases)
    #expect(result.status == .ok && result.paths.count == 2)
    #expect(abs(result.paths[0].delayTaps - 200.3) < 0.02)
    #expect(abs(result.paths[1].delayTaps - 201.8) < 0.02)
    for (antenna, position) in trials.array.positions.enumerated() {
      let direction = Direction.unitVector(azimuth: 0.3, elevation: 0.1)
      let turn = 2 * .pi * trials.array.carrier / UWB.speedOfLightInAir * (position * direction).sum()
      let expected = Complex(30, 5) * Complex(length: 1, phase: turn)
      #expect((result.amplitude(path: 0, antenna: antenna) * expected.conjugate).phase.magnitude < 0.02)
    }
  }

  /// Without an array there is no travel: the same delays on all antennas.
  @Test func positionsMayBeUnknown() {
    var random = StatisticsRandom(seed: 5204)
    var trials = ArrayTrials()
    trials.waves = [JointBound.Wave(delayTaps: 180.6, azimuth: 0, amplitude: Complex(20))]
    trials.noiseVariances = [1, 1, 1, 1]
    let result = estimate(trials, &random, array: nil)
    #expect(result.status == .ok && !result.isAtOrigin)
    #expect(abs(result.paths[0].delayTaps - 180.6) < 0.1)
    #expect((0..<4).allSatisfy { result.amplitude(path: 0, antenna: $0).phase.magnitude < 0.2 })
  }

  /// An antenna of zeroes takes no part; noise alone and zeroes alone are said.
  @Test func unusableAntennasAreLeftOut() {
    var random = StatisticsRandom(seed: 5205)
    var trials = ArrayTrials()
    trials.waves = [JointBound.Wave(delayTaps: 180.6, azimuth: 0.2, amplitude: Complex(20))]
    trials.noiseVariances = [1, 0, 1, 1]
    trials.gains = [.one, .zero, .one, .one]
    let result = estimate(trials, &random, array: trials.array)
    #expect(result.status == .ok)
    #expect(abs(result.paths[0].delayTaps - 180.6) < 0.1)
    #expect(result.amplitude(path: 0, antenna: 1) == .zero && result.phaseDeviations[1] == .infinity)
    trials.waves = []
    #expect(estimate(trials, &random, array: trials.array).status == .noFirstPath)
    trials.noiseVariances = []
    #expect(estimate(trials, &random, array: trials.array).status == .emptyImpulseResponse)
    trials.noiseVariances = [1, 1, 1, 1]
    trials.tapCount = 15
    trials.waves = [JointBound.Wave(delayTaps: 8, azimuth: 0.2, amplitude: Complex(20))]
    #expect(estimate(trials, &random, array: trials.array).paths.isEmpty)
  }
}
