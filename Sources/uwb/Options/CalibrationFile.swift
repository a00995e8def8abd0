import Foundation
import UWBBaselines
import UWBCapture
import UWBDSP

/// The one calibration file, JSON: `uwb calibrate …` writes its parts, `--calibration` reads it.
enum CalibrationFile {
  private static let remedy = "A calibration file is what uwb calibrate delay, bias or angle writes with --out."

  static func read(_ path: String) throws -> Calibration {
    let calibration = try JSONFile.decode(Calibration.self, path, shape: shape, remedy: remedy)
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
  static func update(_ path: String, _ change: (inout Calibration, inout CalibrationOrigins) -> Void) throws {
    // Two that change different parts lose neither.
    try OutputFile.locked(path) {
      var calibration = FileManager.default.fileExists(atPath: path) ? try read(path) : Calibration()
      var origins = calibration.origins ?? CalibrationOrigins()
      change(&calibration, &origins)
      calibration.origins = origins
      calibration.version = Calibration.version
      try OutputFile.write(try JSONFile.encode(calibration, .prettyPrinted), to: path)
    }
  }

  // MARK: What may stand in it

  /// Beyond these no radio on earth lies: m, and s of an antenna delay (750 m).
  private static let metres = -1000.0...1000
  private static let spread = 0.0...1000
  private static let delay = -5e-6...5e-6
  private static let power = -250.0...100
  private static let phase = -1e5...1e5
  private static let variance = 0.0...1e3

  private static let shape = JSONShape.object([
    "version": .integer(1...Calibration.version),
    "delay": .object([
      "devices": .list(.object(["address": .text, "delay_s": .number(delay)])),
      "line_of_sight": powerBias, "obstructed": powerBias,
    ]),
    "quality": .object([
      "delay": estimator,
      "lineOfSight": .object(["logOdds": linearModel(-1e3...1e3), "support": .any]), "baseline": .any,
      "rangeBias": .object([
        "bias": linearModel(metres), "floor": .number(metres), "logResidual": linearModel(-30...10),
      ]),
    ]),
    "angle": .object([
      "carriers": .list(.object(["offset": .number(phase), "right": .number(phase), "up": .number(phase)])),
      "manifold": .object(["azimuth": axis, "elevation": axis, "channels": .list(channel)]),
      "azimuthDeviationScale": .number(1e-3...1e3), "elevationDeviationScale": .number(1e-3...1e3),
      "boardVariance": .number(variance),
      "antennas": .object([
        "positions": .list(.list(.number(-100...100))), "correction": .list(.number(-1e6...1e6)),
      ]),
    ]),
    "origins": .object(["delay": origin, "quality": origin, "board": origin, "antennas": origin]),
  ])

  private static let powerBias = JSONShape.object([
    "power_dbm": .list(.number(power)), "bias_m": .list(.number(metres)), "deviation_m": .number(spread),
    "held_out_deviation_m": .number(spread),
  ])

  private static let estimator = JSONShape.word(DelayMethod.all.map(\.name))

  /// Coefficients are of features scaled to a deviation of 1, and clipped: they are of the size of what the model tells.
  private static func linearModel(_ range: ClosedRange<Double>) -> JSONShape {
    .object([
      "features": .list(.word(QualityFeature.allCases.map(\.rawValue))),
      "coefficients": .list(.number(range)), "intercept": .number(range),
      "scaling": .object([
        "means": .list(.number(-1e12...1e12)), "deviations": .list(.number(0...1e12)), "clip": .number(0...1e6),
      ]),
    ])
  }

  private static let axis = JSONShape.object([
    "start": .number(-.pi...(.pi)), "step": .number(0...(2 * .pi)), "count": .integer(1...1000),
  ])
  private static let channel = JSONShape.object([
    "phases": .list(.number(phase)), "variances": .list(.number(variance)),
  ])

  private static func extent(_ range: ClosedRange<Double>) -> JSONShape {
    .object(["least": .number(range), "most": .number(range)])
  }

  private static let captures = JSONShape.list(
    .object(["name": .text, "sha512": .text, "exchanges": .integer(0...1_000_000_000_000)]))

  private static let origin = JSONShape.object([
    "version": .text, "date": .text, "profile": .text, "estimator": estimator, "local": .list(.text),
    "peers": .list(.text), "board": .text, "antennas_m": .list(.list(.number(-100...100))),
    "captures": captures, "trimmed_from": captures,
    "power_dbm": extent(power), "distance_m": extent(-1e6...1e6), "azimuth_deg": extent(-360...360),
    "elevation_deg": extent(-360...360),
  ])
}
