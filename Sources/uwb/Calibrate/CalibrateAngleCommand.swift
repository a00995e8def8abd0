import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP
import UWBReport

/// `uwb calibrate angle`: how a board's antennas answer to direction, from measurements with true angles.
struct CalibrateAngleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "angle", abstract: "Measure how a board's antennas answer to direction.",
    discussion: """
      Takes tables of phase differences with true angles, or captures of several antennas' CIRs. Directions are held \
      out on a checkerboard, both ways round, to tell what the calibration is worth; then all of them make it.

      EXAMPLE
        uwb calibrate angle walk.sigmf-meta --out cal.json
        uwb calibrate angle board.csv --out cal.json --svg errors.svg
        uwb replay other.csv --calibration cal.json
      """)

  @Argument(help: ArgumentHelp("Captures with true angles.", valueName: "capture"))
  var captures: [String]

  @OptionGroup(title: "Input options") var options: InputOptions

  @Option(help: ArgumentHelp("Truth table, for captures that don't hold their true angles.", valueName: "file.csv"))
  var truth: String?

  @Option(help: ArgumentHelp("JSON file with the receiver's antennas, for CIRs.", valueName: "file.json"))
  var array: String?

  @Option(help: ArgumentHelp("Calibration file to write this part of.", valueName: "file.json"))
  var out: String

  @Option(help: ArgumentHelp("Draw errors before and after over the grid.", valueName: "file.svg"))
  var svg: String?

  @Option(help: "What to print: a table, or ndjson.")
  var output = OutputKind.table

  @Option(
    help: ArgumentHelp(
      "Azimuth and elevation within which errors are given besides those of all rows, degrees.", valueName: "az,el"))
  var inner = "48,24"

  enum OutputKind: String, ExpressibleByArgument, CaseIterable {
    case table, ndjson
  }

  private var innerLimits: SIMD2<Double>? {
    let parts = inner.split(separator: ",").compactMap { Double($0) }
    guard parts.count == 2, parts.allSatisfy({ $0 > 0 && $0 <= 180 }) else { return nil }
    return SIMD2(parts[0], parts[1]) * .pi / 180
  }

  func validate() throws {
    guard innerLimits != nil else { throw ValidationError("--inner takes two angles in degrees, as in 48,24.") }
  }

  func run() throws {
    try FileUse(captures: captures, files: [truth, array], outputs: [out, svg]).check()
    var measured = try AngleMeasurements(
      captures, input: options, truth: try TruthFile.read(truth, captures: captures) ?? TruthTable(),
      array: try array.map(ArrayFile.read))
    guard !measured.samples.isEmpty || !measured.snapshots.isEmpty else {
      throw CaptureError(
        file: captures.joined(separator: ", "),
        problem: "there is no exchange with phase differences, or CIRs of several antennas, and true angles",
        remedy: "Give a table with columns like PDoA1, PDoA2, Real Azimuth, Real Elevation, or name them with "
          + "--columns; captures without true angles need --truth, those that don't know their antennas --array.")
    }
    let report: AngleCalibrationReport
    if measured.samples.isEmpty {
      report = try validateAntennas(measured)
    } else {
      measured.sort()
      report = try validate(measured)
    }
    switch output {
    case .table: try ByteOutput.write(report.table)
    case .ndjson: try ByteOutput.write(report.ndjson)
    }
    if let svg { try OutputFile.write(report.picture.svg(), to: svg) }
    let isBoard = report.calibration.manifold != nil
    try CalibrationFile.update(out) { file in
      // Phases and CIRs have parts of their own: what the other run measured stays.
      var angle = file.angle ?? AngleCalibration()
      if isBoard {
        let antennas = angle.antennas
        angle = report.calibration
        angle.antennas = antennas
      } else {
        angle.antennas = report.calibration.antennas
      }
      file.angle = angle
    }
    Message.write("\(out): \(report.measured.samples.count) measurements, \(report.pointCount) directions")
  }

  private func validate(_ measured: AngleMeasurements) throws -> AngleCalibrationReport {
    do {
      let heldOut = try PhaseCrossValidation()(measured.samples)
      let fitted = try PhaseManifoldFit()(measured.samples)
      let scale = PhaseCrossValidation.deviationScale(heldOut, measured.samples)
      return AngleCalibrationReport(
        measured: measured, heldOut: heldOut,
        calibration: AngleCalibration(
          carriers: fitted.carriers, manifold: fitted.manifold, azimuthDeviationScale: scale.x,
          elevationDeviationScale: scale.y),
        pointCount: fitted.pointCount, inner: innerLimits ?? SIMD2(0, 0))
    } catch let failure {
      switch failure {
      case .tooFewDirections(let found, let needed):
        throw CaptureError(
          file: captures.joined(separator: ", "), problem: "\(found) different directions are too few",
          remedy: "Measure at \(2 * needed) directions or more: half of them are held out to check the rest.")
      case .unevenSamples:
        throw CaptureError(
          file: captures.joined(separator: ", "),
          problem: "the captures differ in how many phase differences they hold",
          remedy: "Calibrate each board by itself.")
      }
    }
  }

  private func validateAntennas(_ measured: AngleMeasurements) throws -> AngleCalibrationReport {
    guard let array = measured.array,
      let checked = AntennaCrossValidation(fit: AntennaFit(array: array))(measured.snapshots),
      let fitted = AntennaFit(array: array)(measured.snapshots, model: checked.model)
    else {
      throw CaptureError(
        file: captures.joined(separator: ", "),
        problem: "\(measured.snapshots.count) exchanges are too few to calibrate antennas",
        remedy: "Record some hundred exchanges over many directions.")
    }
    let heldOut = checked.after.enumerated().map { index, estimate in
      PhaseCrossValidation.HeldOut(
        index: index, half: checked.halves[index], status: estimate == nil ? .unusable : .ok,
        source: estimate.map {
          SourceDirection(direction: $0.direction, azimuth: $0.azimuth, elevation: $0.elevation)
        })
    }
    let half = 0.5 * Double.pi / 180
    let directions = Set(
      measured.snapshots.map { SIMD2(($0.azimuth / half).rounded(), ($0.elevation / half).rounded()) })
    return AngleCalibrationReport(
      measured: AngleMeasurements(measured.snapshots, before: checked.before), heldOut: heldOut,
      calibration: AngleCalibration(antennas: fitted.calibration), pointCount: directions.count,
      inner: innerLimits ?? SIMD2(0, 0), antennas: fitted)
  }
}
