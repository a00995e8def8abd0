import ArgumentParser
import Foundation
import UWBCalibration
import UWBCapture
import UWBDSP
import UWBReport

/// `uwb calibrate delay`: antenna delays and power bias from captures of known distance.
struct CalibrateDelayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delay", abstract: "Measure antenna delays and power bias.",
    discussion: """
      Writes the delay part of the calibration file and keeps the other parts. Captures in line \
      of sight give the delays of all devices and one curve of bias over received power; captures labelled NLOS give a \
      curve of their own. Errors before and after are printed, each capture scored by a calibration made without it. \
      Three devices or more, ranged in all pairs, get a delay each. Of two, only the sum is known; it is split evenly.

      Where distances are not known, --self plane (or space, or line) finds them together with the delays, for devices that \
      stand still and are ranged in pairs: seven in a plane, eight in space, fewer where the truth table has some of the \
      distances or --known-delay gives delays. What the captures don't determine is reported.

      EXAMPLES
        uwb calibrate delay LOS/*.csv --truth truth.csv --out cal.json && uwb replay other.csv --calibration cal.json
        uwb calibrate delay pairs/*.sigmf-meta --self plane --out cal.json
      """)

  @Argument(help: ArgumentHelp("Captures to read.", valueName: "capture"))
  var captures: [String]

  @OptionGroup var engine: EngineOptions

  @Option(help: ArgumentHelp("Truth table; captures that hold their own need none.", valueName: "file.csv"))
  var truth: String?

  @Option(help: ArgumentHelp("Calibration file to write its delay part into.", valueName: "file.json"))
  var out: String

  @Option(help: "What to write of the errors: table, ndjson or csv.")
  var output = EvaluationOptions.Output.table

  @Option(
    name: .customLong("self"),
    help: ArgumentHelp(
      "Find the distances that --truth does not give; the devices stand on a line, in a plane or in space.",
      valueName: "arrangement"))
  var arrangement: SelfCalibration.Arrangement?

  @Option(
    help: ArgumentHelp("With --self: a delay that is known, ns; may be repeated.", valueName: "address=ns"))
  var knownDelay: [SelfCalibrationRun.KnownDelay] = []

  @Option(
    help: ArgumentHelp("With --self: standard deviation that a place adds to a range, m.", valueName: "m"),
    transform: OptionRange.reader(OptionRange.deviation))
  var placeDeviation = 0.02

  @Option(
    help: ArgumentHelp("With --self: standard deviation of the truth table's distances.", valueName: "m"),
    transform: OptionRange.reader(OptionRange.deviation))
  var surveyDeviation = 0.01

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if arrangement == nil, !knownDelay.isEmpty {
      throw ValidationError("--known-delay goes with --self; without it distances are known and delays follow.")
    }
  }

  mutating func run() throws {
    captures = try engine.input.captures(captures)
    let file = try page.begin(captures: captures, files: engine.namedFiles + [("Truth", truth)], outputs: [out])
    if let arrangement { return try calibrateSelf(arrangement, file) }
    let samples = try RangeSamples(
      captures, truth: try TruthFile.read(truth, captures: captures), engine: engine)
    let fit = DelayCalibrationFit()
    guard let report = fit.report(of: samples.samples) else {
      throw CaptureError(
        file: captures.joined(separator: ", "), problem: "the distances determine no calibration",
        remedy: "Give captures with finite distances in line of sight.")
    }
    var writer = EvaluationTableWriter(output, ByteOutput())
    let validation = DelayCrossValidation(samples, fit: fit)
    if let validation {
      try writer.write(validation.table)
    } else {
      Message.note("One capture alone can't be left out: errors of other captures are not known.")
    }
    let messages = DelayReport(report).messages
    for message in messages { Message.note(message) }
    try write(report.calibration, samples.origin)
    var sections = CalibrationSections.delay(report.calibration)
    if let validation {
      sections.append(
        .init(
          "Errors before and after", note: "Each capture was scored by a calibration made without it.",
          tables: [validation.table]))
    }
    let held = validation?.sentence.map { "\($0) " } ?? ""
    try write(
      file, "\(samples.samples.count) distances of \(samples.captures.count) captures. \(held)", report.calibration,
      messages, sections, errors: validation?.panel)
  }

  private func write(
    _ file: ReportFile?, _ sentence: String, _ calibration: DelayCalibration, _ messages: [String],
    _ sections: [Page.Section], errors: Panel? = nil
  ) throws {
    let picture = CalibrationSections.picture(calibration)
    try file?.write { provenance in
      var page = Page(
        title: "Antenna delays: \(ReportFile.title(of: captures))",
        sentence: sentence
          + (picture == nil ? "No delay is taken off." : "What each antenna delay adds to a distance:"),
        picture: picture,
        sections: [.init("How it was chosen", messages.map { .text($0) })] + sections, provenance: provenance)
      if let errors { page.sections.append(.init("Distribution of errors", panels: [errors])) }
      // Where no delay is taken off, the errors are what there is to see.
      page.leadWithCharts()
      return page
    }
  }

  private func calibrateSelf(_ arrangement: SelfCalibration.Arrangement, _ file: ReportFile?) throws {
    let run = try SelfCalibrationRun(
      captures, truth: try TruthFile.read(truth, captures: captures), engine: engine, arrangement: arrangement,
      knownDelays: knownDelay, placeDeviation: placeDeviation, surveyDeviation: surveyDeviation)
    var writer = EvaluationTableWriter(output, ByteOutput())
    for table in run.tables { try writer.write(table) }
    for message in run.messages { Message.note(message) }
    try write(run.solution.calibration, run.ranges.origin)
    try write(
      file, run.sentence, run.solution.calibration, run.messages,
      CalibrationSections.delay(run.solution.calibration) + [run.section])
  }

  private func write(_ calibration: DelayCalibration, _ origin: OriginRecord) throws {
    try CalibrationFile.update(out) { file, origins in
      file.delay = calibration
      origins.delay = origin.made()
    }
    for device in calibration.devices {
      let metres = String(decimal: device.delay * UWB.speedOfLightInAir / 2, places: 4)
      Message.note(
        "\(out): device \(device.address ?? "unnamed"), delay \(String(decimal: device.delay * 1e9, places: 4)) ns (\(metres) m)"
      )
    }
    let knots = calibration.lineOfSight.knots
    let curve = knots.isEmpty ? "no power bias" : "power bias over \(knots.count) knots"
    Message.note("\(out): \(curve)\(calibration.obstructed == nil ? "" : ", another for NLOS")")
  }
}
