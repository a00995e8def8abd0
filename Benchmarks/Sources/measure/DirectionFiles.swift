import Foundation
import Numerics
import UWBCapture
import UWBDSP
import Workloads

/// What is true of a case that `uwb evaluate angle --export` wrote, as far as it is needed here.
private struct ExportedCase: Decodable {
  var trials: Int
  var antennas: Int
  var snapshots: Int
  var carrier: Double
  var positions: [[Double]]
  var sources: Int

  enum CodingKeys: String, CodingKey {
    case trials, antennas, snapshots, sources
    case carrier = "carrier_hz"
    case positions = "positions_m"
  }

  var array: AntennaArray {
    AntennaArray(positions: positions.map { SIMD3($0[0], $0[1], $0[2]) }, carrier: carrier)
  }

  /// The trials of `data`: complex128, little-endian, trials × antennas × snapshots.
  func snapshots(of data: Data) -> [Snapshots] {
    let numbers = data.withUnsafeBytes { bytes in
      (0..<bytes.count / 8).map {
        Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self)))
      }
    }
    return (0..<trials).map { trial in
      var result = Snapshots(antennaCount: antennas, snapshotCount: snapshots)
      for antenna in 0..<antennas {
        for snapshot in 0..<snapshots {
          let place = 2 * ((trial * antennas + antenna) * snapshots + snapshot)
          result[antenna, snapshot] = Complex(numbers[place], numbers[place + 1])
        }
      }
      return result
    }
  }
}

/// MUSIC over all trials of the exported case PATH.json, snapshots in memory, one after the other, ten times over; writes the
/// azimuths, degrees, one a line.
func measureDirections(_ path: String, to out: String) throws {
  let truth = try JSONDecoder().decode(
    ExportedCase.self, from: Data(contentsOf: URL(fileURLWithPath: "\(path).json")))
  let data = try Data(contentsOf: URL(fileURLWithPath: "\(path).cf64"))
  guard truth.positions.allSatisfy({ $0.count == 3 }), truth.positions.count == truth.antennas,
    data.count == 16 * truth.trials * truth.antennas * truth.snapshots
  else {
    throw CaptureError(
      file: path, problem: "holds something else than its description says",
      remedy: "Make it with `uwb evaluate angle --export`.")
  }
  let trials = truth.snapshots(of: data)
  var options = DirectionOptions()
  options.sources = .known(truth.sources)
  let estimator = MUSIC(array: truth.array, options: options)
  let workspace = estimator.makeWorkspace(snapshotCount: truth.snapshots)
  var estimate = DirectionEstimate()
  var azimuths = [Double](repeating: .nan, count: trials.count)
  func pass() {
    for index in trials.indices {
      estimator.estimate(trials[index], into: &estimate, using: workspace)
      azimuths[index] = (estimate.sources.first?.azimuth ?? .nan) * 180 / .pi
    }
  }
  let best = shortest(of: 10, pass)
  try Data(azimuths.map { "\($0)\n" }.joined().utf8).write(to: URL(fileURLWithPath: out))
  print(fields: ["path": path, "trials": trials.count, "us": 1e6 * best / Double(max(trials.count, 1))])
}
