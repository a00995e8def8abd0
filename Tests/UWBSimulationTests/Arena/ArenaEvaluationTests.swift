import TestSupport
import Testing

@testable import UWBDSP
@testable import UWBSimulation

@Suite("arena: evaluation")
struct ArenaEvaluationTests {
  @Test("figures do not depend on the number of threads")
  func threads() throws {
    let family = try #require(ArenaFamily.named("sv-clutter"))
    let evaluation = ArenaEvaluation(family: family, methods: [nil, .leadingEdge], trialCount: 70, seed: 4)
    #expect(evaluation.run(threads: 1) == evaluation.run(threads: 3))
  }

  @Test("the default is the profile's, and a known pulse beats the crossing on one path with honest deviations")
  func onePath() throws {
    let family = try #require(ArenaFamily.named("one-path"))
    let count = 200
    let row = try #require(ArenaEvaluation(family: family, trialCount: count, seed: 9).run().first)
    #expect(row.isDefault && row.method == family.profile.delay)
    #expect(row.trials == count && row.unanswered == 0 && row.grossShare == 0 && row.crossingGrossShare == 0)
    #expect(row.ratio < 1 && row.ratio == row.rms / row.crossingRMS)
    // A mean of n squares scatters by √(2/n): four of them, and 0.1 for what the profile's model error adds.
    let score = try #require(row.score)
    #expect(abs(score - 1) < 0.1 + 4 * (2 / Double(count)).squareRoot())
    #expect(row.beyondFiveShare == 0)
  }

  @Test("no answer counts as an error of the clip")
  func unanswered() throws {
    // No path stands 10 dB below the noise.
    let family = ArenaFamily("x", .tuned, .onePath, snrdB: -10 ... -10)
    let row = try #require(ArenaEvaluation(family: family, methods: [.peak], trialCount: 40, seed: 1).run().first)
    let clip = ArenaEvaluation.clipTaps * UWB.tap * UWB.speedOfLightInAir
    #expect(row.unanswered == 40 && row.grossShare == 1 && row.score == nil)
    #expect(abs(row.rms - clip) < 1e-9 && row.crossingRMS <= clip)
  }

  /// What stands before a stronger signal looks like a burst; here it is a room.
  @Test("another tag's pulse without a channel, as strong or stronger, is hardly taken for the first path")
  func lonePulse() throws {
    let other = ArenaImpairment.otherTag(leveldB: 0...8, laterTaps: 60...200, onePathShare: 1)
    let family = ArenaFamily("x", .tuned, .room(blocked: false), [other])
    let row = try #require(ArenaEvaluation(family: family, trialCount: 400, seed: 5).run(threads: 2).first)
    #expect(row.grossShare <= family.limits.grossShare)
  }

  @Test("a constant error is taken off as an antenna delay")
  func constantError() throws {
    // The crossing lies more than a tap before the peak; what is left is its scatter.
    let family = try #require(ArenaFamily.named("one-path-dw1000"))
    let row = try #require(ArenaEvaluation(family: family, trialCount: 100, seed: 1).run().first)
    #expect(row.crossingRMS < 0.2 * UWB.tap * UWB.speedOfLightInAir)
  }

  /// Taken for white, such noise leaves candidates in one CIR of ten. The level lets it pass in one of a thousand, and up to twenty times as often
  /// for what eight blocks leave open: e^((γ·s)²/2) with γ = 14, s = ⅙.
  @Test("noise through a receive filter is hardly a candidate for the first path")
  func coloured() {
    let trials = ArenaTrials(family: ArenaFamily("coloured", .tuned, .onePath, [.colouredNoise]), seed: 1)
    let search = FirstPathSearch(ReceiverModel())
    let workspace = FirstPathSearch.Workspace(tapCount: trials.tapCount)
    let taps = PreparedTaps(tapCount: trials.tapCount)
    let count = 500
    var early = 0
    for index in 0..<count {
      let trial = trials.trial(index)
      taps.load(trial.response, antenna: 0)
      let found = search.candidates(taps, using: workspace).halfTaps
      if found.contains(where: { Double($0) / 2 < trial.firstPathTaps - ArenaEvaluation.clipTaps }) { early += 1 }
    }
    #expect(early <= StatisticsLimits.binomial(probability: 0.02, trials: count).upperBound)
  }
}
