import ArgumentParser
import UWBCapture
import UWBDSP
import UWBReport
import UWBSimulation

/// `uwb calibrate first-path`: the network that ships with the first-path search, from simulated channels alone.
struct CalibrateFirstPathCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "first-path", abstract: "Train the network that ships with the first-path search.",
    discussion: """
      Draws one path, a few paths, a path before a dense cluster and Saleh–Valenzuela channels with clutter, bursts, another tag's \
      response, coloured noise or nothing besides, whole and in short windows, and trains the network that chooses the peak of the \
      first path. \
      scripts/first-path-network writes the Swift file that is compiled in.

      EXAMPLE
        uwb calibrate first-path --trials 7000 --seed 1 --out network.swift
      """)

  @Option(help: "CIRs of each family to train on.", transform: OptionRange.reader(OptionRange.trials))
  var trials = 7000

  @Option(
    help: "Seed of the CIRs to train on; those that judge take the next.",
    transform: OptionRange.reader(OptionRange.seed))
  var seed: UInt64 = 1

  @Option(
    help: "Threads that share the families, \(OptionRange.threads.help); by default one for each core.",
    transform: OptionRange.reader(OptionRange.threads))
  var threads = OptionRange.defaultThreads

  @Option(help: ArgumentHelp("Write the network as Swift source.", valueName: "file.swift"))
  var out: String?

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  func run() throws {
    let file = try page.begin(outputs: [out])
    let training = FirstPathTraining(trialCount: trials, seed: seed)
    let own = samples(training, "training CIRs")
    guard !own.isEmpty else {
      throw CaptureError(
        file: "--trials \(trials)", problem: "no CIR holds more than one peak", remedy: "Take more trials.")
    }
    let network = training.train(own)
    if let out { try OutputFile.write(source(network), to: out) }
    let others = samples(FirstPathTraining(trialCount: max(1, trials / 3), seed: seed &+ 1), "judging CIRs")
    let output = ByteOutput()
    try output.write(
      """
      right on \(Self.share(own, network)) CIRs that it was trained on
      right on \(Self.share(others, network)) others

      """)
    try output.flush()
    try file?.write { provenance in
      let rows = [("CIRs that it was trained on", own), ("other CIRs", others)].map { name, samples in
        (name, Double(samples.count { FirstPathTraining.isRight(network, $0) }) / Double(max(samples.count, 1)))
      }
      return Page(
        title: "Network of the first-path search",
        sentence:
          "Trained on \(own.count) simulated CIRs. It chooses the right peak in \(Self.share(others, network)) others.",
        picture: PagePicture(
          "Right choices.", unit: "%",
          bars: rows.map { .init($0.0, value: 100 * $0.1, extent: 0...100 * $0.1) },
          caption: "Share of the CIRs in which the network chooses the peak of the first path."),
        provenance: provenance)
    }
  }

  private func samples(_ training: FirstPathTraining, _ label: String) -> [FirstPathTraining.Sample] {
    let ticker = TrialTicker(label: label, total: FirstPathTraining.familyCount)
    let samples = training.samples(threads: threads) { ticker.add($0) }
    ticker.finish()
    return samples
  }

  private static func share(_ samples: [FirstPathTraining.Sample], _ network: FirstPathNetwork) -> String {
    let right = samples.count { FirstPathTraining.isRight(network, $0) }
    return "\(right) of \(samples.count)"
  }

  private func source(_ network: FirstPathNetwork) -> String {
    let rows = network.parameters.map { eight in
      "    SIMD8(" + (0..<8).map { "\(eight[$0])" }.joined(separator: ", ") + "),"
    }
    return """
      extension FirstPathNetwork {
        /// The network that ships, trained on simulated channels alone.
        ///
        /// Written by `uwb calibrate first-path --trials \(trials) --seed \(seed)` (`scripts/first-path-network`), which also prints how
        /// often it is right on other channels of the kind.
        package static let simulated = FirstPathNetwork(parameters: [
      \(rows.joined(separator: "\n"))
        ])
      }

      """
  }
}
