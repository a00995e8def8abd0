import Foundation
import Numerics
import TestSupport
import Testing
import UWBDSP

@testable import UWBCalibration

@Suite struct QualityTrainingTests {
  /// Made-up places: each has its own kurtosis and peak, on which bias and line of sight depend; exchanges scatter a little.
  private func samples(_ seed: UInt64, places: Int = 14, exchanges: Int = 12) -> [QualitySample] {
    var random = StatisticsRandom(seed: seed)
    var result: [QualitySample] = []
    for place in 0..<places {
      let kurtosis = random.gaussian()
      let peak = 10 * random.gaussian()
      let truth = random.uniform(1...9)
      let isLineOfSight = kurtosis + 0.3 * random.gaussian() > 0
      let own = 0.1 * random.gaussian()
      for _ in 0..<exchanges {
        var features = QualityFeatures()
        for feature in QualityFeature.allCases { features[feature] = random.gaussian() }
        features[.kurtosis] = kurtosis + 0.02 * random.gaussian()
        features[.peak] = peak + 0.1 * random.gaussian()
        result.append(
          QualitySample(
            group: place, features: features, distance: truth + 0.4 - 0.05 * peak + own + 0.02 * random.gaussian(),
            trueDistance: truth, isLineOfSight: isLineOfSight))
      }
    }
    return result
  }

  private let validation = QualityCrossValidation(
    biasTraining: RangeBiasTraining(featureSets: [.amplitudes, .all], lambdas: [0.01, 0.1]),
    lineOfSightTraining: LineOfSightTraining(featureSets: [.relative], lambdas: [0.03, 0.3], exchangesPerPlace: 4))

  @Test func biasIsLearntAndItsDeviationIsHonest() {
    let samples = samples(5301, places: 30)
    let errors = samples.map { $0.distance - ($0.trueDistance ?? 0) }
    let folds = validation.run([(delay: .edgeFit, samples: samples)])
    let left = folds.flatMap(\.predictions)
    func rms(_ values: [Double]) -> Double { (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot() }
    let constant = rms(QualityBaseline.lessConstant(errors, groups: samples.map(\.group)))
    let ours = rms(left.compactMap(\.error))
    // What is left is the place's own 0.1 m; peaks explain 0.5 m.
    #expect(ours < 0.2 && constant > 0.3, "\(ours) and \(constant) m")
    let covered = Double(left.count { abs($0.error ?? .infinity) < ($0.deviation ?? 0) }) / Double(left.count)
    // 30 places: 0.68 ± 3·0.085.
    #expect(covered > 0.42 && covered < 0.94, "\(covered)")
    #expect(folds.allSatisfy { $0.bias?.featureSet == .amplitudes })
  }

  @Test func lineOfSightIsLearnt() throws {
    let samples = samples(5302, places: 30)
    let folds = validation.run([(delay: .edgeFit, samples: samples)])
    let scores = folds.flatMap(\.predictions).compactMap(\.lineOfSightProbability)
    let curve = try #require(
      ReceiverOperatingCurve(scores: scores, labels: samples.compactMap(\.isLineOfSight)))
    #expect(curve.area > 0.8)
  }

  /// Whatever is claimed of a place, what others say of it stays the same, and so do the settings.
  @Test func nothingOfAPlaceEntersItsOwnPrediction() {
    let samples = samples(5303)
    var altered = samples
    for index in altered.indices where altered[index].group == 5 {
      altered[index].trueDistance = 99
      altered[index].isLineOfSight = altered[index].isLineOfSight == false
    }
    let before = validation.run([(delay: .edgeFit, samples: samples)])[5]
    let after = validation.run([(delay: .edgeFit, samples: altered)])[5]
    #expect(before.bias == after.bias)
    #expect(before.lineOfSight == after.lineOfSight)
    for (one, other) in zip(before.predictions, after.predictions) {
      #expect(one.lineOfSightProbability == other.lineOfSightProbability)
      #expect(one.deviation == other.deviation)
      let shift = (one.error ?? 0) - (other.error ?? 0)
      let truth = samples.first { $0.group == 5 }?.trueDistance ?? 0
      #expect(abs(shift - (99 - truth)) < 1e-9)
    }
  }

  @Test func theBetterEstimatorIsChosen() {
    let good = samples(5304)
    var random = StatisticsRandom(seed: 5305)
    let offsets = (0..<14).map { _ in random.gaussian() }
    let bad = good.map { sample in
      var sample = sample
      sample.distance += offsets[sample.group]
      return sample
    }
    let trained = validation.finish([(delay: .chip, samples: bad), (delay: .edgeFit, samples: good)])
    #expect(trained.bias?.delay == .edgeFit)
    #expect(trained.calibration.delay == DelayMethod.edgeFit.name)
  }

  /// Errors that the features say nothing of: a constant is taken where there is one, and nothing where there is none, each with
  /// the spread over places as its deviation.
  @Test(arguments: [0.3, 0.0]) func featuresThatSayNothing(constant: Double) throws {
    var random = StatisticsRandom(seed: 5307)
    var unlike = samples(5308, places: 8)
    let errors = (0..<8).map { _ in constant + 0.05 * random.gaussian() }
    for index in unlike.indices {
      unlike[index].distance = (unlike[index].trueDistance ?? 0) + errors[unlike[index].group]
    }
    let trained = try #require(validation.biasTraining.fit([(delay: .edgeFit, samples: unlike)]))
    #expect(trained.choice.featureSet == nil)
    let bias = trained.model.value(unlike[0].features)
    #expect(abs(bias - constant) < 0.08, "\(bias)")
    #expect((0.02...0.15).contains(trained.model.deviation(unlike[0].features)))
  }

  /// Distances that grow by a share: bias and features' decibels are each other's logarithms.
  @Test func aBiasByAShareIsLearnt() throws {
    var random = StatisticsRandom(seed: 5311)
    var places = samples(5312, places: 24)
    let own = (0..<24).map { _ in 0.05 * random.gaussian() }
    for index in places.indices {
      let bias = 0.5 * Double.exp(0.08 * places[index].features[.peak]) + own[places[index].group]
      places[index].distance = (places[index].trueDistance ?? 0) + bias
    }
    let trained = try #require(validation.biasTraining.fit([(delay: .edgeFit, samples: places)]))
    #expect(trained.choice.featureSet == .amplitudes)
    let floor = try #require(trained.model.floor)
    #expect(floor < 0)
    for peak in [-15.0, 0] {
      var features = QualityFeatures()
      features[.peak] = peak
      let bias = 0.5 * Double.exp(0.08 * peak)
      #expect(abs(trained.model.value(features) - bias) < 0.1 + 0.15 * bias, "\(peak) dB")
    }
  }

  @Test(
    "features enter where each class has enough places", arguments: [(14, QualityFeatureSet.site), (80, .amplitudes)])
  func placesPerFeature(places: Int, expected: QualityFeatureSet) throws {
    let samples = samples(5308, places: places).map { sample in
      var sample = sample
      sample.isLineOfSight = sample.features[.peak] > 0
      return sample
    }
    let training = LineOfSightTraining(featureSets: [.amplitudes, .site], lambdas: [0.1, 1], exchangesPerPlace: 4)
    #expect(try #require(training.fit(samples)).choice.featureSet == expected)
  }

  @Test func tooFewPlacesAreNoTraining() {
    let two = samples(5306, places: 2)
    #expect(validation.biasTraining.fit([(delay: .edgeFit, samples: two)]) == nil)
    #expect(validation.biasTraining.fit([]) == nil)
    let oneClass = samples(5306).map { sample in
      var sample = sample
      sample.isLineOfSight = true
      return sample
    }
    #expect(validation.lineOfSightTraining.fit(oneClass) == nil)
    #expect(validation.run([]).isEmpty)
  }

  @Test func bothClassesWeighTheSame() {
    let weights = LineOfSightTraining.balanced([1, 1, 1, 1], [true, false, false, false])
    #expect(weights[0] == 0.5 && abs(weights[1...].reduce(0, +) - 0.5) < 1e-15)
  }

  // MARK: Files

  @Test func aCalibrationSurvivesItsFile() throws {
    let trained = validation.finish([(delay: .edgeFit, samples: samples(5307))]).calibration
    let data = try JSONEncoder().encode(Calibration(quality: trained))
    #expect(try JSONDecoder().decode(Calibration.self, from: data).quality == trained)
  }

  @Test(arguments: [
    #""means":[1],"#, #""means":[1,2,3],"#, #""deviations":[1,0],"#, #""deviations":[1,-2],"#, #""coefficients":[1],"#,
    #""features":["peak"],"#, #""features":["peak","nonsense"],"#, #""clip":0,"#,
  ])
  func aDamagedModelIsAnErrorAndNoCrash(damage: String) {
    let parts = [
      "means": #""means":[1,2],"#, "deviations": #""deviations":[1,2],"#, "coefficients": #""coefficients":[1,2],"#,
      "features": #""features":["peak","noise"],"#, "clip": #""clip":3,"#,
    ]
    func part(_ name: String) -> String { damage.contains("\"\(name)\"") ? damage : parts[name] ?? "" }
    func text(_ part: (String) -> String) -> String {
      "{\(part("features"))\(part("coefficients"))\"intercept\":0,\"scaling\":{\(part("means"))"
        + String(("\(part("deviations"))\(part("clip"))").dropLast()) + "}}"
    }
    #expect(throws: Never.self) {
      try JSONDecoder().decode(LinearModel.self, from: Data(text { parts[$0] ?? "" }.utf8))
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(LinearModel.self, from: Data(text(part).utf8))
    }
  }
}
