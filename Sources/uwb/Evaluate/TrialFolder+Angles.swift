import Foundation
import UWBCapture
import UWBDSP
import UWBSimulation

extension TrialFolder {
  /// What `<n>.json` holds.
  private struct AngleTruth: Encodable {
    var `case`: String
    var snrdB: Double
    var seed: UInt64
    var trials: Int
    var antennas: Int
    var snapshots: Int
    var carrier: Double
    var positions: [[Double]]
    var sources: Int
    var isCoherent: Bool
    var bound: Double?
    var noiseVariance: Double
    var azimuths: [[Double]]
    var elevations: [[Double]]

    enum CodingKeys: String, CodingKey {
      case `case`, seed, trials, antennas, snapshots, sources
      case snrdB = "snr_db"
      case carrier = "carrier_hz"
      case positions = "positions_m"
      case isCoherent = "coherent"
      case bound = "bound_deg"
      case noiseVariance = "noise_variance"
      case azimuths = "azimuths_deg"
      case elevations = "elevations_deg"
    }
  }

  /// Writes one case of an evaluation of angles: snapshots as complex128, little-endian, trials × antennas × snapshots.
  ///
  /// - Parameter trials: how many from the first on: the same that an evaluation with this generator sees.
  mutating func write(_ generator: DirectionTrialGenerator, trials: Int, case name: String) throws {
    var truth = AngleTruth(
      case: name, snrdB: generator.snrdB, seed: generator.seed, trials: trials,
      antennas: generator.array.positions.count, snapshots: generator.snapshotCount, carrier: generator.array.carrier,
      positions: generator.array.positions.map { [$0.x, $0.y, $0.z] }, sources: generator.scene.sourceCount,
      isCoherent: generator.scene.isCoherent, noiseVariance: generator.noiseVariance, azimuths: [], elevations: [])
    let bound = DirectionEvaluation(generator: generator, contestants: [], trialCount: trials, isNoiseKnown: false)
      .pooledBound()
    truth.bound = bound?.degrees
    var snapshots = Snapshots(antennaCount: truth.antennas, snapshotCount: truth.snapshots)
    try add(ending: "cf64") { file in
      for index in 0..<trials {
        let trial = generator.trial(index, into: &snapshots)
        let angles = trial.directions.map { Direction.angles(of: $0) }
        truth.azimuths.append(angles.map { $0.azimuth.degrees })
        truth.elevations.append(angles.map { $0.elevation.degrees })
        let patterns = zip(snapshots.real, snapshots.imaginary).flatMap { [$0.bitPattern, $1.bitPattern] }
        try file.append(Self.littleEndian(patterns))
      }
      return truth
    }
  }
}
