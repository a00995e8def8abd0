import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP
import UWBSimulation

/// `uwb calibrate simulated`: the line-of-sight model that ships, from simulated channels alone.
struct CalibrateSimulatedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulated", abstract: "Train the line-of-sight model that ships, on simulated channels.",
    discussion: """
      Draws CIRs of the IEEE 802.15.4a channel models CM1 to CM8 (odd ones with line of sight) at 15 to 40 dB, for a receiver \
      with the standard's pulse and one with a DW1000's, fits the model and judges it on other draws. The ridge is chosen by \
      leaving one channel model out. scripts/line-of-sight-model writes the Swift file that is compiled in.

      EXAMPLE
        uwb calibrate simulated --trials 400 --seed 1 --out model.swift
      """)

  @Option(
    help: "CIRs of each channel model, SNR and receiver.", transform: OptionRange.reader(OptionRange.trials))
  var trials = 400

  @Option(
    help: "Seed of the training draws; the judging ones take the next.", transform: OptionRange.reader(OptionRange.seed)
  )
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("Write the model as Swift source.", valueName: "file.swift"))
  var out: String?

  func run() throws {
    try FileUse(outputs: [out]).check()
    let training = LineOfSightTrials(trialCount: trials, seed: seed).samples()
    let settings = LineOfSightTraining(
      featureSets: [.relative], lambdas: [0.001, 0.003, 0.01, 0.03, 0.1], exchangesPerPlace: 600)
    guard let trained = settings.fit(training.samples) else {
      throw CaptureError(
        file: "--trials \(trials)", problem: "the fit did not settle", remedy: "Take more trials or another seed.")
    }
    if let out {
      try OutputFile.write(source(trained.model), to: out)
    }
    try report(trained, training.missed)
  }

  private func report(_ trained: LineOfSightTraining.Result, _ trainingMissed: Int) throws {
    let judging = LineOfSightTrials(trialCount: trials, seed: seed &+ 1).samples()
    var lines = "λ \(trained.choice.lambda), \(judging.samples.count) other CIRs judged"
    lines += ", \(trainingMissed + judging.missed) without a first path left out\n"
    lines += "channels   area under the curve   right\n"
    let pairs = [
      ("all", Set(1...8)), ("cm1, cm2", [1, 2]), ("cm3, cm4", [3, 4]), ("cm5, cm6", [5, 6]), ("cm7, cm8", [7, 8]),
    ]
    for (name, models) in pairs {
      let samples = judging.samples.filter { models.contains($0.group) }
      let scores = samples.map { trained.model.probability($0.features) }
      let labels = samples.map { $0.isLineOfSight == true }
      let right = Double(zip(scores, labels).count { ($0 > 0.5) == $1 }) / Double(max(samples.count, 1))
      let area = ReceiverOperatingCurve(scores: scores, labels: labels)?.area ?? .nan
      lines += name.padded(to: 11) + String(decimal: area, places: 3).padded(to: 23)
      lines += String(decimal: right, places: 3) + "\n"
    }
    let output = ByteOutput()
    try output.write(lines)
    try output.flush()
  }

  private func source(_ model: LineOfSightModel) -> String {
    let linear = model.logOdds
    func list(_ values: [Double]) -> String {
      values.map { "\(($0 * 1e6).rounded() / 1e6)" }.joined(separator: ", ")
    }
    return """
      extension LineOfSightModel {
        /// The model that ships, trained on simulated IEEE 802.15.4a channels alone.
        ///
        /// Written by `uwb calibrate simulated --trials \(trials) --seed \(seed)` (`scripts/line-of-sight-model`), which also prints
        /// how good it is on other draws. `Documentation/LineOfSight.md` says how far that carries to real rooms: not far.
        public static let simulated = LineOfSightModel(
          logOdds: LinearModel(
            features: [
              \(linear.features.map { ".\($0.rawValue)" }.joined(separator: ", ")),
            ],
            scaling: FeatureScaling(
              means: [
                \(list(linear.scaling.means)),
              ],
              deviations: [
                \(list(linear.scaling.deviations)),
              ], clip: \(linear.scaling.clip)),
            coefficients: [
              \(list(linear.coefficients)),
            ], intercept: \(list([linear.intercept]))))
      }

      """
  }
}
