import Numerics
import TestSupport
import Testing
import UWBDSP

/// The joint fit's algebra; its errors over many trials are held to the bound where channels are simulated.
@Suite struct JointFitTests {
  private func estimate(_ trials: ArrayTrials, _ random: inout StatisticsRandom) -> JointEstimate {
    let estimator = JointDelayAngle(PulseFit(), array: trials.array)
    let workspace = estimator.makeWorkspace(tapCount: trials.tapCount)
    var result = JointEstimate(antennaCount: trials.array.positions.count)
    estimator.estimate(ArrayTrials.prepare(trials.response(using: &random)), into: &result, using: workspace)
    return result
  }

  private static let arrays = [ArrayTrials.row, ArrayTrials.square, ArrayTrials.corner]

  /// Hardly any noise: delays and angles are exact, and the deviations are the joint bound's.
  @Test(arguments: arrays, [1, 2])
  func deviationsAreTheJointBound(array: AntennaArray, pathCount: Int) throws {
    var random = StatisticsRandom(seed: 5301)
    let isRow = array == ArrayTrials.row
    var trials = ArrayTrials(array: array)
    trials.waves = [
      JointBound.Wave(delayTaps: 180.3, azimuth: 0.4, elevation: isRow ? 0 : -0.2, amplitude: Complex(30, 5)),
      JointBound.Wave(delayTaps: 181.9, azimuth: -0.3, elevation: isRow ? 0 : 0.3, amplitude: Complex(-8, 28)),
    ]
    trials.waves.removeLast(2 - pathCount)
    // Beside it the pulse's own model error counts, 0.003 of the strongest tap.
    let noise = 1e-2
    trials.noiseVariances = array.positions.map { _ in noise }
    let result = estimate(trials, &random)
    #expect(result.isPlaneWave && result.direction.status == .ok && result.direction.sources.count == pathCount)
    let bounds = try #require(
      JointBound(array: array).variances(
        of: trials.waves, unknown: isRow ? .azimuth : .azimuthAndElevation, taps: 169..<192,
        noiseVariances: array.positions.map { _ in noise }))
    // The deviations are for noise and model error, and the noise is known to some 10 %.
    let limits = 0.95...1.6
    for (path, wave) in trials.waves.enumerated() {
      let source = result.direction.sources[path]
      let azimuth = try #require(source.azimuth)
      let deviation = try #require(source.azimuthDeviation)
      #expect(abs(azimuth - wave.azimuth) < 5 * deviation)
      #expect(limits.contains(deviation / bounds[path].azimuth.squareRoot()))
      #expect((source.elevation == nil) == isRow)
      guard let elevation = source.elevation, let own = source.elevationDeviation else { continue }
      #expect(abs(elevation - wave.elevation) < 5 * own)
      #expect(limits.contains(own / bounds[path].elevation.squareRoot()))
    }
    let mean = array.positions.reduce(SIMD3()) { $0 + $1 } / Double(array.positions.count)
    let ahead = (mean * Direction.unitVector(azimuth: 0.4, elevation: trials.waves[0].elevation)).sum()
    let delay = try #require(result.delayTaps) + ahead / (UWB.speedOfLightInAir * UWB.tap)
    #expect(abs(delay - 180.3) < 5 * (try #require(result.deviationTaps)))
    #expect(try #require(result.deviationTaps) < 0.01)
  }

  /// Two antennas λ apart: three directions fit a source straight ahead equally well at the most, and all are given.
  @Test func sparseRowsAreAmbiguous() throws {
    var random = StatisticsRandom(seed: 5302)
    let array = AntennaArray(
      positions: [SIMD3(0, 0, 0), SIMD3(2 * ArrayTrials.half, 0, 0)], carrier: ArrayTrials.carrier)
    var trials = ArrayTrials(array: array)
    trials.waves = [JointBound.Wave(delayTaps: 180.3, azimuth: 0.5, amplitude: Complex(10))]
    trials.noiseVariances = [1, 1]
    let result = estimate(trials, &random)
    #expect(result.direction.status == .ambiguous)
    // sin 0.5 = 0.479 and its image at 0.479 − 1.
    let cosines = (result.direction.sources.prefix(1) + result.direction.alternatives).map(\.direction.x).sorted()
    #expect(cosines.count == 2)
    #expect(abs(cosines[0] + 0.521) < 0.1 && abs(cosines[1] - 0.479) < 0.1)
  }

  /// At the end of a λ/2 row's range right and left look alike, as long as noise hides half a tap of travel.
  @Test func theEndOfTheRangeIsAmbiguous() {
    var random = StatisticsRandom(seed: 5303)
    var trials = ArrayTrials(array: ArrayTrials.row)
    trials.waves = [JointBound.Wave(delayTaps: 180.3, azimuth: 1.55, amplitude: Complex(4))]
    trials.noiseVariances = [1, 1, 1, 1]
    let result = estimate(trials, &random)
    #expect(result.direction.status == .ambiguous)
    let all = result.direction.sources.prefix(1) + result.direction.alternatives
    #expect(all.contains { $0.direction.x > 0.95 } && all.contains { $0.direction.x < -0.95 })
  }

  @Test func whatIsNoPlaneWaveIsSaid() {
    var random = StatisticsRandom(seed: 5304)
    var trials = ArrayTrials()
    trials.waves = [JointBound.Wave(delayTaps: 180.3, azimuth: 0.3, amplitude: Complex(30))]
    trials.noiseVariances = [1, 1, 1, 1]
    #expect(estimate(trials, &random).isPlaneWave)
    trials.gains = [Complex(1), Complex(0.6), Complex(1), Complex(1, 0.5)]
    let result = estimate(trials, &random)
    #expect(!result.isPlaneWave && result.direction.status == .unusable && result.delayTaps == nil)
    #expect(result.paths.status == .ok)
  }

  @Test func dirtyWorkspacesGiveTheSameBits() {
    var random = StatisticsRandom(seed: 5305)
    let estimator = JointDelayAngle(PulseFit(), array: ArrayTrials.square)
    let workspace = estimator.makeWorkspace(tapCount: 320)
    var result = JointEstimate(antennaCount: 4)
    for round in 0..<12 {
      var trials = ArrayTrials()
      trials.noiseVariances = round % 4 == 3 ? [1, 1, 1, 0] : [1, 1, 1, 1]
      trials.waves = (0..<round % 4).map {
        JointBound.Wave(
          delayTaps: 170.4 + 1.6 * Double($0), azimuth: 0.4 - 0.5 * Double($0), amplitude: 20 * random.complexGaussian()
        )
      }
      let taps = ArrayTrials.prepare(trials.response(using: &random))
      estimator.estimate(taps, into: &result, using: workspace)
      var fresh = JointEstimate(antennaCount: 4)
      estimator.estimate(taps, into: &fresh, using: estimator.makeWorkspace(tapCount: 320))
      #expect(result == fresh)
    }
  }
}
