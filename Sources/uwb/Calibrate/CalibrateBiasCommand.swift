import ArgumentParser
import Foundation
import UWBBaselines
import UWBCalibration
import UWBCapture
import UWBDSP
import UWBReport

extension QualityFeatureSet: ExpressibleByArgument {}

/// `uwb calibrate bias`: line of sight and range bias from labelled captures.
struct CalibrateBiasCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bias", abstract: "Learn line of sight and range bias from labelled captures.",
    discussion: """
      One capture is one place. Errors are measured on held-out captures, and all settings (estimator of the first path, \
      features, ridge) are chosen without them. The calibration itself is then trained on all captures. Give captures \
      from a dozen places or more, some in line of sight and some not.

      The truth table has the columns capture,distance_m,label (LOS or NLOS).

      With --unlabelled the captures need no truth, and only the site's signal level is learnt.

      EXAMPLE
        uwb calibrate bias --unlabelled *.log --out site.json
        uwb calibrate bias *.log --truth truth.csv --out cal.json && uwb replay other.log --calibration cal.json
      """)

  @Argument(help: ArgumentHelp("Captures to learn from.", valueName: "capture"))
  var captures: [String]

  @Flag(
    help: ArgumentHelp(
      "Learn the site's level of a clear first path, from captures without labels.",
      discussion: "Needs no truth. Moves the threshold of the line-of-sight model that ships."))
  var unlabelled = false

  @Option(help: ArgumentHelp("Truth table; not needed for captures that carry their truth.", valueName: "file.csv"))
  var truth: String?

  @Option(
    help: ArgumentHelp("Calibration file to write or to change, read by replay --calibration.", valueName: "file"))
  var out: String

  @Option(help: "What to write: a table or ndjson.")
  var output = TableOutput.table

  @Option(help: ArgumentHelp("Draw error distributions and the ROC into this file.", valueName: "file.svg"))
  var svg: String?

  @Option(
    help: ArgumentHelp(
      "Estimators of the first path to choose from, separated by commas; the radio's own and the chip's by default.",
      valueName: "names"))
  var estimators: String?

  @Option(help: ArgumentHelp("Use this set of features instead of choosing one.", valueName: "set"))
  var features: QualityFeatureSet?

  @Option(
    help: ArgumentHelp("Use this λ for the range bias instead of choosing one.", valueName: "λ"),
    transform: OptionRange.reader(OptionRange.lambda))
  var ridge: Double?

  @Option(
    help: ArgumentHelp("Use this λ for line of sight instead of choosing one.", valueName: "λ"),
    transform: OptionRange.reader(OptionRange.lambda))
  var lineOfSightRidge: Double?

  @OptionGroup var engine: EngineOptions

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if unlabelled, truth != nil || svg != nil {
      throw ValidationError("--unlabelled learns from no truth and judges nothing: leave out --truth and --svg.")
    }
    _ = try methods()
  }

  mutating func run() throws {
    captures = try engine.input.captures(captures)
    let file = try page.begin(
      captures: captures, files: engine.namedFiles + [("Truth", truth)], outputs: [out, svg])
    if unlabelled { return try learnBaseline(file) }
    // Told before anything is read: each capture is one place.
    guard captures.count >= 4 else { throw tooFew }
    let table = try TruthFile.read(truth, captures: captures) ?? TruthTable()
    var exchanges = LabelledExchanges()
    for (capture, name) in zip(captures, CaptureNames.shortest(captures)) {
      try exchanges.add(capture, name: name, truth: table, methods: try methods(), options: engine)
    }
    exchanges.scale.warn(truth)
    let candidates = zip(exchanges.methods, exchanges.samples).map { (delay: $0, samples: $1) }
    guard Set(candidates.first?.samples.map(\.group) ?? []).count >= 4 else {
      throw tooFew
    }
    var validation = crossValidation
    validation.signal = exchanges.signal
    let trained = validation.finish(candidates)
    guard trained.calibration.rangeBias != nil else {
      throw CaptureError(
        file: captures.joined(separator: ", "), problem: "no range bias can be fitted to the captures",
        remedy: "Check the truth table, and give captures of more places.")
    }
    if trained.calibration.lineOfSight == nil {
      Message.note("Line of sight is not learnt: it needs two captures labelled LOS and two labelled NLOS at least.")
    }
    var progress = Progress(
      "held out", totalBytes: Set(candidates.first?.samples.map(\.group) ?? []).count, unit: "captures")
    let folds = validation.run(candidates) { progress.update(bytes: $0, exchanges: $0) }
    progress.finish()
    let figures = BiasFigures(exchanges, folds)
    try CalibrationFile.update(out) { file, origins in
      file.quality = trained.calibration
      origins.quality = exchanges.origin.made(delay: trained.bias?.delay)
    }
    try BiasOutput(kind: output, output: ByteOutput()).write(figures, exchanges)
    if let bias = trained.bias, bias.featureSet == nil {
      Message.note(
        "The CIRs' shape says nothing of the bias that carries over to places left out: "
          + (bias.isZero ? "nothing is taken off." : "a constant is taken off."))
    }
    if let bias = trained.bias {
      Message.note(
        "\(out): \(bias.delay.name), features \(bias.name), λ \(bias.lambda), "
          + "deviation λ \(bias.deviationLambda)"
          + (trained.lineOfSight.map { "; line of sight \($0.featureSet.rawValue), λ \($0.lambda)" } ?? ""))
    }
    if let svg { try OutputFile.write(BiasPicture.figure(figures).svg(), to: svg) }
    try file?.write(facts: [.estimators(exchanges.methods)]) {
      BiasPage(figures: figures, exchanges: exchanges, title: ReportFile.title(of: captures)).page($0)
    }
  }

  private func learnBaseline(_ file: ReportFile?) throws {
    var exchanges = LabelledExchanges()
    for (capture, name) in zip(captures, CaptureNames.shortest(captures)) {
      try exchanges.add(capture, name: name, truth: nil, methods: try methods(), options: engine)
    }
    guard let baseline = SignalBaselineFit().fit(exchanges.samples.first ?? []) else {
      throw CaptureError(
        file: captures.joined(separator: ", "), problem: "they do not tell how strong a clear first path is",
        remedy: "Give captures of \(SignalBaselineFit.minimumPlaceCount) places at least, at several distances, "
          + "each in a file of its own, with impulse responses whose scale does not change from capture to capture.")
    }
    try CalibrationFile.update(out) { file, origins in
      let known = file.quality
      file.quality = QualityCalibration(delay: known?.delay, baseline: baseline, rangeBias: known?.rangeBias)
      // What a range bias was made of is told with it.
      if known?.rangeBias == nil { origins.quality = exchanges.origin.made() }
    }
    var text = "a clear first path has \(String(decimal: baseline.levelAtOneMetredB, places: 1)) dB at 1 m"
    if let saturation = baseline.saturationdB { text += ", \(String(decimal: saturation, places: 1)) dB at most" }
    Message.note("\(out): \(text)")
    let sentence =
      "From \(exchanges.samples.first?.count ?? 0) exchanges of \(exchanges.captures.count) captures without labels: \(text)."
    try file?.write(facts: [.estimators(exchanges.methods)]) {
      BiasPage.baseline(
        baseline, exchanges.samples.first ?? [], names: exchanges.captures, title: ReportFile.title(of: captures),
        sentence, $0)
    }
  }

  private var tooFew: CaptureError {
    CaptureError(
      file: captures.joined(separator: ", "),
      problem: "there are fewer than four captures with exchanges to learn from",
      remedy: "Give captures of more places, each in a file of its own.")
  }

  private var crossValidation: QualityCrossValidation {
    var validation = QualityCrossValidation()
    if let features {
      validation.biasTraining.featureSets = [features]
      validation.lineOfSightTraining.featureSets = [features]
    }
    if let ridge { validation.biasTraining.lambdas = [ridge] }
    if let lineOfSightRidge { validation.lineOfSightTraining.lambdas = [lineOfSightRidge] }
    return validation
  }

  private func methods() throws -> [DelayMethod] {
    try (estimators ?? "").split(separator: ",").map { try DelayMethod.named($0, in: DelayMethod.all) }
  }
}
