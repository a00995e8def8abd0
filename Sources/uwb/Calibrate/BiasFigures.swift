import UWBCalibration
import UWBDSP

/// How good line of sight and range bias are on captures that the models did not see.
struct BiasFigures {
  /// One capture, held out.
  struct Capture {
    var name: String
    var isLineOfSight: Bool?
    var exchanges: Int
    var trueDistance: Double
    /// Median of the measured distance less the truth, m.
    var rawError: Double
    /// Root mean square of the corrected distance's error, m.
    var error: Double
    /// Median stated deviation, m.
    var deviation: Double
    /// Median of |error| / deviation.
    var normalisedError: Double
    /// Median probability of line of sight.
    var probability: Double?
    /// Share of exchanges on the label's side of 0.5.
    var accuracy: Double?
    var bias: RangeBiasTraining.Choice?
    var lineOfSight: LineOfSightTraining.Choice?

    /// What looks wrong with the capture, in words; empty for nothing.
    var oddities: [String] {
      var list: [String] = []
      if normalisedError > 2 { list.append("distance off by more than two deviations") }
      if let accuracy, accuracy < 0.5 {
        list.append(isLineOfSight == true ? "labelled LOS, looks NLOS" : "labelled NLOS, looks LOS")
      }
      return list
    }
  }

  /// One method's error over all exchanges.
  struct Method {
    var name: String
    var errors: [Double]
    var rms: Double { (errors.reduce(0) { $0 + $1 * $1 } / Double(max(errors.count, 1))).squareRoot() }
    var medianAbsolute: Double { BiasFigures.median(errors.map(abs)) }
  }

  var captures: [Capture] = []
  var methods: [Method] = []
  /// Of the last of `methods`.
  var deviations: [Double] = []
  var roc: ReceiverOperatingCurve?
  var accuracy: Double?
  /// The same of the model that ships with the site's level, learnt from the other captures without their labels.
  var unlabelledROC: ReceiverOperatingCurve?
  var unlabelledAccuracy: Double?
  /// The same of the model that ships.
  var shippedROC: ReceiverOperatingCurve?
  var shippedAccuracy: Double?

  init(_ exchanges: LabelledExchanges, _ folds: [QualityCrossValidation.Fold]) {
    let samples = exchanges.samples.first ?? []
    let groups = samples.map(\.group)
    let truths = samples.map { $0.trueDistance ?? 0 }
    if exchanges.chip.allSatisfy({ $0.distance != nil }), !exchanges.chip.isEmpty {
      let errors = zip(exchanges.chip, truths).map { ($0.distance ?? 0) - $1 }
      methods.append(Method(name: "chip", errors: errors))
      methods.append(
        Method(name: "chip less a constant", errors: QualityBaseline.lessConstant(errors, groups: groups)))
      let rows = FeatureTable(
        columnCount: LabelledExchanges.Chip.featureCount, values: exchanges.chip.flatMap(\.features))
      methods.append(
        Method(
          name: "chip less a ridge",
          errors: QualityBaseline.lessRidge(rows, errors, groups: groups)))
    }
    for (method, samples) in zip(exchanges.methods, exchanges.samples) where method != .chip {
      let errors = zip(samples, truths).map { $0.distance - $1 }
      methods.append(Method(name: method.name, errors: errors))
      methods.append(
        Method(
          name: "\(method.name) less a constant", errors: QualityBaseline.lessConstant(errors, groups: groups)))
    }
    let predictions = folds.flatMap(\.predictions)
    let judged = predictions.filter { $0.error != nil }
    methods.append(Method(name: "corrected, held out", errors: judged.compactMap(\.error)))
    deviations = judged.compactMap(\.deviation)
    score(samples, folds)
    for fold in folds { captures.append(Self.capture(fold, exchanges)) }
    scoreShipped(samples)
  }

  private mutating func scoreShipped(_ samples: [QualitySample]) {
    let labelled = samples.filter { $0.isLineOfSight != nil }
    // As the engine judged it, which knew the radio alone.
    (shippedROC, shippedAccuracy) = Self.score(
      labelled.map { LineOfSightModel.unlabelled.probability($0.features) }, labelled.map { $0.isLineOfSight == true })
  }

  private mutating func score(_ samples: [QualitySample], _ folds: [QualityCrossValidation.Fold]) {
    var found: [(label: Bool, prediction: QualityCrossValidation.Prediction)] = []
    for fold in folds {
      let own = samples.filter { $0.group == fold.group }
      for (sample, prediction) in zip(own, fold.predictions) {
        if let label = sample.isLineOfSight { found.append((label, prediction)) }
      }
    }
    (unlabelledROC, unlabelledAccuracy) = Self.score(
      found.map(\.prediction.unlabelledProbability), found.map(\.label))
    let judged = found.filter { $0.prediction.lineOfSightProbability != nil }
    (roc, accuracy) = Self.score(
      judged.map { $0.prediction.lineOfSightProbability ?? 0.5 }, judged.map(\.label))
  }

  private static func score(
    _ scores: [Double], _ labels: [Bool]
  ) -> (roc: ReceiverOperatingCurve?, accuracy: Double?) {
    guard !scores.isEmpty else { return (nil, nil) }
    let right = Double(zip(scores, labels).count { ($0 > 0.5) == $1 }) / Double(labels.count)
    return (ReceiverOperatingCurve(scores: scores, labels: labels), right)
  }

  private static func capture(
    _ fold: QualityCrossValidation.Fold, _ exchanges: LabelledExchanges
  ) -> Capture {
    let method = exchanges.methods.firstIndex { $0 == fold.bias?.delay } ?? 0
    let samples = exchanges.samples[method].filter { $0.group == fold.group }
    let errors = fold.predictions.compactMap(\.error)
    let deviations = fold.predictions.compactMap(\.deviation)
    let probabilities = fold.predictions.compactMap(\.lineOfSightProbability)
    let label = samples.first?.isLineOfSight
    return Capture(
      name: exchanges.captures[fold.group], isLineOfSight: label, exchanges: samples.count,
      trueDistance: samples.first?.trueDistance ?? .nan,
      rawError: median(samples.map { $0.distance - ($0.trueDistance ?? .nan) }),
      error: Method(name: "", errors: errors).rms, deviation: median(deviations),
      normalisedError: median(zip(errors, deviations).map { abs($0) / $1 }),
      probability: probabilities.isEmpty ? nil : median(probabilities),
      accuracy: label.flatMap { label in
        probabilities.isEmpty
          ? nil : Double(probabilities.count { ($0 > 0.5) == label }) / Double(probabilities.count)
      }, bias: fold.bias, lineOfSight: fold.lineOfSight)
  }

  /// Share of exchanges whose error is within `multiple` stated deviations.
  func coverage(_ multiple: Double) -> Double {
    let errors = methods.last?.errors ?? []
    return Double(zip(errors, deviations).count { abs($0) <= multiple * $1 }) / Double(max(errors.count, 1))
  }

  static func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
