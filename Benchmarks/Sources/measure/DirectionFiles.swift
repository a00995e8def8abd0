import Foundation
import Numerics
import UWBBaselines
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

/// An estimator over all trials of the exported case PATH.json. Writes a line for each: azimuths, degrees, `nan` where a source is missing.
/// Timed are the first trials, in memory, one after the other, over and over.
func measureDirections(_ path: String, to out: String, method name: String) throws {
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
  var options = DirectionOptions()
  options.sources = .known(truth.sources)
  guard let estimator = DirectionMethod(rawValue: name)?.estimator(for: truth.array, options: options) else {
    throw CaptureError(
      file: path, problem: "can't be estimated by “\(name)”",
      remedy: "Take one of \(DirectionMethod.allCases.map(\.rawValue).joined(separator: ", ")) that suits the array.")
  }
  let (lines, seconds) = directions(by: estimator, truth.snapshots(of: data), sources: truth.sources)
  try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: out))
  print(fields: ["path": path, "trials": truth.trials, "us": 1e6 * seconds])
}

private func directions(
  by estimator: some DirectionEstimator, _ trials: [Snapshots], sources: Int
) -> (lines: [String], seconds: Double) {
  let workspace = estimator.makeWorkspace(snapshotCount: trials.first?.snapshotCount ?? 1)
  var estimate = DirectionEstimate()
  let lines = trials.map { trial in
    estimator.estimate(trial, into: &estimate, using: workspace)
    let azimuths = (0..<sources).map { index in
      index < estimate.sources.count ? (estimate.sources[index].azimuth ?? .nan) * 180 / .pi : .nan
    }
    return azimuths.map { "\($0)" }.joined(separator: " ") + "\n"
  }
  let timed = trials.prefix(timedTrials)
  let seconds = shortest(of: 200) {
    for trial in timed { estimator.estimate(trial, into: &estimate, using: workspace) }
  }
  return (lines, seconds / Double(max(1, timed.count)))
}
