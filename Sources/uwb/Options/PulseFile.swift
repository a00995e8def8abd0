import Foundation
import UWBCalibration
import UWBCapture
import UWBDSP

/// Pulses by name, or a measured one as JSON:
/// `{"spacing_s": 1.25e-10, "peak_index": 64, "samples": [0, 0.01, …, 1, …]}`; `model_error` says how well it is known.
enum PulseFile {
  private struct Contents: Codable {
    var spacing: Double
    var peak: Double
    var samples: [Double]
    var modelError: Double?

    enum CodingKeys: String, CodingKey {
      case spacing = "spacing_s"
      case peak = "peak_index"
      case samples
      case modelError = "model_error"
    }
  }

  private static let known: [(name: String, shape: PulseShape)] = [
    ("raised-cosine", .standard),
    ("root-raised-cosine", .rootRaisedCosine(rolloff: 0.5, period: 1 / UWB.chipRate)),
    ("dw1000", .dw1000),
  ]

  /// Whether `name` is a file's, and no pulse's.
  static func isNamed(by name: String) -> Bool { !known.contains { $0.name == name } }

  /// A pulse and, where its file says it, how well it is known.
  static func pulse(named name: String) throws -> (shape: PulseShape, modelError: Double?) {
    if let pulse = known.first(where: { $0.name == name }) { return (pulse.shape, nil) }
    guard name.contains(where: { "./".contains($0) }) || FileManager.default.fileExists(atPath: name) else {
      throw Usage.unknown("pulse, and no file,", name, [CapturePulse.profileName] + known.map(\.name))
    }
    return try read(name)
  }

  static func write(_ estimate: PulseEstimation.Estimate, to path: String) throws {
    let pulse = estimate.pulse
    let contents = Contents(
      spacing: pulse.spacing, peak: pulse.peakPosition, samples: pulse.samples, modelError: estimate.modelError)
    try OutputFile.write(try JSONFile.encode(contents), to: path)
  }

  /// Seconds from sample to sample, and of a whole pulse.
  private static let spacings = 1e-12...1e-8
  private static let longest = 2e-7

  private static func read(_ path: String) throws -> (shape: PulseShape, modelError: Double?) {
    let contents = try JSONFile.decode(
      Contents.self, path,
      remedy: "Give raised-cosine, root-raised-cosine or dw1000, or a file like "
        + "{\"spacing_s\": 1.25e-10, \"peak_index\": 64, \"samples\": [0, …, 1, …]}.")
    guard spacings.contains(contents.spacing), contents.samples.count >= 4,
      Double(contents.samples.count) * contents.spacing <= longest,
      contents.samples.allSatisfy({ abs($0) <= 1e15 }), contents.peak >= 0,
      contents.peak <= Double(contents.samples.count - 1), (0...1).contains(contents.modelError ?? 0)
    else {
      throw CaptureError(
        file: path, problem: "this is not a pulse",
        remedy:
          "It takes a spacing_s from \(spacings.lowerBound) to \(spacings.upperBound), at least four samples within ±1e15 "
          + "that last \(longest) s at most, a peak_index inside them, and a model_error from 0 to 1.")
    }
    let pulse = MeasuredPulse(samples: contents.samples, spacing: contents.spacing, peakPosition: contents.peak)
    let peak = pulse(0)
    guard peak > 0 else {
      throw CaptureError(
        file: path, place: "peak_index", problem: "the pulse is not positive there",
        remedy: "peak_index is where the pulse peaks.")
    }
    let scaled = MeasuredPulse(
      samples: contents.samples.map { $0 / peak }, spacing: contents.spacing, peakPosition: contents.peak)
    return (.measured(scaled), contents.modelError)
  }
}
