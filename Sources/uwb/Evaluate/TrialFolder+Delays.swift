import Foundation
import Numerics
import UWBCapture
import UWBDSP
import UWBSimulation

extension TrialFolder {
  /// What `<n>.json` holds.
  private struct DelayTruth: Encodable {
    var `case`: String
    var snrdB: Double
    var seed: UInt64
    var tapCount: Int
    var trials: Int
    var pathDelaysTaps: [Double]?
    var bound: Double?
    var firstPathTaps: [Double]
    var noiseVariance: [Double]

    enum CodingKeys: String, CodingKey {
      case `case`, seed, trials
      case snrdB = "snr_db"
      case tapCount = "tap_count"
      case pathDelaysTaps = "path_delays_taps"
      case bound = "bound_m"
      case firstPathTaps = "first_path_taps"
      case noiseVariance = "noise_variance"
    }
  }

  /// Writes one case of an evaluation of delays: CIRs as complex64, little-endian, trials × taps.
  ///
  /// - Parameter trials: how many from the first on: the same that an evaluation with this generator sees.
  mutating func write(_ generator: DelayTrialGenerator, trials: Int, case name: String) throws {
    var truth = DelayTruth(
      case: name, snrdB: generator.snrdB, seed: generator.seed, tapCount: generator.synthesizer.tapCount,
      trials: trials, pathDelaysTaps: Self.pathDelays(generator.channel), firstPathTaps: [], noiseVariance: [])
    var bounds: [Double] = []
    var samples: [Complex<Float>] = []
    try add(ending: "cf32") { file in
      for index in 0..<trials {
        let trial = generator.trial(index, into: &samples)
        truth.firstPathTaps.append(trial.firstPathTaps)
        truth.noiseVariance.append(trial.noiseVariance)
        if let bound = generator.firstPathBound(trial) { bounds.append(bound) }
        let patterns = samples.flatMap { [$0.rawStorage.x.bitPattern, $0.rawStorage.y.bitPattern] }
        try file.append(Self.littleEndian(patterns))
      }
      if bounds.count == trials {
        truth.bound = (bounds.reduce(0, +) / Double(trials)).squareRoot() * UWB.tap * UWB.speedOfLightInAir
      }
      return truth
    }
  }

  /// Delays of a path list in taps after its first, ascending; `nil` for channels whose paths are drawn.
  private static func pathDelays(_ channel: Channel) -> [Double]? {
    let list: [Double]
    switch channel {
    case .awgn: list = [0]
    case .twoPath(let spacing, _, _): list = [0, spacing]
    case .paths(let paths), .pathsBeforeCluster(let paths, _): list = paths.map(\.delay).sorted()
    case .ieee802154a: return nil
    }
    // Taps were multiplied by a tap's length: rounding to 10⁻⁶ taps gives back what was written.
    return list.map { (($0 - list[0]) / UWB.tap * 1e6).rounded() / 1e6 }
  }
}
