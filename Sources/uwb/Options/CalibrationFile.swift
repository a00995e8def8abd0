import Foundation
import UWBCapture
import UWBDSP

/// The one calibration file, JSON: `uwb calibrate …` writes its parts, `--calibration` reads it.
enum CalibrationFile {
  private static let remedy = "A calibration file is what uwb calibrate delay, bias or angle writes with --out."

  static func read(_ path: String) throws -> Calibration {
    let calibration = try JSONFile.decode(Calibration.self, path, remedy: remedy)
    guard calibration.version == Calibration.version else {
      throw CaptureError(
        file: path, place: "version", problem: "\(calibration.version) is not known, \(Calibration.version) is",
        remedy: "Calibrate again with this version of uwb, or use the version of uwb that wrote the file.")
    }
    if let problem = calibration.delay?.problem {
      throw CaptureError(file: path, place: "delay", problem: problem, remedy: remedy)
    }
    for (place, isValid) in [
      ("angle.manifold", calibration.angle?.manifold?.isValid),
      ("angle.antennas", calibration.angle?.antennas?.isValid),
    ] where isValid == false {
      throw CaptureError(
        file: path, place: place, problem: "its numbers don't fit together",
        remedy: "Measure it again with uwb calibrate angle.")
    }
    return calibration
  }

  /// Changes one part of the file at `path`; a file that is not there yet is begun.
  static func update(_ path: String, _ change: (inout Calibration) -> Void) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    // Two that change different parts lose neither.
    try OutputFile.locked(path) {
      var calibration = FileManager.default.fileExists(atPath: path) ? try read(path) : Calibration()
      change(&calibration)
      try OutputFile.write(try encoder.encode(calibration), to: path)
    }
  }
}
