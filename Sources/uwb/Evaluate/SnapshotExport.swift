import Foundation
import UWBCapture
import UWBDSP
import UWBSimulation

/// Writes the trials of an evaluation of angles for other programs: `<n>.cf64` (complex128, little-endian, trials ×
/// antennas × snapshots) and `<n>.json`, which says what is true of them; n counts the cases from 0.
struct SnapshotExport {
  private var folder: TrialFolder

  /// What `<n>.json` holds.
  private struct Truth: Encodable {
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

  /// - Parameter folder: made where it is not there yet.
  init(folder: String, inputs: [String?]) throws {
    self.folder = try TrialFolder(folder, inputs: inputs)
  }

  /// Writes one case. `trials` from the first on: the same that an evaluation with this generator sees.
  mutating func write(_ generator: DirectionTrialGenerator, trials: Int, case name: String) throws {
    var truth = Truth(
      case: name, snrdB: generator.snrdB, seed: generator.seed, trials: trials,
      antennas: generator.array.positions.count, snapshots: generator.snapshotCount, carrier: generator.array.carrier,
      positions: generator.array.positions.map { [$0.x, $0.y, $0.z] }, sources: generator.scene.sourceCount,
      isCoherent: generator.scene.isCoherent, noiseVariance: generator.noiseVariance, azimuths: [], elevations: [])
    let bound = DirectionEvaluation(generator: generator, contestants: [], trialCount: trials, isNoiseKnown: false)
      .pooledBound()
    truth.bound = bound?.degrees
    var snapshots = Snapshots(antennaCount: truth.antennas, snapshotCount: truth.snapshots)
    try folder.add(ending: "cf64") { file in
      for index in 0..<trials {
        let trial = generator.trial(index, into: &snapshots)
        let angles = trial.directions.map { Direction.angles(of: $0) }
        truth.azimuths.append(angles.map { $0.azimuth.degrees })
        truth.elevations.append(angles.map { $0.elevation.degrees })
        let patterns = zip(snapshots.real, snapshots.imaginary).flatMap { [$0.bitPattern, $1.bitPattern] }
        try file.append(TrialFolder.littleEndian(patterns))
      }
      return truth
    }
  }
}
