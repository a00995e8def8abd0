import ArgumentParser
import UWBCapture
import UWBDSP

extension DelayMethod: ExpressibleByArgument {}
extension AngleMethod: ExpressibleByArgument {}

/// How exchanges become measurements: shared by every verb that runs the engine.
struct EngineOptions: ParsableArguments {
  @Option(help: "Capture format, or auto to tell it by the content.")
  var format = "auto"

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

  @Option(help: ArgumentHelp("Calibration file that uwb calibrate wrote.", valueName: "file"))
  var calibration: String?

  /// The engine for a capture that calls itself `header`.
  ///
  /// - Throws: `CaptureError` for a profile that is not known, or a file that can't be read.
  func engine(for header: CaptureHeader, file: String) throws -> RangingEngine {
    guard var profile = DeviceProfile.named(header.profile) else {
      throw CaptureError(
        file: file, problem: "there is no device profile “\(header.profile)”",
        remedy: "Known profiles are: \(DeviceProfile.all.map(\.name).joined(separator: ", ")).")
    }
    if let pulse { profile.pulse = try PulseFile.shape(named: pulse) }
    let array = try array.map(ArrayFile.read) ?? header.array
    let calibration = try calibration.map(CalibrationFile.read) ?? Calibration()
    // A range bias is that of the estimator it was learnt with.
    let calibrated = calibration.quality?.rangeBias == nil ? nil : calibration.quality?.delay
    if let delay, let calibrated, delay != calibrated {
      Message.write(
        "The calibration's range bias is \(calibrated.rawValue)'s and is not used with --delay \(delay.rawValue).")
    }
    return RangingEngine(
      RangingEngine.Configuration(
        profile: profile, delay: delay ?? calibrated, array: array, angle: angle, calibration: calibration))
  }
}
