import Foundation
import Numerics
import TestSupport
import Testing
import UWBDSP
import UWBSimulation

/// Delay and angle of several paths against the joint bound. `UWB_TRIALS` asks for more trials than the tests' own.
@Suite struct JointDelayAngleTests {
  static let carrier = 7987.2e6
  static let half = UWB.speedOfLightInAir / carrier / 2
  static let row = AntennaArray(
    positions: (0..<4).map { SIMD3((Double($0) - 1.5) * half, 0, 0) }, carrier: carrier)
  static let square = AntennaArray(
    positions: [
      SIMD3(-half / 2, -half / 2, 0), SIMD3(half / 2, -half / 2, 0), SIMD3(-half / 2, half / 2, 0),
      SIMD3(half / 2, half / 2, 0),
    ], carrier: carrier)
  static let corner = AntennaArray(
    positions: [SIMD3(0, 0, 0), SIMD3(half, 0, 0), SIMD3(0, half, 0)], carrier: carrier)

  static func trials(_ own: Int) -> Int {
    ProcessInfo.processInfo.environment["UWB_TRIALS"].flatMap(Int.init) ?? own
  }

  /// Seconds that this thread has been given a processor: for the figures that are printed, not for any check.
  static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
  }

  /// Errors over trials, with the bound pooled over the same trials.
  struct Outcome {
    var azimuth = StatisticsErrors()
    var elevation = StatisticsErrors()
    var delay = StatisticsErrors()
    var normalised = StatisticsErrors()
    var normalisedDelay = StatisticsErrors()
    var azimuthBound = 0.0
    var elevationBound = 0.0
    var delayBound = 0.0
    var nearestTap = StatisticsErrors()
    var lost = 0
    var ambiguous = 0
    var counts = [Int](repeating: 0, count: 10)
    var seconds = 0.0

    var azimuthRatio: Double { azimuth.rootMeanSquare / (azimuthBound / Double(azimuth.count)).squareRoot() }
    var elevationRatio: Double { elevation.rootMeanSquare / (elevationBound / Double(azimuth.count)).squareRoot() }
    var delayRatio: Double { delay.rootMeanSquare / (delayBound / Double(azimuth.count)).squareRoot() }
    var nearestRatio: Double { nearestTap.rootMeanSquare / (azimuthBound / Double(azimuth.count)).squareRoot() }

    /// Errors are the bound's and deviations are the errors', up to the sampling error; the figures are printed where more
    /// trials than the test's own were asked for.
    func check(_ name: String) {
      if ProcessInfo.processInfo.environment["UWB_TRIALS"] != nil { print("\(name): \(text)") }
      let count = azimuth.count
      #expect(lost == 0, "\(name): \(text)")
      let most = 1.05 * StatisticsLimits.rootMeanSquareRatio(trials: count).upperBound
      #expect(azimuthRatio < most, "\(name): \(text)")
      if delayBound > 0 { #expect(delayRatio < most, "\(name): \(text)") }
      if elevation.count > 0 { #expect(elevationRatio < most, "\(name): \(text)") }
      let honest = StatisticsLimits.normalisedVariance(trials: count)
      #expect(normalised.meanSquare < 1.1 * honest.upperBound && normalised.meanSquare > 0.9 * honest.lowerBound)
    }

    var text: String {
      let degrees = 180 / Double.pi
      return
        "\(azimuth.count) trials, azimuth \(azimuth.rootMeanSquare * degrees)° \(azimuthRatio) × bound, elevation \(elevationRatio) ×, "
        + "delay \(delayRatio) ×, nearest tap \(nearestRatio) ×, variance \(normalised.meanSquare), "
        + "delay \(normalisedDelay.meanSquare), lost \(lost), ambiguous \(ambiguous), paths \(counts), "
        + "\(seconds / Double(azimuth.count) * 1e6) µs"
    }
  }

  static func run(_ generator: ArrayTrialGenerator, trials: Int) -> Outcome {
    let array = generator.array
    let estimator = JointDelayAngle(PulseFit(), array: array)
    let workspace = estimator.makeWorkspace(tapCount: 1016)
    let bound = JointBound(array: array)
    let isRow = array == row
    let taps = array.positions.map { _ in PreparedTaps(tapCount: 1016) }
    var estimate = JointEstimate(antennaCount: array.positions.count)
    let phaseFit = PhaseFit(array: array)
    var result = Outcome()
    for index in 0..<trials {
      let trial = generator.trial(index)
      let start = Self.processorSeconds()
      for antenna in taps.indices { taps[antenna].load(trial.response, antenna: antenna) }
      estimator.estimate(taps, into: &estimate, using: workspace)
      result.seconds += Self.processorSeconds() - start
      let wave = trial.waves()[0]
      let middle = Int(trial.firstPathTaps)
      guard
        let limit = bound.variances(
          of: trial.waves(), unknown: isRow ? .azimuth : .azimuthAndElevation, taps: middle - 40..<middle + 40,
          noiseVariances: array.positions.map { _ in trial.noiseVariance }),
        let found = estimate.direction.sources.first, let azimuth = found.azimuth,
        let deviation = found.azimuthDeviation, let delay = estimate.delayTaps,
        let delayDeviation = estimate.deviationTaps
      else {
        result.lost += 1
        continue
      }
      if estimate.direction.status == .ambiguous { result.ambiguous += 1 }
      result.counts[min(9, estimate.paths.paths.count)] += 1
      result.azimuth.add(azimuth - wave.azimuth)
      result.normalised.add((azimuth - wave.azimuth) / deviation)
      result.azimuthBound += limit[0].azimuth
      if let elevation = found.elevation { result.elevation.add(elevation - wave.elevation) }
      result.elevationBound += limit[0].elevation
      let mean = array.positions.reduce(SIMD3()) { $0 + $1 } / Double(array.positions.count)
      let origin = delay + (mean * found.direction).sum() / (UWB.speedOfLightInAir * UWB.tap)
      result.delay.add(origin - wave.delayTaps)
      result.normalisedDelay.add((origin - wave.delayTaps) / delayDeviation)
      result.delayBound += limit[0].delay
      // What a chip's phase at its first-path tap would tell.
      let near = Int(trial.firstPathTaps.rounded())
      let amplitudes = array.positions.indices.map { antenna -> Complex<Double> in
        let sample = trial.response.samples(antenna: antenna, taps: near..<near + 1)[0]
        return Complex(Double(sample.real), Double(sample.imaginary))
      }
      if let fit = phaseFit.estimate(amplitudes: amplitudes, deviations: amplitudes.map { _ in 0.1 }),
        let azimuth = fit.azimuth
      {
        result.nearestTap.add(azimuth - wave.azimuth)
      }
    }
    return result
  }

  @Test(arguments: [row, square], [(-20.0, 20.0), (0, 40), (30, -10)])
  func aReflectionNextToTheDirectPath(array: AntennaArray, angles: (Double, Double)) {
    let channel = DirectionalChannel([
      DirectionalPath(PathSpecification(delayTaps: 0, powerdB: 0), azimuth: angles.0 * .pi / 180),
      DirectionalPath(PathSpecification(delayTaps: 1.5, powerdB: 0), azimuth: angles.1 * .pi / 180),
    ])
    let outcome = Self.run(
      ArrayTrialGenerator(channel: channel, array: array, snrdB: 25, seed: 3001), trials: Self.trials(40))
    outcome.check("\(array.positions.count) antennas, \(angles)")
    // The tap nearest the first path holds the reflection too.
    #expect(outcome.nearestRatio > 2)
  }

  @Test(arguments: [row, square, corner])
  func onePath(array: AntennaArray) {
    let channel = DirectionalChannel([
      DirectionalPath(PathSpecification(delayTaps: 0, powerdB: 0), azimuth: 0.4, elevation: array == Self.row ? 0 : 0.2)
    ])
    let outcome = Self.run(
      ArrayTrialGenerator(channel: channel, array: array, snrdB: 20, seed: 3002), trials: Self.trials(40))
    outcome.check("\(array.positions.count) antennas")
  }
}
