import ArgumentParser
import UWBBaselines
import UWBCalibration
import UWBCapture
import UWBDSP

extension AngleMethod: ExpressibleByArgument {}

/// How exchanges become measurements: shared by every verb that runs the engine.
struct EngineOptions: ParsableArguments {
  @OptionGroup(title: "Input options") var input: InputOptions

  @Option(
    help: ArgumentHelp(
      "First-path estimator: \(DelayMethod.all.map(\.name).joined(separator: ", ")).",
      discussion: "By default that of the capture's radio. chip takes the recorded first paths.",
      valueName: "name"))
  var delay: DelayMethod?

  @Option(
    help: ArgumentHelp(
      "Angle estimator: joint, phase-fit, or none for no direction.",
      discussion: "joint falls back to phase-fit where the delay estimator does not fit pulses.", valueName: "name"))
  var angle = AngleMethod.joint

  @Option(
    help: ArgumentHelp(
      "Pulse: profile, raised-cosine, root-raised-cosine, dw1000, or a JSON file with a measured one.",
      discussion:
        "By default the profile's, or where that is wrong by 4 % or more what the capture's first CIRs show; profile: always the profile's.",
      valueName: "name|file"))
  var pulse: String?

  @Option(help: ArgumentHelp("JSON file with the receiver's antennas.", valueName: "file"))
  var array: String?

  @Option(
    help: ArgumentHelp(
      "Calibration file that uwb calibrate wrote.",
      discussion:
        "Without a calibration by calibrate bias, line of sight is judged by a model of simulated sites.",
      valueName: "file"))
  var calibration: String?

  /// `--pulse`, where it is not the profile's.
  private var namedPulse: String? { pulse == CapturePulse.profileName ? nil : pulse }

  /// Files that are read beside captures, with what they are.
  var namedFiles: [(kind: String, path: String?)] {
    [
      (ReportFile.calibration, calibration), ("Antennas", array),
      ("Pulse", namedPulse.flatMap { PulseFile.isNamed(by: $0) ? $0 : nil }),
    ] + input.truth.files.map { ("Trajectory", $0) }
  }

  /// Files that are read beside captures.
  var files: [String?] { namedFiles.map(\.path) }

  @Flag(help: "Make a mismatch between calibration and capture an error, before anything is written.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Name of the board that recorded, if captures don't name it.",
      discussion: "An angle calibration of another or unknown board gives larger standard deviations.",
      valueName: "name"))
  var board: String?

  /// Opens the capture at `path`; what does not fit the calibration is told as it is met.
  ///
  /// - Throws: `CaptureError` for a capture that can't be read; with `--strict`, from here or from `next`, for a misfit.
  func open(_ path: String) throws -> any CaptureReader {
    guard calibration != nil || array != nil else { return try input.open(path) }
    return try CheckedReader(path, self) { found in
      if strict { throw misfit(found) }
      for text in found { Message.warn(text) }
    }
  }

  /// Whether what does not fit is told, or moves a truth's clock, while a capture is opened and read.
  var tellsWhileReading: Bool { calibration != nil || array != nil || input.truth.truthTrajectory != nil }

  /// With `--strict`: reads the captures to their ends for what does not fit. Standard input is checked as it is read.
  ///
  /// - Throws: `CaptureError` where something does not fit.
  func checkStrictly(_ captures: [String]) throws {
    guard strict, calibration != nil || array != nil else { return }
    var all: [String] = []
    for capture in captures where capture != "-" {
      var reader = try CheckedReader(capture, self) { found in
        for text in found where !all.contains(text) { all.append(text) }
      }
      while try reader.next() != nil {}
    }
    if !all.isEmpty { throw misfit(all) }
  }

  private func misfit(_ found: [String]) -> CaptureError {
    for text in found.dropFirst() { Message.write("Error: \(text)") }
    return CaptureError(
      file: calibration ?? array ?? "", problem: "does not fit the capture: \(found.first ?? "")",
      remedy: "Calibrate for this capture, or leave --strict out to be warned and go on.")
  }

  func check(of exchange: RangingExchange, header: CaptureHeader, file: String) throws -> CalibrationCheck {
    let known = try calibration.map(CalibrationFile.read) ?? Calibration()
    let configuration = try configuration(for: header, file: file, first: exchange)
    var check = CalibrationCheck(
      file: calibration, calibration: known, configuration: configuration, isArrayGiven: array != nil)
    check.begin(board: try identity(known, file, exchange))
    return check
  }

  /// Which board an angle calibration meets in a capture that begins with `exchange`.
  private func identity(_ known: Calibration, _ file: String, _ exchange: RangingExchange?) throws -> BoardIdentity {
    guard angle != .none, let exchange, let measured = known.angle else { return .irrelevant }
    let isOfPhases = exchange.phaseDifferences != nil
    guard isOfPhases ? measured.manifold != nil : measured.antennas != nil else { return .irrelevant }
    let origin = isOfPhases ? known.origins?.board : known.origins?.antennas
    let found = try BoardIdentity(origin, board: board, local: exchange.local) { try captureHash(file) }
    // Who trimmed a calibration did so for the board at hand.
    return found == .unknown && measured.boardVariance != nil ? .same : found
  }

  /// The engine for a capture that calls itself `header`.
  ///
  /// - Parameter first: the capture's first exchange, where it may tell which device recorded.
  /// - Throws: `CaptureError` for a profile that is not known, or a file that can't be read.
  func engine(for header: CaptureHeader, file: String, first: RangingExchange? = nil) throws -> RangingEngine {
    RangingEngine(try configuration(for: header, file: file, first: first))
  }

  /// The engine that replays a capture: where nothing says otherwise, with the pulse that its first CIRs show if the profile's is plainly
  /// wrong, which is told. Calibrations hold for the pulse that they were made with: with one, none is learned.
  ///
  /// - Parameter known: what the CIRs show, where they have been read.
  /// - Returns: with the engine, what was told.
  /// - Throws: as `engine`.
  func replayEngine(
    for header: CaptureHeader, file: String, first: RangingExchange, known: PulseLearning.Outcome? = nil
  ) throws -> (engine: RangingEngine, pulse: String?) {
    var configuration = try configuration(for: header, file: file, first: first)
    var told: String?
    if learning(of: header, file: file) != nil {
      let outcome = known ?? CapturePulse.outcome(file, input, configuration.profile)
      told = CapturePulse.text(outcome, configuration.profile)
      configuration.profile = configuration.profile.with(outcome)
      if let told { Message.warn("\(file): \(told)") }
    }
    return (RangingEngine(configuration), told)
  }

  /// Learns the pulse of a capture that calls itself `header`; `nil` where nothing of it would be used.
  func learning(of header: CaptureHeader, file: String) -> CapturePulse? {
    guard pulse == nil, calibration == nil, let profile = try? input.deviceProfile(of: header, file: file),
      (delay ?? profile.delay) != .chip
    else { return nil }
    return CapturePulse(profile)
  }

  private func configuration(
    for header: CaptureHeader, file: String, first: RangingExchange?
  ) throws -> RangingEngine.Configuration {
    var profile = try input.deviceProfile(of: header, file: file)
    if let namedPulse {
      let known = try PulseFile.pulse(named: namedPulse)
      profile.pulse = known.shape
      profile.modelError = known.modelError ?? profile.modelError
    }
    let array = try array.map(ArrayFile.read) ?? header.array.map(AntennaArray.init)
    var known = try calibration.map(CalibrationFile.read) ?? Calibration()
    switch try identity(known, file, first) {
    case .unknown, .other: known.angle?.boardVariance = BoardTrim.otherBoardVariance
    case .same, .irrelevant: break
    }
    if angle == .none {
      known.angle = nil
    } else if header.format == "phase-table", array == nil, known.angle?.search() == nil {
      throw CaptureError(
        file: calibration ?? file, problem: "nothing says how this board's phase differences depend on direction",
        remedy: "Measure it with uwb calibrate angle TABLE.csv --out CAL.json and give --calibration CAL.json, "
          + "or give the antennas with --array, or leave direction out with --angle none.")
    }
    if let antennas = array?.positions.count, angle != .none, known.angle?.search() == nil,
      let differences = first?.phaseDifferences?.count, differences > 0, differences != antennas - 1
    {
      throw CaptureError(
        file: self.array ?? file,
        problem: "\(antennas) antennas have \(antennas - 1) phase differences, and \(file) has \(differences)",
        remedy: "Give an array of \(differences + 1) antennas, or name the columns with --columns \"phase1=HEADER,…\".")
    }
    // On one antenna it is told as not used: distances need none.
    if let array, array.positions.count > 1, let antennas = known.angle?.antennas?.positions.count,
      antennas != array.positions.count
    {
      throw CaptureError(
        file: calibration ?? file, place: "angle.antennas",
        problem: "it was measured on \(antennas) antennas, and there are \(array.positions.count)",
        remedy: "Give the calibration of this device, or measure it with uwb calibrate angle.")
    }
    // A range bias is that of the estimator it was learnt with.
    let calibrated = known.quality?.rangeBias == nil ? nil : known.quality?.delay.flatMap(DelayMethod.named)
    return RangingEngine.Configuration(
      profile: profile, delay: delay ?? calibrated, array: array, angle: angle, calibration: known)
  }
}
