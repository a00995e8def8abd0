import ArgumentParser
import UWBCapture
import UWBDSP

extension CaptureOptions.Rows: ExpressibleByArgument {}

/// How a capture is read: its format, and what it does not say of itself.
struct InputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Capture format, or auto to detect it from the content.",
      discussion: "Formats: \(CaptureFormat.all.map(\.name).joined(separator: ", ")).", valueName: "name"))
  var format = "auto"

  @Option(
    help: ArgumentHelp(
      "The receiver's radio, where the capture does not name it or names it wrongly.", valueName: "name"))
  var profile: String?

  @Option(help: "NumPy arrays of two axes: what the rows are, antennas or cirs.")
  var rows = CaptureOptions.Rows.antennas

  @Option(help: "NumPy arrays: factor of each sample.", transform: OptionRange.scale)
  var scale: Float?

  @Option(
    help: ArgumentHelp("NumPy arrays: time between taps, ns; 1.0016 by default.", valueName: "ns"),
    transform: OptionRange.reader(OptionRange.tapSpacing))
  var tapSpacing: Double?

  @Option(
    help: ArgumentHelp("NumPy arrays: the chip's own first path.", valueName: "taps"),
    transform: OptionRange.reader(CaptureLimits.taps))
  var firstPath: Double?

  @Option(
    help: ArgumentHelp(
      "Headers of a table's columns, as in \"distance=Range 1,peer=Node\"; without a header 1, 2, 3, ….",
      discussion: "Usual headers are recognised without; naming some makes the capture a table of measurements.",
      valueName: "name=header,…"))
  var columns: String?

  @Option(
    help: ArgumentHelp(
      "Units of a table's columns, where headers don't say them: mm, or \"distance=cm,time=ms\".",
      valueName: "unit|name=unit,…"))
  var unit: String?

  @Option(
    help: ArgumentHelp(
      "Tables of ranges: standard deviation of a distance, m. Without one the tracker learns it.", valueName: "m"),
    transform: OptionRange.reader(OptionRange.deviation))
  var deviation: Double?

  @OptionGroup(title: "Truth of what moves") var truth: TrajectoryOptions

  /// As the capture library takes them.
  ///
  /// - Throws: `CaptureError` for columns that make no sense.
  func options() throws -> CaptureOptions {
    var options = CaptureOptions(
      profile: profile, rows: rows, scale: scale, tapSpacing: tapSpacing.map { $0 * 1e-9 }, firstPathTaps: firstPath)
    options.columns = try TableColumns(columns ?? "", unit: unit)
    options.deviation = deviation
    options.anchors = try TrajectoryOptions.places(truth.anchors, option: "--anchors").addresses
    options.tags = try TrajectoryOptions.places(truth.tags, option: "--tags").addresses
    options.endDescriptor = Interruption.endDescriptor
    return options
  }

  /// The same without the trajectory of true positions.
  private var withoutTrajectory: InputOptions {
    var copy = self
    copy.truth.truthTrajectory = nil
    copy.truth.truthOffset = nil
    return copy
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

  /// The captures that arguments name, folders and patterns resolved. What of a folder is no capture is told.
  ///
  /// - Throws: `CaptureError` for options that make no sense.
  func captures(_ arguments: [String]) throws -> [String] {
    _ = try options()
    let paths = CapturePaths(arguments) { _ = try open($0) }
    for (path, problem) in paths.passedOver.prefix(5) { Message.note("Passed over: \(path) \(problem)") }
    if paths.passedOver.count > 5 { Message.note("Passed over: \(paths.passedOver.count - 5) files more") }
    return paths.captures
  }

  /// Opens the capture at `path`.
  ///
  /// - Throws: `CaptureError` for one that can't be read, or options that make no sense.
  func open(_ path: String) throws -> OpenedCapture { try open(path, hasTruth: true) }

  /// The same.
  ///
  /// - Parameter hasTruth: false leaves out the trajectory of true positions: aligning it reads the whole capture.
  func open(_ path: String, hasTruth: Bool) throws -> OpenedCapture {
    let saved = try CaptureDescription.read(beside: path)
    var whole = saved.map(completed) ?? self
    if !hasTruth { whole = whole.withoutTrajectory }
    var opened = try whole.openAsSaid(path)
    guard let saved else { return opened }
    opened.profile = whole.profile
    opened.notes = ["\(CaptureDescription.path(of: path)) says: \(saved.text)"]
    return opened
  }

  private func openAsSaid(_ path: String) throws -> OpenedCapture {
    if let profile { _ = try Self.deviceProfile(profile, file: path) }
    let options = try options()
    func open() throws -> any CaptureReader { try openCapture(path, format: format, options: options) }
    guard var trajectory = try truth.trajectory() else { return OpenedCapture(try open(), path: path) }
    try truth.align(&trajectory, path, open: open)
    return OpenedCapture(TrajectoryReader(reader: try open(), trajectory: trajectory), path: path)
  }
}
