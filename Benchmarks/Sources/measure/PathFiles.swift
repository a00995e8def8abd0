import Foundation
import Numerics
import UWBBaselines
import UWBCapture
import UWBDSP
import Workloads

/// As many trials are timed as stay in the second cache, as what a radio has just delivered would. The peers in C++ do the same.
let timedTrials = 32

/// What is true of a case that `uwb evaluate delay --export` wrote, as far as it is needed here.
private struct ExportedCase: Decodable {
  var trials: Int
  var tapCount: Int
  var delays: [Double]

  enum CodingKeys: String, CodingKey {
    case trials
    case tapCount = "tap_count"
    case delays = "path_delays_taps"
  }

  /// The CIRs of `data`: complex64, little-endian, trials × taps.
  func responses(of data: Data) -> [ChannelImpulseResponse] {
    let numbers = data.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map {
        Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
      }
    }
    return (0..<trials).map { trial in
      ChannelImpulseResponse(
        (0..<tapCount).map { tap in
          let place = 2 * (trial * tapCount + tap)
          return Complex(numbers[place], numbers[place + 1])
        })
    }
  }
}

/// An estimator that is told the number of paths over all trials of the exported case PATH.json, loading included. Writes the first paths, taps, one
/// a line. Timed are the first trials, in memory, one after the other, over and over.
func measureFirstPaths(_ path: String, to out: String, method: String) throws {
  let truth = try JSONDecoder().decode(
    ExportedCase.self, from: Data(contentsOf: URL(fileURLWithPath: "\(path).json")))
  let data = try Data(contentsOf: URL(fileURLWithPath: "\(path).cf32"))
  guard data.count == 8 * truth.trials * truth.tapCount, truth.tapCount > 0 else {
    throw CaptureError(
      file: path, problem: "holds something else than its description says",
      remedy: "Make it with `uwb evaluate delay --paths … --export`.")
  }
  let receiver = ReceiverModel(DeviceProfile.ideal)
  let (order, responses) = (truth.delays.count, truth.responses(of: data))
  let found: (lines: [String], seconds: Double)
  switch method {
  case "matrix-pencil":
    found = firstPaths(by: DelayMatrixPencil(FrequencyWindow(receiver, order: order)), responses)
  case "search-subtract-readjust":
    found = firstPaths(by: SearchSubtractReadjust(receiver, mostPaths: order), responses)
  default:
    throw CaptureError(
      file: path, problem: "can't be estimated by “\(method)”",
      remedy: "Take matrix-pencil or search-subtract-readjust.")
  }
  try Data(found.lines.joined().utf8).write(to: URL(fileURLWithPath: out))
  print(fields: ["path": path, "trials": truth.trials, "us": 1e6 * found.seconds])
}

private func firstPaths<E: DelayEstimator>(
  by estimator: E, _ responses: [ChannelImpulseResponse]
) -> (lines: [String], seconds: Double) {
  let tapCount = responses.first?.tapCount ?? 1
  let workspace = estimator.makeWorkspace(tapCount: tapCount)
  let taps = PreparedTaps(tapCount: tapCount)
  var estimate = DelayEstimate()
  func run(_ response: ChannelImpulseResponse) {
    taps.load(response, antenna: 0)
    estimator.estimate(taps, into: &estimate, using: workspace)
  }
  let lines = responses.map { response in
    run(response)
    return "\(estimate.paths.first?.delayTaps ?? .nan)\n"
  }
  let timed = responses.prefix(timedTrials)
  let seconds = shortest(of: 200) {
    for response in timed { run(response) }
  }
  return (lines, seconds / Double(max(1, timed.count)))
}
