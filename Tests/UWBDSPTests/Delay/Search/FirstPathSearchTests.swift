import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct FirstPathSearchTests {
  private static let tapCount = 400

  private final class Bench {
    let search: FirstPathSearch
    let taps = PreparedTaps(tapCount: tapCount)
    let workspace = FirstPathSearch.Workspace(tapCount: tapCount)

    init(
      pulse: PulseShape = .standard, modelError: Double = 0.003, falseAlarmRate: Double,
      network: FirstPathNetwork? = .simulated
    ) {
      search = FirstPathSearch(
        ReceiverModel(pulse: pulse, modelError: modelError, falseAlarmRate: falseAlarmRate), network: network)
    }

    /// The first path in taps.
    func run(_ paths: [NaivePath], pulse: PulseShape = .standard, using random: inout StatisticsRandom) -> Double? {
      let samples = NaiveImpulseResponse.samples(paths, tapCount: tapCount, pulse: pulse, using: &random)
      taps.load(ChannelImpulseResponse(samples), antenna: 0)
      return search.run(taps, using: workspace).halfTap.map { Double($0) / 2 }
    }

    /// |z|² at every half tap of what was loaded last; zero in blocks that can't reach `level`.
    func filtered(reaching level: Float) -> [Float] {
      let map = FilteredPowers(workspace, halfTaps: 2 * taps.count - 1)
      search.filter(taps, reaching: level, into: map)
      return (0..<map.count).map { map[$0] }
    }
  }

  /// Noise alone passes no more often than stated (rates below that for presence don't count for it), and not half as often. The formula counts crossings of a
  /// known noise level; the level's own scatter of 6 % (25 blocks) at γ ≈ 9 raises the rate by e^((0.06·9)²/2) = 1.16,
  /// which the half-tap grid, missing crossings between its points, more than takes back.
  @Test(arguments: [FirstPathSearch.presence, 0.2])
  func noiseAlonePassesAtTheStatedRate(rate: Double) {
    var random = StatisticsRandom(seed: 800)
    let bench = Bench(falseAlarmRate: rate)
    let trials = 1000
    var found = 0
    for _ in 0..<trials where bench.run([], using: &random) != nil { found += 1 }
    #expect(found <= StatisticsLimits.binomial(probability: rate, trials: trials).upperBound)
    #expect(found >= StatisticsLimits.binomial(probability: rate / 2, trials: trials).lowerBound)
    #expect(found > 0)
  }

  /// The same for noise before a path: three quarters of the taps lie before it. Most of what passes lies too far before the path to
  /// belong to it. (The network takes none of it.)
  @Test func noiseBeforeAPathPassesAtNoMoreThanTheStatedRate() {
    var random = StatisticsRandom(seed: 801)
    let rate = 0.1
    let bench = Bench(falseAlarmRate: rate, network: nil)
    let trials = 800
    var early = 0
    for _ in 0..<trials {
      let path = NaivePath(delayTaps: random.uniform(295...305), powerdB: 25, phase: random.uniform(0...6))
      if let found = bench.run([path], using: &random), found < path.delayTaps - 3 { early += 1 }
    }
    #expect(early <= StatisticsLimits.binomial(probability: rate / 3, trials: trials).upperBound)
    #expect(early > 0)
  }

  @Test func aStrictRateLetsNoNoisePass() {
    var random = StatisticsRandom(seed: 802)
    let bench = Bench(falseAlarmRate: 1e-6)
    for _ in 0..<400 {
      let path = NaivePath(delayTaps: random.uniform(250...380), powerdB: 25, phase: random.uniform(0...6))
      let found = bench.run([path], using: &random) ?? .infinity
      #expect(abs(found - path.delayTaps) <= 1)
    }
  }

  /// A lone path 20 dB weaker may be a side lobe of the code: the network takes it for that.
  @Test(arguments: [(0.0, true), (10, true), (0, false), (10, false), (20, false)])
  func weakPathsBeforeStrongOnesAreFirst(weakerBydB: Double, isJudged: Bool) {
    var random = StatisticsRandom(seed: 803)
    let bench = Bench(falseAlarmRate: 1e-6, network: isJudged ? .simulated : nil)
    for _ in 0..<150 {
      // 20 dB weaker and still 20 dB over the noise, far enough for the later pulse's side lobes to be weaker yet.
      let delay = random.uniform(250...300)
      let gap = weakerBydB < 20 ? random.uniform(6...12) : random.uniform(10...20)
      let first = NaivePath(delayTaps: delay, powerdB: 40 - weakerBydB, phase: random.uniform(0...6))
      let second = NaivePath(delayTaps: delay + gap, powerdB: 40, phase: random.uniform(0...6))
      let found = bench.run([first, second], using: &random) ?? .infinity
      #expect(abs(found - delay) <= 1)
    }
  }

  /// What the accumulator holds before the signal: isolated pulses all over it (side lobes of the preamble code), or a burst.
  private enum Disturbance: CaseIterable {
    case clutter, burst

    func paths(before end: Double, powerdB: Double, using random: inout StatisticsRandom) -> [NaivePath] {
      let begin = random.uniform(20...end - 70)
      return (0..<20).map { index in
        let delay = self == .clutter ? random.uniform(10...end - 6) : begin + 1.2 * Double(index)
        return NaivePath(
          delayTaps: delay, powerdB: powerdB - random.uniform(0...6), phase: random.uniform(0...2 * .pi))
      }
    }
  }

  /// 14 dB and more over the noise, 22 dB and more under the signal, as in the captures of a DW1000.
  @Test(arguments: Disturbance.allCases, [true, false])
  private func whatStandsBeforeTheSignalIsNoFirstPath(disturbance: Disturbance, isJudged: Bool) {
    var random = StatisticsRandom(seed: 810)
    let bench = Bench(falseAlarmRate: 1e-6, network: isJudged ? .simulated : nil)
    let trials = 300
    var (early, late) = (0, 0)
    for _ in 0..<trials {
      let delay = random.uniform(250...300)
      let signal = [0.0, 4, 9].map {
        NaivePath(delayTaps: delay + $0, powerdB: 42 - random.uniform(0...6), phase: random.uniform(0...2 * .pi))
      }
      let found = bench.run(disturbance.paths(before: delay, powerdB: 20, using: &random) + signal, using: &random)
      if let found, found < delay - 2 { early += 1 }
      if (found ?? .infinity) > delay + 2 { late += 1 }
    }
    let share = isJudged ? 0.04 : 0.01
    #expect(early <= StatisticsLimits.binomial(probability: share, trials: trials).upperBound, "\(early) too early")
    #expect(late == 0)
  }

  /// A weak first path counts although a burst stands long before it, and strong ones at any distance. What stands alone that far before
  /// the signal may be a burst: the network takes some for that.
  @Test(arguments: [(weakerBydB: 14.0, gap: 12.0, isJudged: true), (6, 180, true), (14, 12, false), (6, 180, false)])
  func aFirstPathStandsOutOfWhatIsBeforeIt(weakerBydB: Double, gap: Double, isJudged: Bool) {
    var random = StatisticsRandom(seed: 811)
    let bench = Bench(falseAlarmRate: 1e-6, network: isJudged ? .simulated : nil)
    let trials = 150
    var wrong = 0
    for _ in 0..<trials {
      let delay = random.uniform(150...180)
      let paths = [(0.0, weakerBydB), (gap, 0)].map {
        NaivePath(delayTaps: delay + $0.0, powerdB: 40 - $0.1, phase: random.uniform(0...2 * .pi))
      }
      let burst = (0..<6).map {
        NaivePath(delayTaps: 60 + 2 * Double($0), powerdB: 18, phase: random.uniform(0...2 * .pi))
      }
      let found = bench.run(paths + burst, using: &random) ?? .infinity
      if abs(found - delay) > 1 { wrong += 1 }
    }
    let isFar = isJudged && gap > 100
    #expect(wrong <= (isFar ? StatisticsLimits.binomial(probability: 0.06, trials: trials).upperBound : 0))
  }

  /// Scattering has more peaks than there is room for candidates, and a stronger signal follows it: another device's response, in which
  /// the walk back begins. The first path is still among them.
  @Test func manyPeaksHideNoFirstPath() {
    var random = StatisticsRandom(seed: 812)
    let bench = Bench(falseAlarmRate: 1e-6)
    let trials = 100
    var (missing, wrong) = (0, 0)
    for _ in 0..<trials {
      let delay = random.uniform(100...120)
      let tail = (1...130).map {
        let later = 1.3 * Double($0)
        return NaivePath(
          delayTaps: delay + later, powerdB: 28 - later / 30 - random.uniform(0...8), phase: random.uniform(0...2 * .pi)
        )
      }
      let paths = [
        NaivePath(delayTaps: delay, powerdB: 38, phase: random.uniform(0...2 * .pi)),
        NaivePath(delayTaps: delay + 200, powerdB: 41, phase: random.uniform(0...2 * .pi)),
      ]
      let found = bench.run(paths + tail, using: &random) ?? .infinity
      let candidates = bench.workspace.judged.halfTaps
      #expect(candidates.count <= FirstPathCandidates.most)
      #expect(candidates.dropFirst() == ArraySlice(candidates.dropFirst().sorted(by: >)))
      if !candidates.contains(where: { abs(Double($0) / 2 - delay) <= 1 }) { missing += 1 }
      if abs(found - delay) > 1 { wrong += 1 }
    }
    #expect(missing == 0)
    #expect(wrong <= StatisticsLimits.binomial(probability: 0.02, trials: trials).upperBound)
  }

  /// The standard pulse's first side lobe is 23 dB down, the root-raised cosine's 19 dB, and both stand 40 dB over
  /// the noise here.
  @Test(arguments: [PulseShape.standard, .rootRaisedCosine(rolloff: 0.5, period: 1 / UWB.chipRate), .dw1000])
  func sideLobesAreNoPaths(pulse: PulseShape) {
    var random = StatisticsRandom(seed: 804)
    let bench = Bench(pulse: pulse, falseAlarmRate: 1e-6)
    for _ in 0..<150 {
      let path = NaivePath(
        delayTaps: random.uniform(250...350), powerdB: random.uniform(50...65), phase: random.uniform(0...6))
      let found = bench.run([path], pulse: pulse, using: &random) ?? .infinity
      #expect(abs(found - path.delayTaps) <= 1)
    }
  }

  @Test func sideLobesOfTwoPathsAreNoPaths() {
    var random = StatisticsRandom(seed: 805)
    let bench = Bench(falseAlarmRate: 1e-6)
    for _ in 0..<150 {
      let delay = random.uniform(250...300)
      let paths = [
        NaivePath(delayTaps: delay, powerdB: 60, phase: random.uniform(0...6)),
        NaivePath(delayTaps: delay + random.uniform(3...8), powerdB: 60, phase: random.uniform(0...6)),
      ]
      let found = bench.run(paths, using: &random) ?? .infinity
      // Two pulses three taps apart lean towards each other.
      #expect(found >= delay - 1 && found <= delay + 1.5)
    }
  }

  /// 10.5 dB is below the strict level and above the one for presence: most such paths are still found.
  @Test func theStrongestStandsInWhereNothingPassesTheStrictLevel() {
    var random = StatisticsRandom(seed: 806)
    let bench = Bench(falseAlarmRate: 1e-6)
    var near = 0
    for _ in 0..<150 {
      let path = NaivePath(delayTaps: random.uniform(250...350), powerdB: 10.5, phase: random.uniform(0...6))
      if let found = bench.run([path], using: &random), abs(found - path.delayTaps) <= 2 { near += 1 }
    }
    #expect(near > 100)
  }

  @Test func levelsSolveTheCrossingRate() {
    let search = FirstPathSearch(ReceiverModel(modelError: 0, falseAlarmRate: 1e-6))
    var previous = Double.infinity
    for rate in [1e-12, 1e-9, 1e-6, 1e-3, 0.5] {
      let level = search.detectionLevel(tapCount: 1016, rate: rate)
      #expect(level < previous)
      previous = level
      // The level is a fixed point: the rate at the level is the rate asked for, whatever the bandwidth's constant.
      let half = search.detectionLevel(tapCount: 508, rate: rate / 2)
      #expect(abs(half - level) < 1e-6)
    }
    #expect(search.detectionLevel(tapCount: 1, rate: 0.999) >= 1)
  }

  /// Blocks are passed over only where nothing reaches the level: all that does is there, to the bit.
  @Test(arguments: [Float(8), 12, 20])
  func passingOverBlocksLosesNothing(level: Float) {
    var random = StatisticsRandom(seed: 808)
    let bench = Bench(falseAlarmRate: 1e-6)
    var (reached, passedOver) = (0, 0)
    for _ in 0..<40 {
      let paths = (0..<3).map { _ in
        NaivePath(
          delayTaps: random.uniform(0...Double(Self.tapCount)), powerdB: random.uniform(0...30),
          phase: random.uniform(0...6))
      }
      _ = bench.run(paths, using: &random)
      let all = bench.filtered(reaching: 0)
      let some = bench.filtered(reaching: level)
      for (whole, part) in zip(all, some) where part != whole {
        #expect(part == 0 && whole < level)
        passedOver += 1
      }
      reached += some.count { $0 >= level }
    }
    #expect(reached > 0 && passedOver > 0)
  }

  /// Where nothing reaches the strict level, the search goes on from what it has filtered for that: what it then has is what the
  /// laxer level alone would leave, to the bit.
  @Test func whatTheStrictLevelLeavesIsNotFilteredAgain() {
    var random = StatisticsRandom(seed: 809)
    let bench = Bench(falseAlarmRate: 1e-6)
    var filtered = 0
    for trial in 0..<60 {
      let paths = trial % 2 == 0 ? [] : [NaivePath(delayTaps: random.uniform(20...380), powerdB: 10, phase: 0)]
      let samples = NaiveImpulseResponse.samples(paths, tapCount: Self.tapCount, using: &random)
      bench.taps.load(ChannelImpulseResponse(samples), antenna: 0)
      let found = bench.search.run(bench.taps, using: bench.workspace)
      let level =
        bench.taps.noiseVariance * bench.search.noiseGain
        * bench.search.detectionLevel(tapCount: Self.tapCount, rate: FirstPathSearch.presence)
      guard found.halfTap == nil || found.threshold == level else { continue }
      let map = FilteredPowers(bench.workspace, halfTaps: 2 * Self.tapCount - 1)
      let left = (0..<map.count).map { map[$0] }
      #expect(left == bench.filtered(reaching: Float(level)))
      filtered += left.count { $0 > 0 }
    }
    #expect(filtered > 0)
  }

  /// Near the strongest peak weaker ones count, too: there noise has little room.
  @Test func candidatesNearTheStrongestNeedALowerLevel() {
    var random = StatisticsRandom(seed: 815)
    let bench = Bench(falseAlarmRate: 1e-6)
    let search = bench.search
    let near = search.detectionLevel(tapCount: Self.tapCount, rate: 1e-7 * Double(Self.tapCount))
    let far = search.detectionLevel(tapCount: Self.tapCount, rate: 1e-5)
    var (weak, farthest) = (0, 0.0)
    for _ in 0..<600 {
      let gap = random.uniform(6...140)
      let weakdB = 10 * Double.log10(random.uniform(near...far) * search.noiseGain)
      let paths = [
        NaivePath(delayTaps: 350 - gap, powerdB: weakdB, phase: random.uniform(0...6)),
        NaivePath(delayTaps: 350, powerdB: 36, phase: 0),
      ]
      let samples = NaiveImpulseResponse.samples(paths, tapCount: Self.tapCount, using: &random)
      bench.taps.load(ChannelImpulseResponse(samples), antenna: 0)
      let candidates = search.candidates(bench.taps, using: bench.workspace)
      let map = FilteredPowers(bench.workspace, halfTaps: 2 * Self.tapCount - 1)
      let noise = bench.taps.noiseVariance * search.noiseGain
      let strongest = candidates.halfTaps.first ?? 0
      for halfTap in candidates.halfTaps.dropFirst() {
        let level = Double(map[halfTap]) / noise
        let taps = Double(strongest - halfTap) / 2
        #expect(level >= (taps <= 96 ? near : far) * (1 - 1e-6), "\(level) at \(taps) taps")
        guard level < far, taps > 6 else { continue }
        weak += 1
        farthest = max(farthest, taps)
      }
    }
    #expect(weak > 20 && farthest > 80, "\(weak), as far as \(farthest) taps")
  }

  /// A weak path before a cluster may be the first, or clutter: what the network gives others is stated, and counted by every fit.
  @Test func ambiguityVarianceIsTheSecondMomentOfOtherCandidates() throws {
    var random = StatisticsRandom(seed: 814)
    let bench = Bench(falseAlarmRate: 1e-6)
    let receiver = ReceiverModel(pulse: .standard, modelError: 0.003, falseAlarmRate: 1e-6)
    var ambiguous = 0
    for _ in 0..<300 {
      let gap = random.uniform(3...60)
      let paths = (0..<12).map { number in
        NaivePath(
          delayTaps: number == 0 ? 100 : 100 + gap + random.uniform(0...20),
          powerdB: number == 0 ? 15 : random.uniform(20...36),
          phase: random.uniform(0...6))
      }
      let samples = NaiveImpulseResponse.samples(paths, tapCount: Self.tapCount, using: &random)
      bench.taps.load(ChannelImpulseResponse(samples), antenna: 0)
      let found = bench.search.run(bench.taps, using: bench.workspace)
      let first = try #require(found.halfTap)
      let candidates = bench.workspace.judged
      guard candidates.features.count == candidates.halfTaps.count else { continue }
      var scores = [Float](repeating: 0, count: candidates.features.count)
      FirstPathNetwork.simulated.score(candidates.features, into: &scores)
      let likelihoods = scores.map { Double.exp(Double($0)) }
      let total = likelihoods.reduce(0, +)
      var expected = 0.0
      for (likelihood, halfTap) in zip(likelihoods, candidates.halfTaps) {
        let taps = abs(Double(halfTap - first)) / 2
        if likelihood >= 0.03 * total, taps > 4.5, taps <= 40 { expected += likelihood / total * taps * taps }
      }
      #expect(abs(found.ambiguityVariance - expected) <= 1e-3 * expected)
      guard found.ambiguityVariance > 0 else { continue }
      ambiguous += 1
      for estimator in [AdaptiveFit(receiver), PulseFit(receiver), RiceFit(receiver)] as [any DelayEstimator] {
        let estimate = estimator.estimate(ChannelImpulseResponse(samples))
        let path = try #require(estimate.firstPath)
        #expect(
          estimate.ambiguityVariance == found.ambiguityVariance
            && path.deviationTaps * path.deviationTaps >= found.ambiguityVariance)
      }
    }
    #expect(ambiguous > 5)
  }

  /// E|z|² of the filter over noise of variance 1, on whole and on half taps.
  @Test func noiseGainIsTheFiltersOwn() {
    var random = StatisticsRandom(seed: 807)
    let bench = Bench(falseAlarmRate: 1e-6)
    var whole = StatisticsErrors()
    var half = StatisticsErrors()
    for _ in 0..<60 {
      _ = bench.run([], using: &random)
      let powers = bench.filtered(reaching: 0)
      for tap in 10..<Self.tapCount - 10 {
        whole.add(Double(powers[2 * tap]))
        half.add(Double(powers[2 * tap + 1]))
      }
    }
    // Neighbours within three taps are correlated: a third of the numbers at most counts as independent.
    let limit = StatisticsLimits.mean(deviation: 1, trials: whole.count / 3)
    #expect(abs(whole.mean / bench.search.noiseGain - 1) < limit)
    #expect(abs(half.mean / bench.search.noiseGain - 1) < limit + 0.02)
  }
}
