import Numerics
import UWBDSP
import UWBPlatform
import UWBSimulation

/// What is true of one trial on an array.
struct ArrayTrial: Sendable {
  /// Which trial of the run.
  let index: Int
  /// The true first path at the origin of the antennas' coordinates, taps from the start of the accumulator; fractional.
  let firstPathTaps: Double
  /// The channel; delays count from the first path.
  let paths: [Path]
  /// Complex noise variance of a tap, the same on all antennas.
  let noiseVariance: Double
  /// The antennas' taps.
  let response: ChannelImpulseResponse

  /// The channel as `JointBound` wants it.
  func waves(tapSpacing: Double = UWB.tap) -> [JointBound.Wave] {
    paths.map { path in
      let angles = path.direction.map(Direction.angles) ?? (azimuth: 0, elevation: 0)
      return JointBound.Wave(
        delayTaps: firstPathTaps + path.delay / tapSpacing, azimuth: angles.azimuth, elevation: angles.elevation,
        amplitude: path.amplitude)
    }
  }
}

/// Trials for estimators of delay and angle on an array: trial i is the same whichever thread asks for it.
struct ArrayTrialGenerator: Sendable {
  let channel: DirectionalChannel
  let array: AntennaArray
  /// Power of the first path's peak over the noise variance of a tap, on one antenna, dB.
  let snrdB: Double
  /// Where the first path may lie, taps; uniform.
  let onsetTaps: ClosedRange<Double>
  let seed: UInt64
  private let synthesizer: ImpulseResponseSynthesizer

  /// - Parameter onsetTaps: by default 100 taps from both ends of the accumulator (a tenth of it where it is short).
  init(
    channel: DirectionalChannel, array: AntennaArray, snrdB: Double, pulse: PulseShape = .standard,
    tapCount: Int = 1016, onsetTaps: ClosedRange<Double>? = nil, seed: UInt64
  ) {
    self.channel = channel
    self.array = array
    self.snrdB = snrdB
    self.seed = seed
    let margin = Double(min(100, tapCount / 10))
    self.onsetTaps = onsetTaps ?? margin...max(margin, Double(tapCount) - margin)
    synthesizer = ImpulseResponseSynthesizer(pulse: pulse, array: array, tapCount: tapCount)
  }

  /// Trial `index`.
  func trial(_ index: Int) -> ArrayTrial {
    var generator = SeededGenerator(seed: seed, stream: UInt64(bitPattern: Int64(index)))
    let onset = generator.uniform(in: onsetTaps)
    let paths = channel.draw(using: &generator)
    let variance = (paths.first?.power ?? 0) * pow(10, -snrdB / 10)
    let response = synthesizer.impulseResponse(
      paths, onsetTaps: onset, noiseVariance: variance, using: &generator)
    return ArrayTrial(
      index: index, firstPathTaps: onset, paths: paths, noiseVariance: variance, response: response)
  }
}
