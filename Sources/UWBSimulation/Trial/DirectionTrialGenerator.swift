import Numerics
import UWBDSP
import UWBPlatform

/// Where a direction trial's sources are, and how their amplitudes go together.
public struct DirectionScene: Sendable, Hashable {
  /// Where the sources are.
  public enum Placement: Sendable, Hashable {
    /// Fixed azimuths and elevations, rad, one source each.
    case fixed([SIMD2<Double>])
    /// One source anywhere within so many radians of broadside: evenly in azimuth for a row of antennas, evenly over the
    /// cap of the sphere for others.
    case within(Double)
  }

  /// Where the sources are.
  public var placement: Placement
  /// Whether all sources carry the same waveform, each with a phase drawn anew for every trial.
  public var isCoherent: Bool

  /// Creates one with the given values.
  public init(placement: Placement, isCoherent: Bool = false) {
    self.placement = placement
    self.isCoherent = isCoherent
  }

  /// Number of sources.
  public var sourceCount: Int {
    if case .fixed(let angles) = placement { return angles.count }
    return 1
  }
}

/// What is true of one trial of an angle estimator.
public struct DirectionTrial: Sendable {
  /// Number of the trial.
  public let index: Int
  /// Unit vectors to the sources.
  public let directions: [SIMD3<Double>]
  /// Covariance of the amplitudes as they were in this trial, Σ_t s·sᴴ/N, by columns.
  public let sampleCovariance: [Complex<Double>]
  /// Covariance of the process that they were drawn from.
  public let covariance: [Complex<Double>]
  /// Complex noise variance of an antenna.
  public let noiseVariance: Double
}

/// Trials for an angle estimator: trial i is the same whichever thread asks for it, in whatever order.
///
/// Amplitudes have unit power and are circular Gaussian from snapshot to snapshot; a single snapshot has unit magnitude and a
/// random phase. SNR is one source's power at one antenna of unit gain over the noise variance there.
public struct DirectionTrialGenerator: Sendable {
  /// The antennas.
  public let array: AntennaArray
  /// The sources.
  public let scene: DirectionScene
  /// Snapshots of a trial.
  public let snapshotCount: Int
  /// Signal-to-noise ratio, dB.
  public let snrdB: Double
  /// Seed of the random draws.
  public let seed: UInt64

  /// Creates one with the given values.
  public init(array: AntennaArray, scene: DirectionScene, snapshotCount: Int, snrdB: Double, seed: UInt64) {
    precondition(snapshotCount >= 1, "\(snapshotCount) snapshots")
    self.array = array
    self.scene = scene
    self.snapshotCount = snapshotCount
    self.snrdB = snrdB
    self.seed = seed
  }

  /// Complex noise variance of an antenna.
  public var noiseVariance: Double { pow(10, -snrdB / 10) }

  private var isRow: Bool {
    array.positions.allSatisfy { $0.y == array.positions[0].y && $0.z == array.positions[0].z }
  }

  /// Overwrites `snapshots` with trial `index` and says what is true of it.
  public func trial(_ index: Int, into snapshots: inout Snapshots) -> DirectionTrial {
    precondition(
      snapshots.antennaCount == array.positions.count && snapshots.snapshotCount == snapshotCount,
      "\(array.positions.count) × \(snapshotCount) into \(snapshots.antennaCount) × \(snapshots.snapshotCount)")
    var random = SeededGenerator(seed: seed, stream: UInt64(bitPattern: Int64(index)))
    let directions = place(using: &random)
    let count = directions.count
    let phases = directions.map { _ in random.unitPhasor() }
    let responses = directions.map { array.response(to: $0) }
    var sample = [Complex<Double>](repeating: .zero, count: count * count)
    var amplitudes = [Complex<Double>](repeating: .zero, count: count)
    for t in 0..<snapshotCount {
      let shared = snapshotCount == 1 ? Complex<Double>.one : random.complexNormal()
      for source in 0..<count {
        let own = scene.isCoherent || snapshotCount == 1 ? shared : source == 0 ? shared : random.complexNormal()
        amplitudes[source] = own * phases[source]
      }
      for right in 0..<count {
        for left in 0..<count {
          sample[right * count + left] +=
            amplitudes[left] * amplitudes[right].conjugate / Complex(Double(snapshotCount))
        }
      }
      for antenna in array.positions.indices {
        var value = random.complexNormal(variance: noiseVariance)
        for source in 0..<count { value += amplitudes[source] * responses[source][antenna] }
        snapshots[antenna, t] = value
      }
    }
    var covariance = sample
    for right in 0..<count {
      for left in 0..<count where snapshotCount > 1 {
        let shared = scene.isCoherent ? phases[left] * phases[right].conjugate : .zero
        covariance[right * count + left] = left == right ? .one : shared
      }
    }
    return DirectionTrial(
      index: index, directions: directions, sampleCovariance: sample, covariance: covariance,
      noiseVariance: noiseVariance)
  }

  private func place(using random: inout SeededGenerator) -> [SIMD3<Double>] {
    switch scene.placement {
    case .fixed(let angles): return angles.map { Direction.unitVector(azimuth: $0.x, elevation: $0.y) }
    case .within(let reach):
      if isRow { return [Direction.unitVector(azimuth: random.uniform(in: -reach...reach), elevation: 0)] }
      let forward = random.uniform(in: cos(reach)...1)
      let turn = random.phase()
      let across = max(0, 1 - forward * forward).squareRoot()
      return [SIMD3(across * cos(turn), across * sin(turn), -forward)]
    }
  }
}
