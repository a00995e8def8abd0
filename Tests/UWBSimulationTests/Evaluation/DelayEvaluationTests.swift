import TestSupport
import Testing
import UWBDSP

@testable import UWBSimulation

@Suite("evaluation of delay estimators")
struct DelayEvaluationTests {
  /// A mean square over n errors scatters by √(2/n): here four of them, on both sides.
  private static func limits(_ count: Int) -> ClosedRange<Double> {
    let scatter = 4 * (2 / Double(count)).squareRoot()
    return (1 - scatter).squareRoot()...(1 + scatter).squareRoot()
  }

  @Test("behind a matched filter the fit that whitens reaches the coloured bound with honest deviations")
  func whiteningReachesTheBound() throws {
    let noise = try #require(NoiseCorrelation.matchedFilter(.standard))
    let count = 200
    for channel in [Channel.awgn, try Channel(pathList: "0:0dB,4:0dB")] {
      let generator = DelayTrialGenerator(channel: channel, snrdB: 27, noise: noise, seed: 5)
      let rows = DelayEvaluation(generator: generator, methods: [.pulseFit, .adaptive], trialCount: count).run()
      for row in rows {
        let ratio = try #require(row.ratio)
        let honesty = try #require(row.normalisedVariance)
        #expect(row.missed == 0 && row.early == 0, "\(row.estimator)")
        // The window of 23 taps costs two paths a few per cent over the bound's wider one.
        #expect(ratio > Self.limits(count).lowerBound && ratio < 1.05 * Self.limits(count).upperBound, "\(row)")
        let scatter = 4 * (2 / Double(count)).squareRoot()
        #expect(abs(honesty - 1) < scatter, "\(row)")
      }
    }
  }

  @Test("the same noise taken for white costs accuracy")
  func takenForWhite() throws {
    let noise = try #require(NoiseCorrelation.matchedFilter(.standard))
    let count = 500
    let generator = DelayTrialGenerator(channel: .awgn, snrdB: 27, noise: noise, seed: 5)
    var evaluation = DelayEvaluation(generator: generator, methods: [.pulseFit], trialCount: count)
    evaluation.profile.noise = noise
    let whitened = try #require(evaluation.run().first?.ratio)
    evaluation.profile.noise = .white
    let white = try #require(evaluation.run().first?.ratio)
    #expect(white > 1.03 * whitened, "\(white) \(whitened)")
  }

  @Test("a path of the scoreboard that is weak before a dense cluster is missed in no more than six of a thousand CIRs")
  func weakBeforeACluster() throws {
    let count = 2000
    let channel = try Channel(pathList: "0:-10dB", before: DenseCluster(description: "6:8:0dB"))
    let generator = DelayTrialGenerator(channel: channel, snrdB: 30, seed: 20)
    let row = try #require(DelayEvaluation(generator: generator, methods: [.adaptive], trialCount: count).run().first)
    #expect(row.missed <= StatisticsLimits.binomial(probability: 0.006, trials: count).upperBound, "\(row)")
    #expect(row.early == 0)
  }
}
