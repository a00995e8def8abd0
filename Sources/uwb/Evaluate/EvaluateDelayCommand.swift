import ArgumentParser
import Foundation
import UWBBaselines
import UWBCapture
import UWBDSP
import UWBReport
import UWBSimulation

/// `uwb evaluate delay`: estimators × channels × SNR, by simulation.
struct EvaluateDelayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delay", abstract: "Measure delay estimators on simulated channels.",
    discussion: """
      Each case draws its channels and noise anew from the seed; all estimators see the same CIRs of 1016 taps, the \
      first path anywhere, the number of paths unknown to them. SNR is the strongest noiseless tap's power over the \
      noise variance of a tap. Figures but the times are the same for any number of threads.

      CHANNELS
        awgn, cm1 … cm8 (IEEE 802.15.4a), or --paths "delay:power[@phase],…": taps, dB, degrees (random where absent);
        --cluster "onset:decay:power" (taps, taps, dB) puts dense scattering after every --paths

      EXAMPLES
        uwb evaluate delay --paths "0:0dB,2.0:-3dB" --snr 15,20,25 --trials 2000
        uwb evaluate delay --channel awgn,cm1 --snr 25 --estimators edge-fit,pulse-fit --output ndjson
        uwb evaluate delay --channel cm1 --snr 25 --export trials       (and again, with --score mine=results.csv)
      """)

  @Option(help: ArgumentHelp("A list of paths; may be given several times.", valueName: "list"))
  var paths: [String] = []

  @Option(help: ArgumentHelp("Dense scattering after each list of paths.", valueName: "onset:decay:power"))
  var cluster: String?

  @Option(help: ArgumentHelp("Channels by name, separated by commas.", valueName: "names"))
  var channel: String?

  @Option(help: ArgumentHelp("Signal-to-noise ratios, dB, separated by commas.", valueName: "list"))
  var snr = "15,20,25,30"

  @Option(
    help: ArgumentHelp(
      "Noise from tap to tap: white, or matched (what a matched filter leaves).",
      discussion: "Estimators that whiten know it, others assume white noise; the bound includes it."))
  var noise = Noise.white

  @Option(help: "Trials of each case.", transform: OptionRange.reader(OptionRange.trials))
  var trials = 2000

  @Option(help: "Seed of all random draws.", transform: OptionRange.reader(OptionRange.seed))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "all, or names separated by commas (see uwb estimators); by default all, and none beside --score.",
      valueName: "names"))
  var estimators: String?

  @OptionGroup var options: EvaluationOptions

  @Option(help: ArgumentHelp("Draw RMS error over SNR with the bound into this file.", valueName: "file.svg"))
  var svg: String?

  @Option(help: ArgumentHelp("Also write the trials' CIRs and their truth into this folder.", valueName: "folder"))
  var export: String?

  @Option(
    help: ArgumentHelp(
      "Score first paths that another program found in exported trials; may be given several times.",
      discussion: "A CSV table: case,trial,first_path_taps, perhaps first_path_std_taps and microseconds.",
      valueName: "name=file.csv"), transform: ScoredAnswers.Source.read)
  var score: [ScoredAnswers.Source] = []

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  enum Noise: String, ExpressibleByArgument, CaseIterable {
    case white, matched

    var correlation: NoiseCorrelation {
      switch self {
      case .white: .white
      case .matched: .matchedFilter(.standard) ?? .white
      }
    }
  }

  func validate() throws {
    _ = try DecibelList.parse(snr)
    _ = try methods()
    _ = try cases()
  }

  func run() throws {
    let files = score.map(\.path)
    let file = try page.begin(files: files.map { ("Scored answers", $0) }, outputs: [svg])
    let methods = try methods()
    let generators = try generators()
    let scored = try score.map { try ScoredAnswers($0, caseCount: generators.count, trialCount: trials) }
    var run = EvaluationRun(
      EvaluationRows(options.output, ByteOutput(), columns: DelayEvaluationText.columns, nameWidth: 26),
      note: "lengths in mm")
    var trialExport = try export.map { try TrialFolder($0, inputs: files) }
    let ticker = TrialTicker(total: methods.isEmpty ? 0 : trials * generators.count)
    defer { ticker.finish() }
    for (number, (name, generator)) in generators.enumerated() {
      try trialExport?.write(generator, trials: trials, case: name)
      let rows = evaluate(methods, generator, name, ticker) + scored.map { $0.row(number, generator) }
      for row in rows {
        try run.add(
          EvaluatedFigures(row, case: name, snrdB: generator.snrdB), lines: [DelayEvaluationText.line(row)])
      }
      try run.endCase()
    }
    try run.finish(
      "Delay estimators against the bound", unit: "m", choice: "Channel", hasPanelTitles: true, file,
      facts: [.estimators(methods)], svg: svg)
  }

  private func evaluate(
    _ methods: [DelayMethod], _ generator: DelayTrialGenerator, _ name: String, _ ticker: TrialTicker
  ) -> [DelayEvaluation.Row] {
    guard !methods.isEmpty else { return [] }
    let evaluation = DelayEvaluation(generator: generator, methods: methods, trialCount: trials)
    ticker.begin("\(name) at \(generator.snrdB) dB")
    return evaluation.run(threads: options.threads) { ticker.add($0) }
  }

  /// Each channel at each signal-to-noise ratio.
  func generators() throws -> [(name: String, generator: DelayTrialGenerator)] {
    let ratios = try DecibelList.parse(snr)
    return try cases().flatMap { name, channel in
      ratios.map {
        (name, DelayTrialGenerator(channel: channel, snrdB: $0, noise: noise.correlation, seed: seed))
      }
    }
  }

  private func methods() throws -> [DelayMethod] {
    let known = DelayMethod.forSimulatedCIRs
    guard let estimators, estimators != "all" else { return estimators == nil && !score.isEmpty ? [] : known }
    return try estimators.split(separator: ",").map { try DelayMethod.named($0, in: known) }
  }

  private func cases() throws -> [(name: String, channel: Channel)] {
    guard cluster == nil || !paths.isEmpty else { throw ValidationError("--cluster needs --paths to come after.") }
    var cases: [(String, Channel)] = []
    for list in paths {
      do {
        if let cluster {
          let channel = try Channel(pathList: list, before: DenseCluster(description: cluster))
          cases.append(("\(list) cluster \(cluster)", channel))
        } else {
          cases.append((list, try Channel(pathList: list)))
        }
      } catch let error as ChannelDescriptionError {
        throw ValidationError("--paths or --cluster: \(error)")
      }
    }
    for name in (channel ?? (paths.isEmpty ? "awgn" : "")).split(separator: ",") {
      guard let channel = Channel(name: String(name)) else {
        throw Usage.unknown("channel", String(name), ["awgn"] + (1...8).map { "cm\($0)" }, listed: "awgn, cm1 … cm8")
      }
      cases.append((String(name), channel))
    }
    return cases
  }
}
