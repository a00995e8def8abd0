import ArgumentParser
import UWBCapture
import UWBDSP

extension CaptureOptions.Rows: ExpressibleByArgument {}

/// How a capture is read: its format, and what it does not say of itself.
struct InputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Capture format, or auto to tell it by the content.",
      discussion: "Formats: \(CaptureFormat.all.map(\.name).joined(separator: ", ")).", valueName: "name"))
  var format = "auto"

  @Option(
    help: ArgumentHelp(
      "The receiver's radio, where the capture does not name it or names it wrongly.", valueName: "name"))
  var profile: String?

  @Option(help: "NumPy arrays of two axes: what the rows are, antennas or cirs.")
  var rows = CaptureOptions.Rows.antennas

  @Option(help: "NumPy arrays: what a sample is multiplied by.", transform: OptionRange.scale)
  var scale: Float?

  @Option(
    help: ArgumentHelp("NumPy arrays: time from tap to tap; the default is 1.0016.", valueName: "ns"),
    transform: OptionRange.reader(OptionRange.tapSpacing))
  var tapSpacing: Double?

  @Option(
    help: ArgumentHelp("NumPy arrays: the chip's own first path.", valueName: "taps"),
    transform: OptionRange.reader(CaptureLimits.taps))
  var firstPath: Double?

  @Option(
    help: ArgumentHelp(
      "Headers of a phase-difference table's columns, as in \"phase1=PDoA1,azimuth=Real Azimuth\".",
      discussion: "Usual headers are recognised without; naming some makes the capture such a table.",
      valueName: "name=header,…"))
  var columns: String?

  /// As the capture library takes them.
  ///
  /// - Throws: `CaptureError` for columns that make no sense.
  func options() throws -> CaptureOptions {
    var options = CaptureOptions(
      profile: profile, rows: rows, scale: scale, tapSpacing: tapSpacing.map { $0 * 1e-9 }, firstPathTaps: firstPath,
      columns: try columns.map { try PhaseTableColumns($0) } ?? PhaseTableColumns())
    options.endDescriptor = Interruption.endDescriptor
    return options
  }

  /// The radio of a capture that calls itself `header`.
  ///
  /// - Throws: `CaptureError` for a profile that is not known.
  func deviceProfile(of header: CaptureHeader, file: String) throws -> DeviceProfile {
    try Self.deviceProfile(profile ?? header.profile, file: file)
  }

  private static func deviceProfile(_ name: String, file: String) throws -> DeviceProfile {
    guard let known = DeviceProfile.named(name) else {
      throw CaptureError(
        file: file, problem: "there is no device profile “\(name)”",
        remedy: Suggestion.question(for: name, among: DeviceProfile.all.map(\.name))
          + "Known profiles are: \(DeviceProfile.all.map(\.name).joined(separator: ", ")).")
    }
    return known
  }

  /// Opens the capture at `path`.
  ///
  /// - Throws: `CaptureError` for one that can't be read, or options that make no sense.
  func open(_ path: String) throws -> OpenedCapture {
    if let profile { _ = try Self.deviceProfile(profile, file: path) }
    return OpenedCapture(try openCapture(path, format: format, options: options()), path: path)
  }
}
