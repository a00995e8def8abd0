import ArgumentParser
import Foundation
import UWBBaselines
import UWBCapture
import UWBDSP
import UWBReport
import UWBSimulation

/// `uwb evaluate angle`: estimators × SNR over one array and one set of sources, by simulation.
struct EvaluateAngleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "angle", abstract: "Measure angle estimators on simulated snapshots.",
    discussion: """
      Each trial draws amplitudes and noise anew from the seed; all estimators see the same snapshots. SNR is one \
      source's power at one antenna over the noise variance there. The bound is the stochastic Cramér–Rao bound, or the \
      deterministic one for a single snapshot and for coherent sources. Figures but the times are the same for any \
      number of threads. A row of antennas measures the angle to its own axis, and a plane of antennas can't tell front \
      from back: sources are in front. A miss is more than 10° off.

      ARRAYS
        \(NamedArray.known)

      SOURCES
        azimuths in degrees, "5,25", with elevations "10/20,-30/0"; ":coherent" behind the list gives all the same \
      waveform; "within:60" is one source anywhere within 60° of broadside, anew in every trial

      EXAMPLES
        uwb evaluate angle --array ula8 --sources 17.3 --snapshots 64 --snr 10 --trials 20000
        uwb evaluate angle --array ula8 --sources 5,25:coherent --snapshots 64 --snr 20
        uwb evaluate angle --array l3 --sources within:60 --snapshots 1 --snr 20 --output ndjson
      """)

  @Option(help: ArgumentHelp("An array by name, or an array file.", valueName: "name|file.json"))
  var array = "ula8"

  // Lists may begin with a minus.
  @Option(parsing: .unconditional, help: ArgumentHelp("Where the sources are.", valueName: "list"))
  var sources = "17.3"

  @Option(help: "Snapshots of each trial.", transform: OptionRange.reader(OptionRange.snapshots))
  var snapshots = 64

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Signal-to-noise ratios, dB, separated by commas.", valueName: "list"))
  var snr = "0,10,20"

  @Option(help: "Trials of each case.", transform: OptionRange.reader(OptionRange.trials))
  var trials = 2000

  @Option(help: "Seed of all random draws.", transform: OptionRange.reader(OptionRange.seed))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("all, or names separated by commas (see uwb estimators).", valueName: "names"))
  var estimators = "all"

  @Option(help: ArgumentHelp("How the number of sources is known: known, mdl or aic.", valueName: "how"))
  var count = CountMethod.known

  @Option(
    help: ArgumentHelp(
      "Whether estimators know the noise variance: known, estimated; by default known for one snapshot.",
      valueName: "how"))
  var noise: NoiseKnowledge?

  @Option(
    help: ArgumentHelp("Half-angle round broadside in which to look, degrees.", valueName: "degrees"),
    transform: OptionRange.reader(OptionRange.fieldOfView))
  var fieldOfView = 90.0

  @OptionGroup var options: EvaluationOptions

  @Option(help: ArgumentHelp("Draw RMS error over SNR with the bound into this file.", valueName: "file.svg"))
  var svg: String?

  @Option(help: ArgumentHelp("Also write the trials' snapshots and their truth into this folder.", valueName: "folder"))
  var export: String?

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  enum CountMethod: String, ExpressibleByArgument, CaseIterable { case known, mdl, aic }
  enum NoiseKnowledge: String, ExpressibleByArgument, CaseIterable { case known, estimated }

  func validate() throws {
    _ = try DecibelList.parse(snr)
    _ = try scene()
    _ = try names()
  }

  func run() throws {
    try FileUse(files: [array], outputs: [svg, page.report]).check()
    guard let layout = try NamedArray.find(array) else {
      throw Usage.unknown("array", array, NamedArray.names, listed: NamedArray.known)
    }
    let scene = try scene()
    guard layout.positions.count > scene.sourceCount else {
      throw ValidationError("\(layout.positions.count) antennas can't tell \(scene.sourceCount) sources apart.")
    }
    let file = page.begin(files: [("Antennas", NamedArray.names.contains(array) ? nil : array)])
    let contestants = try contestants(layout, scene)
    var run = EvaluationRun(
      EvaluationRows(options.output, ByteOutput(), columns: AngleEvaluationText.columns, nameWidth: 36),
      note: "angles in degrees")
    var trialExport = try export.map { try TrialFolder($0, inputs: [array]) }
    let name = "\(array), \(sources), \(snapshots) \(snapshots == 1 ? "snapshot" : "snapshots")"
    let ratios = try DecibelList.parse(snr)
    let ticker = TrialTicker(total: trials * ratios.count)
    defer { ticker.finish() }
    for snr in ratios {
      let generator = DirectionTrialGenerator(
        array: layout, scene: scene, snapshotCount: snapshots, snrdB: snr, seed: seed)
      try trialExport?.write(generator, trials: trials, case: name)
      let evaluation = DirectionEvaluation(
        generator: generator, contestants: contestants, trialCount: trials,
        isNoiseKnown: (noise ?? (snapshots == 1 ? .known : .estimated)) == .known)
      ticker.begin("\(name) at \(snr) dB")
      let rows = evaluation.run(threads: options.threads) { ticker.add($0) }
      for row in rows {
        try run.add(
          EvaluatedFigures(row, case: name, snapshots: snapshots, snrdB: snr), lines: AngleEvaluationText.lines(row))
      }
      try run.endCase()
    }
    try run.finish(
      "Angle estimators against the bound", unit: "°", choice: "Case", hasPanelTitles: false, file,
      facts: [.init("Estimators at work", list: contestants.map { "direction: \($0.name)" })], svg: svg)
  }

  private func scene() throws -> DirectionScene {
    if sources.hasPrefix("within:") {
      guard let reach = Double(sources.dropFirst("within:".count)), reach > 0, reach <= 90 else {
        throw ValidationError("--sources within: takes degrees up to 90; “\(sources)” has none.")
      }
      return DirectionScene(placement: .within(reach * .pi / 180))
    }
    let isCoherent = sources.hasSuffix(":coherent")
    let list = isCoherent ? sources.dropLast(":coherent".count) : sources[...]
    let angles = try list.split(separator: ",").map { text in
      let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
      guard parts.count <= 2, let azimuth = parts[0], abs(azimuth) <= 180,
        let elevation = parts.count == 2 ? parts[1] : 0,
        abs(elevation) <= 90
      else {
        throw ValidationError("--sources takes azimuth or azimuth/elevation in degrees; “\(text)” is neither.")
      }
      return SIMD2(azimuth, elevation) * .pi / 180
    }
    guard !angles.isEmpty else { throw ValidationError("--sources is empty; give an azimuth in degrees.") }
    return DirectionScene(placement: .fixed(angles), isCoherent: isCoherent)
  }

  private func names() throws -> [DirectionMethod] {
    if estimators == "all" { return DirectionMethod.allCases }
    return try estimators.split(separator: ",").map { name in
      guard let method = DirectionMethod(rawValue: String(name)) else {
        throw Usage.unknown("estimator", String(name), DirectionMethod.allCases.map(\.rawValue))
      }
      return method
    }
  }

  private func contestants(
    _ layout: AntennaArray, _ scene: DirectionScene
  ) throws -> [DirectionEvaluation.Contestant] {
    var options = DirectionOptions(fieldOfView: fieldOfView * .pi / 180)
    switch count {
    case .known: options.sources = .known(scene.sourceCount)
    case .mdl: options.sources = .mdl(atMost: layout.positions.count - 1)
    case .aic: options.sources = .aic(atMost: layout.positions.count - 1)
    }
    let result = try names().compactMap { method -> DirectionEvaluation.Contestant? in
      if let estimator = method.estimator(for: layout, options: options) {
        return DirectionEvaluation.Contestant(name: method.rawValue, estimator: estimator)
      }
      // With all of them, those that the array suits; one asked for by name has to fit.
      guard estimators == "all" else {
        throw ValidationError(
          "\(method.rawValue) does not suit \(array) with \(scene.sourceCount) source(s): see uwb estimators.")
      }
      return nil
    }
    return result
  }
}
