import ArgumentParser
import UWBCapture
import UWBDSP

extension DelayMethod: ExpressibleByArgument {}
extension AngleMethod: ExpressibleByArgument {}

/// How exchanges become measurements: shared by every verb that runs the engine.
struct EngineOptions: ParsableArguments {
  @OptionGroup(title: "Input options") var input: InputOptions

  @Option(
    help: ArgumentHelp(
      "First-path estimator: \(DelayMethod.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: "The default is the one that fits the capture's radio. chip takes the recorded first paths.",
      valueName: "name"))
  var delay: DelayMethod?

  @Option(
    help: ArgumentHelp(
      "Angle estimator: joint, phase-fit, or none for no direction.",
      discussion: "joint falls back to phase-fit where delays are not fitted by pulses.", valueName: "name"))
  var angle = AngleMethod.joint

  @Option(
    help: ArgumentHelp(
      "Pulse: raised-cosine, root-raised-cosine, dw1000, or a JSON file with a measured one.",
      discussion: "The default is the pulse of the capture's radio.", valueName: "name|file"))
  var pulse: String?

  @Option(help: ArgumentHelp("JSON file with the receiver's antennas.", valueName: "file"))
  var array: String?

  @Option(
    help: ArgumentHelp(
      "Calibration file that uwb calibrate wrote.",
      discussion:
        "Without one of calibrate bias the probability of line of sight is that of simulated sites.",
      valueName: "file"))
  var calibration: String?

  /// The engine for a capture that calls itself `header`.
  ///
  /// - Throws: `CaptureError` for a profile that is not known, or a file that can't be read.
  func engine(for header: CaptureHeader, file: String) throws -> RangingEngine {
    var profile = try input.deviceProfile(of: header, file: file)
    if let pulse { profile.pulse = try PulseFile.shape(named: pulse) }
    let array = try array.map(ArrayFile.read) ?? header.array
    var known = try calibration.map(CalibrationFile.read) ?? Calibration()
    if angle == .none {
      known.angle = nil
    } else if header.format == "phase-table", array == nil, known.angle?.search() == nil {
      throw CaptureError(
        file: calibration ?? file, problem: "nothing says how this board's phase differences depend on direction",
        remedy: "Measure it with uwb calibrate angle TABLE.csv --out CAL.json and give --calibration CAL.json, "
          + "or give the antennas with --array, or leave direction out with --angle none.")
    }
    if let array, let antennas = known.angle?.antennas?.positions.count, antennas != array.positions.count {
      throw CaptureError(
        file: calibration ?? file, place: "angle.antennas",
        problem: "it was measured on \(antennas) antennas, and there are \(array.positions.count)",
        remedy: "Give the calibration of this device, or measure it with uwb calibrate angle.")
    }
    // A range bias is that of the estimator it was learnt with.
    let calibrated = known.quality?.rangeBias == nil ? nil : known.quality?.delay
    if let delay, let calibrated, delay != calibrated {
      Message.write(
        "The calibration's range bias is \(calibrated.rawValue)'s and is not used with --delay \(delay.rawValue).")
    }
    return RangingEngine(
      RangingEngine.Configuration(
        profile: profile, delay: delay ?? calibrated, array: array, angle: angle, calibration: known))
  }
}
