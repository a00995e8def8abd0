import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP

/// `uwb calibrate delay`: antenna delays and power bias from captures of known distance.
struct CalibrateDelayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delay", abstract: "Measure antenna delays and what received power adds, from known distances.",
    discussion: """
      Writes the delay part of the calibration file; other parts of a file that is there already stay. Captures in line \
      of sight give the delays of all devices and one curve of bias over received power; captures labelled NLOS give a \
      curve of their own. Errors before and after are printed, each capture scored by a calibration made without it. \
      Three devices or more, ranged in all pairs, get a delay each; of two only the sum is known, and is split evenly.

      EXAMPLE
        uwb calibrate delay LOS/*.csv --truth truth.csv --out cal.json && uwb replay other.csv --calibration cal.json
      """)

  @Argument(help: ArgumentHelp("Captures to read.", valueName: "capture"))
  var captures: [String]

  @OptionGroup var engine: EngineOptions

  @Option(help: ArgumentHelp("Truth table; captures that hold their own need none.", valueName: "file.csv"))
  var truth: String?

  @Option(help: ArgumentHelp("Calibration file to write its delay part into.", valueName: "file.json"))
  var out: String

  @Option(help: "What to write of the errors: table, ndjson or csv.")
  var output = EvaluateDelayCommand.OutputKind.table

  func run() throws {
    let samples = try RangeSamples(
      captures, truth: try truth.map { try TruthTable(path: $0) }, engine: engine)
    let fit = DelayCalibrationFit()
    guard let calibration = fit.calibration(of: samples.samples) else {
      throw CaptureError(
        file: captures.joined(separator: ", "), problem: "the distances determine no calibration",
        remedy: "Give captures with finite distances in line of sight.")
    }
    var writer = EvaluationTableWriter(EvaluationTableWriter.Kind(output), ByteOutput())
    if let validation = DelayCrossValidation(samples, fit: fit) {
      try writer.write(validation.table)
    } else {
      Message.write("One capture alone can't be left out: errors of other captures are not known.")
    }
    try CalibrationFile.update(out) { $0.delay = calibration }
    for device in calibration.devices {
      let metres = SummaryOutput.decimal(device.delay * UWB.speedOfLightInAir / 2, 4)
      Message.write(
        "\(out): device \(device.address ?? "unnamed"), delay \(SummaryOutput.decimal(device.delay * 1e9, 4)) ns (\(metres) m)"
      )
    }
    let knots = calibration.lineOfSight.knots
    let curve = knots.isEmpty ? "no power bias" : "power bias over \(knots.count) knots"
    Message.write("\(out): \(curve)\(calibration.obstructed == nil ? "" : ", another for NLOS")")
  }
}
