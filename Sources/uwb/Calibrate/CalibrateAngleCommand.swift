import ArgumentParser
import Foundation
import UWBCalibration
import UWBCapture
import UWBDSP
import UWBReport

/// `uwb calibrate angle`: how a board's antennas answer to direction, from measurements with true angles.
struct CalibrateAngleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "angle", abstract: "Measure how a board's antennas answer to direction.",
    discussion: """
      Takes tables of phase differences with true angles, or captures of several antennas' CIRs. For the \
      printed errors, directions form a checkerboard, and each colour is held out in turn. The calibration uses all.

      EXAMPLE
        uwb calibrate angle walk.sigmf-meta --out cal.json
        uwb calibrate angle board.csv --out cal.json --report errors.html
        uwb replay other.csv --calibration cal.json
        uwb calibrate angle --trim boresight-of-b.csv --calibration cal.json --board b --out b.json
      """)

  @Argument(help: ArgumentHelp("Captures with true angles.", valueName: "capture"))
  var captures: [String] = []

  @Option(
    help: ArgumentHelp(
      "Move the calibration to another board by what that one measured at one or a few known directions.",
      discussion: "Without captures the calibration of --calibration, or else of --out, is moved.", valueName: "table"))
  var trim: String?

  @Option(help: ArgumentHelp("With --trim: the calibration file to move; it is left as it is.", valueName: "file.json"))
  var calibration: String?

  @OptionGroup(title: "Input options") var options: InputOptions

  @Option(help: ArgumentHelp("Truth table, for captures that don't hold their true angles.", valueName: "file.csv"))
  var truth: String?

  @Option(help: ArgumentHelp("JSON file with the receiver's antennas, for CIRs.", valueName: "file.json"))
  var array: String?

  @Option(
    help: ArgumentHelp(
      "Name of this board, which replay --board compares.", valueName: "name"))
  var board: String?

  @Option(help: ArgumentHelp("Calibration file to write this part of.", valueName: "file.json"))
  var out: String

  @Option(help: "What to print: a table, or ndjson.")
  var output = TableOutput.table

  @Option(
    help: ArgumentHelp(
      "Inner region, degrees: its errors are printed beside those of all rows.", valueName: "az,el"))
  var inner = "48,24"

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  private var innerLimits: SIMD2<Double>? {
    let parts = inner.split(separator: ",").compactMap { Double($0) }
    guard parts.count == 2, parts.allSatisfy({ $0 > 0 && $0 <= 180 }) else { return nil }
    return SIMD2(parts[0], parts[1]) * .pi / 180
  }

  func validate() throws {
    guard innerLimits != nil else { throw ValidationError("--inner takes two angles in degrees, as in 48,24.") }
    guard !captures.isEmpty || trim != nil else {
      throw ValidationError("Give captures to calibrate on, or --trim to move a calibration that is there.")
    }
    guard calibration == nil || captures.isEmpty else {
      throw ValidationError("--calibration goes with --trim alone: captures make a calibration of their own.")
    }
  }

  mutating func run() throws {
    captures = try options.captures(captures)
    let inputs = captures + [trim].compactMap { $0 }
    try FileUse(captures: inputs, files: [truth, array, calibration], outputs: [out, page.report]).check()
    let table = try TruthFile.read(truth, captures: inputs) ?? TruthTable()
    let file = page.begin(
      captures: captures,
      files: [
        ("Reference directions", trim), ("Truth", truth), ("Antennas", array), (ReportFile.calibration, calibration),
      ])
    guard !captures.isEmpty else {
      let name = calibration ?? out
      let known = try CalibrationFile.read(name)
      guard let angle = known.angle else {
        throw CaptureError(
          file: name, place: "angle", problem: "is missing", remedy: "Measure a board with uwb calibrate angle first.")
      }
      let moved = try write(angle, isBoard: true, known.origins?.board, table)
      let written = try CalibrationFile.read(out).angle ?? angle
      try file?.write { provenance in
        var page = Page(
          title: "Calibration of angles, moved", sentence: moved ?? "", sections: CalibrationSections.angle(written),
          provenance: provenance)
        page.leadWithCharts()
        return page
      }
      return
    }
    var measured = try measurements(captures, table)
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
    if report.isChipAsGood {
      Message.write(
        "\(out): no calibration of phase differences is written: on directions held out it does not beat the chip's own angles. Measure "
          + "more directions, and each of them more often.")
    }
    let moved = try write(
      report.isChipAsGood ? AngleCalibration() : report.calibration, isBoard: report.antennas == nil,
      measured.origin.made(board: trim == nil ? board : nil), table)
    Message.note("\(out): \(report.measured.samples.count) measurements, \(report.pointCount) directions")
    try file?.write { provenance in
      Page(
        title: "Calibration of angles: \(ReportFile.title(of: captures))",
        sentence: report.sentence + (moved.map { " \($0)" } ?? ""), picture: report.picture,
        sections: report.sections, provenance: provenance)
    }
  }

  private func measurements(_ captures: [String], _ table: TruthTable) throws -> AngleMeasurements {
    let measured = try AngleMeasurements(
      captures, input: options, truth: table, array: try array.map(ArrayFile.read))
    guard !measured.samples.isEmpty || !measured.snapshots.isEmpty else {
      throw CaptureError(
        file: captures.joined(separator: ", "),
        problem: "there is no exchange with phase differences, or CIRs of several antennas, and true angles",
        remedy: "Give a table with columns like PDoA1, PDoA2, Real Azimuth, Real Elevation, or name them with "
          + "--columns; captures without true angles need --truth, those that don't know their antennas --array.")
    }
    return measured
  }

  /// Writes one part, moved to the board of `--trim` where that is given.
  ///
  /// - Returns: how far it was moved.
  @discardableResult
  private func write(
    _ calibration: AngleCalibration, isBoard: Bool, _ origin: CalibrationOrigin?, _ table: TruthTable
  ) throws -> String? {
    var (calibration, origin, text) = (calibration, origin, String?.none)
    if let trim { (calibration, origin, text) = try moved(calibration, origin, by: trim, table) }
    try CalibrationFile.update(out) { file, origins in
      // Phases and CIRs have parts of their own: what the other run measured stays.
      var angle = file.angle ?? AngleCalibration()
      if isBoard {
        let antennas = angle.antennas
        angle = calibration
        angle.antennas = antennas
        origins.board = calibration.manifold == nil ? nil : origin
      } else {
        angle.antennas = calibration.antennas
        origins.antennas = origin
      }
      file.angle = angle == AngleCalibration() ? nil : angle
    }
    return text
  }

  // MARK: Another board

  private func moved(
    _ calibration: AngleCalibration, _ origin: CalibrationOrigin?, by trim: String, _ table: TruthTable
  ) throws -> (AngleCalibration, CalibrationOrigin?, String?) {
    let references = try measurements([trim], table)
    let result: BoardTrim.Result
    do {
      result = try BoardTrim()(calibration, references: references.samples)
    } catch {
      throw Self.captureError(error, trim)
    }
    let offsets = result.offsets.map { String(decimal: $0.degrees, places: 1) + "°" }.joined(separator: ", ")
    let left = String(decimal: (result.calibration.boardVariance ?? 0).squareRoot().degrees, places: 1)
    let text =
      "moved by \(offsets) at \(result.directionCount) reference directions; phases may differ by \(left)° still"
    Message.note("\(out): \(text)")
    var made = references.origin.made(board: board)
    made.trimmedFrom = (origin?.trimmedFrom ?? []) + (origin?.captures ?? [])
    return (result.calibration, made, "The phases were \(text).")
  }

  private static func captureError(_ failure: BoardTrim.Failure, _ trim: String) -> CaptureError {
    func degrees(_ angle: Double) -> String { String(decimal: angle.degrees, places: 1) }
    let (problem, remedy): (String, String) =
      switch failure {
      case .noManifold:
        (
          "there is no calibration of phase differences to move",
          "--trim moves what a table of phase differences gave; calibrate CIRs of another device anew."
        )
      case .noReference:
        (
          "it holds no phase differences with a true angle",
          "Record one direction or more that you know, boresight say."
        )
      case .otherChannels(let found, let expected):
        (
          "it has \(found) phase differences, and the calibration \(expected)",
          "Give a table of a board of the same kind, all differences of a row being there."
        )
      case .outside(let azimuth, let elevation):
        (
          "the direction \(degrees(azimuth))° azimuth, \(degrees(elevation))° elevation lies outside the calibration",
          "Take reference directions from inside what was measured."
        )
      }
    return CaptureError(file: trim, problem: problem, remedy: remedy)
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
        isChipAsGood: !PhaseCrossValidation.beats(measured.chip, heldOut, measured.samples),
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
