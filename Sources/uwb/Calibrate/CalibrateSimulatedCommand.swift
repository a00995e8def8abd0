import ArgumentParser
import Foundation
import UWBCalibration
import UWBCapture
import UWBDSP
import UWBReport
import UWBSimulation

/// `uwb calibrate simulated`: the line-of-sight model that ships, from simulated sites alone.
struct CalibrateSimulatedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulated", abstract: "Train the line-of-sight model that ships, on simulated sites.",
    discussion: """
      Draws sites (walls, reverberation, IEEE 802.15.4a channels, with a radio each) and 20 places in each, half of them in \
      line of sight, fits the model and judges it on other sites. scripts/line-of-sight-model writes the Swift file that is \
      compiled in.

      EXAMPLE
        uwb calibrate simulated --sites 1000 --seed 1 --out model.swift
      """)

  @Option(help: "Sites to train on.", transform: OptionRange.reader(OptionRange.trials))
  var sites = 1000

  @Option(
    help: "Seed of the training sites; the judging ones, a third as many, take the next.",
    transform: OptionRange.reader(OptionRange.seed))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("Write the model as Swift source.", valueName: "file.swift"))
  var out: String?

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  func run() throws {
    let file = try page.begin(outputs: [out])
    let judged = max(1, sites / 3)
    let ticker = TrialTicker(
      label: "training", total: (ShortWindowOdds.windows.count + 1) * (sites + judged), unit: "sites")
    defer { ticker.finish() }
    func drawn(_ count: Int, seed: UInt64, window: Int?) -> LineOfSightTrials.Result {
      defer { ticker.add(count) }
      return LineOfSightTrials(siteCount: count, seed: seed, window: window).samples()
    }
    let training = drawn(sites, seed: seed, window: nil)
    let windows = ShortWindowOdds.windows.map { drawn(sites, seed: seed, window: $0) }
    guard let model = SimulatedTraining(training, windows: windows) else {
      throw CaptureError(
        file: "--sites \(sites)", problem: "the fit did not settle", remedy: "Take more sites or another seed.")
    }
    if let out {
      try OutputFile.write(SimulatedModelSource(model: model, sites: sites, seed: seed).text, to: out)
    }
    ticker.begin("judging")
    func judging(window: Int?) -> LineOfSightTrials.Result { drawn(judged, seed: seed &+ 1, window: window) }
    let output = ByteOutput()
    let report = SimulatedReport(
      model: model, judging: judging(window: nil),
      windows: ShortWindowOdds.windows.map { ($0, judging(window: $0).samples) })
    try output.write(report.text)
    try output.flush()
    try file?.write { report.page(sites: sites, $0) }
  }
}

/// The parts of the model that ships, trained on simulated places.
struct SimulatedTraining {
  /// Prior deviation of a coefficient of the shape's model, per deviation of its feature: 1/√(λ·n) is some 0.1.
  private static let lambda = 0.003
  /// Of the training places, how many count as inside.
  private static let supportShare = 0.999

  let shape: LineOfSightModel
  let excess: ExcessLossModel

  /// - Parameter windows: places seen through each of `ShortWindowOdds.windows`.
  init?(_ training: LineOfSightTrials.Result, windows: [LineOfSightTrials.Result]) {
    let features = QualityFeatureSet.relative.features
    let table = FeatureTable(training.samples.map(\.features), features: features)
    guard let linear = LineOfSightTraining.model(training.samples, .relative, lambda: Self.lambda)?.linear,
      let support = FeatureSupport(fitting: table, share: Self.supportShare)
    else { return nil }
    let lines = windows.compactMap { Self.line($0.samples, linear) }
    guard lines.count == ShortWindowOdds.windows.count else { return nil }
    let shape = LineOfSightModel(
      logOdds: linear, support: support,
      windows: ShortWindowOdds(intercepts: lines.map(\.intercept), slopes: lines.map { $0.coefficients[0] }))
    let known = zip(training.samples, training.kinds).filter { $0.1.hasPathLoss }.map(\.0)
    guard let excess = Self.excess(known, shape) else { return nil }
    self.shape = shape
    self.excess = excess
  }

  /// Log-odds of line of sight as a line over those by the shape.
  private static func line(_ samples: [QualitySample], _ shape: LinearModel) -> RidgeRegression.Solution? {
    let table = FeatureTable(columnCount: 1, values: samples.map { shape.value(at: $0.features) })
    return LogisticRegression(lambda: 1e-4).fit(
      table, labels: samples.map { $0.isLineOfSight == true }, weights: samples.map { _ in 1 })
  }

  private static func excess(_ samples: [QualitySample], _ shape: LineOfSightModel) -> ExcessLossModel? {
    let losses = samples.map { SignalBaseline(levelAtOneMetredB: 0).excessLossdB($0.features) }
    let labels = samples.map { $0.isLineOfSight == true }
    let rows = zip(samples, losses).flatMap { sample, loss in
      [shape.logOdds(sample.features)]
        + (0..<ExcessLossModel.knots.count - 1).map { ExcessLossModel.piece($0, loss) }
    }
    let table = FeatureTable(columnCount: ExcessLossModel.knots.count, values: rows)
    let weights = [Double](repeating: 1, count: samples.count)
    let scaling = FeatureScaling(fitting: table, weights: weights, clip: 9)
    guard
      let solution = LogisticRegression(lambda: 1e-4).fit(scaling.scaled(table), labels: labels, weights: weights)
    else { return nil }
    let slopes = zip(solution.coefficients, scaling.deviations).map { $0 / $1 }
    let clear = zip(losses, labels).filter(\.1).map(\.0)
    let obstructed = zip(losses, labels).filter { !$0.1 }.map(\.0)
    guard !clear.isEmpty, !obstructed.isEmpty else { return nil }
    let middle = BiasFigures.median(clear)
    let mean = obstructed.reduce(0, +) / Double(obstructed.count)
    let variance = obstructed.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(obstructed.count)
    return ExcessLossModel(
      intercept: solution.intercept - zip(slopes, scaling.means).reduce(0) { $0 + $1.0 * $1.1 },
      shapeCoefficient: slopes[0], slopes: Array(slopes.dropFirst()),
      // A tenth have reflections in the way of the estimator: deviation from the median of the absolute ones.
      clear: SIMD2(middle, 1.4826 * BiasFigures.median(clear.map { abs($0 - middle) })),
      obstructed: SIMD2(mean, variance.squareRoot()))
  }
}
