import ArgumentParser
import UWBCapture
import UWBDSP

extension DelayMethod: ExpressibleByArgument {}

/// How exchanges become measurements: shared by every verb that runs the engine.
struct EngineOptions: ParsableArguments {
  @OptionGroup(title: "Input options") var input: InputOptions

  /// Capture format, or auto.
  var format: String { input.format }

  @Option(
    help: ArgumentHelp(
      "First-path estimator: \(DelayMethod.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: "The default is the one that fits the capture's radio. chip takes the recorded first paths.",
      valueName: "name"))
  var delay: DelayMethod?

  @Option(help: ArgumentHelp("Angle estimator: phase-fit, or none for no direction.", valueName: "name"))
  var angle = AngleMethod.phaseFit

  @Option(
    help: ArgumentHelp(
      "Pulse: raised-cosine, root-raised-cosine, dw1000, or a JSON file with a measured one.",
      discussion: "The default is the pulse of the capture's radio.", valueName: "name|file"))
  var pulse: String?

  @Option(help: ArgumentHelp("JSON file with the receiver's antennas.", valueName: "file"))
  var array: String?

  @Option(help: ArgumentHelp("Calibration file that uwb calibrate wrote.", valueName: "file"))
  var calibration: String?

  enum AngleMethod: String, ExpressibleByArgument, CaseIterable {
    case phaseFit = "phase-fit"
    case none
  }

  /// The engine for a capture that calls itself `header`.
  ///
  /// - Throws: `CaptureError` for a profile that is not known, or a file that can't be read.
  func engine(for header: CaptureHeader, file: String) throws -> RangingEngine {
    let name = input.profile ?? header.profile
    guard var profile = DeviceProfile.named(name) else {
      throw CaptureError(
        file: file, problem: "there is no device profile “\(name)”",
        remedy: "Known profiles are: \(DeviceProfile.all.map(\.name).joined(separator: ", ")).")
    }
    if let pulse { profile.pulse = try PulseFile.shape(named: pulse) }
    let array = try array.map(ArrayFile.read) ?? header.array
    return RangingEngine(
      RangingEngine.Configuration(
        profile: profile, delay: delay, array: angle == .none ? nil : array,
        calibration: try calibration.map(CalibrationFile.read) ?? Calibration()))
  }
}
