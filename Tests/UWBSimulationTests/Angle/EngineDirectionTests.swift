import Testing
import UWBDSP
import UWBSimulation

/// Directions through the whole engine: poll and final of an exchange, each with a CIR of its own.
@Suite struct EngineDirectionTests {
  /// One path at 20 dB; two looks halve the bound's variance. `UWB_TRIALS` asks for more trials.
  @Test(arguments: [JointDelayAngleTests.corner, JointDelayAngleTests.square], [AngleMethod.joint, .phaseFit])
  func onePathReachesTheBound(array: AntennaArray, angle: AngleMethod) throws {
    let engine = RangingEngine(.init(profile: .ideal, array: array, angle: angle))
    let workspace = engine.makeWorkspace(tapCount: 1016, antennaCount: array.positions.count)
    let bound = JointBound(array: array)
    var outcome = JointDelayAngleTests.Outcome()
    for index in 0..<JointDelayAngleTests.trials(40) {
      // Within 60° of boresight, another place each time.
      let (azimuth, elevation) = (-0.9 + 0.0618 * Double(index * 7 % 30), -0.5 + 0.05 * Double(index * 11 % 21))
      let channel = DirectionalChannel([
        DirectionalPath(PathSpecification(delayTaps: 0, powerdB: 0), azimuth: azimuth, elevation: elevation)
      ])
      let trials = ArrayTrialGenerator(channel: channel, array: array, snrdB: 20, seed: 3101 + UInt64(index))
      let looks = (trials.trial(0), trials.trial(1))
      func message(_ trial: ArrayTrial) -> RangingMessage {
        RangingMessage(reception: Reception(time: DeviceTime(ticks: 1), impulseResponse: trial.response))
      }
      let start = JointDelayAngleTests.processorSeconds()
      let result = engine.measure(
        RangingExchange(
          index: index, time: 0, peer: DeviceAddress(rawValue: 1), poll: message(looks.0), final: message(looks.1)),
        using: workspace)
      outcome.seconds += JointDelayAngleTests.processorSeconds() - start
      guard let foundAzimuth = result.azimuth, let foundElevation = result.elevation,
        let deviation = result.azimuthDeviation
      else {
        outcome.lost += 1
        continue
      }
      let middle = Int(looks.0.firstPathTaps)
      let limit = try #require(
        bound.variances(
          of: looks.0.waves(), unknown: .azimuthAndElevation, taps: middle - 40..<middle + 40,
          noiseVariances: array.positions.map { _ in looks.0.noiseVariance }))[0]
      outcome.azimuth.add(foundAzimuth - azimuth)
      outcome.elevation.add(foundElevation - elevation)
      outcome.normalised.add((foundAzimuth - azimuth) / deviation)
      outcome.azimuthBound += limit.azimuth / 2
      outcome.elevationBound += limit.elevation / 2
      outcome.delay.add(try #require(result.firstPathTaps.poll) - looks.0.firstPathTaps)
      outcome.delayBound += limit.delay
      if result.directionStatus == .ambiguous { outcome.ambiguous += 1 }
    }
    outcome.check("\(array.positions.count) antennas, \(angle)")
  }
}
