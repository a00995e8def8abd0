import UWBDSP

/// How good models trained on all places but one are on that one, for each place in turn; settings are chosen anew each
/// time, without it.
public struct QualityCrossValidation: Sendable {
  /// Training of the range bias.
  public var biasTraining: RangeBiasTraining
  /// Training of the line of sight.
  public var lineOfSightTraining: LineOfSightTraining
  /// Of the radio, for places whose baseline is not found.
  public var signal: NominalSignal?

  /// Creates one with the given values.
  public init(
    biasTraining: RangeBiasTraining = RangeBiasTraining(),
    lineOfSightTraining: LineOfSightTraining = LineOfSightTraining()
  ) {
    self.biasTraining = biasTraining
    self.lineOfSightTraining = lineOfSightTraining
  }

  /// What a model that never saw the place says of an exchange.
  public struct Prediction: Sendable, Hashable {
    /// Group of the exchange, which the model never saw.
    public var group: Int
    /// Distance of the chosen estimator less the predicted bias less the truth, m.
    public var error: Double?
    /// Stated for `error`, m.
    public var deviation: Double?
    /// Probability of line of sight, 0 to 1.
    public var lineOfSightProbability: Double?
    /// Of the model that ships, the site's baseline learnt from the other places without their labels.
    public var unlabelledProbability = 0.5
  }

  /// What was chosen with one group left out.
  public struct Fold: Sendable, Hashable {
    /// The group that was left out.
    public var group: Int
    /// Choice for the range bias.
    public var bias: RangeBiasTraining.Choice?
    /// Choice for the line of sight.
    public var lineOfSight: LineOfSightTraining.Choice?
    /// In the order of the samples.
    public var predictions: [Prediction]
  }

  /// - Parameter candidates: for each first-path estimator the same exchanges in the same order. The first one's features
  ///   tell line of sight where no distance is known.
  /// - Parameter body: called after each fold.
  public func run(
    _ candidates: [(delay: DelayMethod, samples: [QualitySample])], progress body: (Int) -> Void = { _ in }
  ) -> [Fold] {
    guard let first = candidates.first else { return [] }
    let groups = Set(first.samples.map(\.group)).sorted()
    return groups.enumerated().map { index, group in
      defer { body(index + 1) }
      return fold(candidates, leaving: group)
    }
  }

  /// The models for use, from all places.
  public func finish(
    _ candidates: [(delay: DelayMethod, samples: [QualitySample])]
  ) -> (calibration: QualityCalibration, bias: RangeBiasTraining.Choice?, lineOfSight: LineOfSightTraining.Choice?) {
    let bias = biasTraining.fit(candidates)
    var samples = Self.samples(candidates, bias?.choice.delay)
    let baseline = SignalBaselineFit().fit(samples)
    for index in samples.indices { samples[index].features.setSiteOdds(baseline, signal: signal) }
    let lineOfSight = lineOfSightTraining.fit(samples)
    let calibration = QualityCalibration(
      delay: bias?.choice.delay.name, lineOfSight: lineOfSight?.model, baseline: baseline, rangeBias: bias?.model)
    return (calibration, bias?.choice, lineOfSight?.choice)
  }

  private static func samples(
    _ candidates: [(delay: DelayMethod, samples: [QualitySample])], _ delay: DelayMethod?
  ) -> [QualitySample] {
    (candidates.first { $0.delay == delay } ?? candidates.first)?.samples ?? []
  }

  private func fold(
    _ candidates: [(delay: DelayMethod, samples: [QualitySample])], leaving group: Int
  ) -> Fold {
    let others = candidates.map { ($0.delay, $0.samples.filter { $0.group != group }) }
    let trained = finish(others)
    let left = Self.samples(candidates, trained.bias?.delay).filter { $0.group == group }
    let predictions = left.map { sample in
      var prediction = Prediction(group: group)
      var features = sample.features
      features.setSiteOdds(trained.calibration.baseline, signal: signal)
      if let model = trained.calibration.rangeBias, let truth = sample.trueDistance {
        prediction.error = sample.distance - model.value(sample.features) - truth
        prediction.deviation = model.deviation(sample.features)
      }
      prediction.unlabelledProbability = LineOfSightModel.unlabelled.probability(features)
      prediction.lineOfSightProbability = trained.calibration.lineOfSight?.probability(features)
      return prediction
    }
    return Fold(group: group, bias: trained.bias, lineOfSight: trained.lineOfSight, predictions: predictions)
  }
}
