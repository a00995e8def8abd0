import Numerics
import TestSupport
import Testing

@testable import UWBDSP

/// What runs on vector units against its portable twin, and onsets left out against all of them.
@Suite struct VectorUnitsTests {
  private static let window = OnsetTables.windowTaps
  private static let thereAre: ConditionTrait = .enabled(if: VectorUnits.areThere, "this machine: no AVX2 and FMA")

  /// A path over a continuum, or either, at 10 to 45 dB; loaded from 12 taps before its onset.
  private static func taps(_ index: Int, _ trials: inout OnsetTrials) -> PreparedTaps {
    let onset = 160 + trials.uniform()
    let power = 10 + 35 * trials.uniform()
    let response =
      index % 2 == 0
      ? trials.continuum(onset: onset, powerdB: power)
      : trials.paths([(0, power), (2.3, power - 3), (6.1, power - 20 * trials.uniform())], onset: onset)
    let taps = PreparedTaps(tapCount: OnsetTrials.tapCount)
    taps.load(response, antenna: 0)
    return taps
  }

  /// Returns the window's energy.
  @discardableResult
  private static func run(
    _ likelihood: OnsetLikelihood, _ taps: PreparedTaps, _ stages: [OnsetLikelihood.Stage]
  ) -> Double {
    likelihood.load(taps, firstTap: 148, variance: 1)
    likelihood.evaluate(stages)
    return likelihood.energy
  }

  @Test(thereAre, arguments: [UInt64(41), 42])
  func likelihoodsAreThePortableOnes(seed: UInt64) throws {
    var trials = OnsetTrials(seed: seed)
    let own = OnsetLikelihood(ReceiverModel())
    let portable = OnsetLikelihood(ReceiverModel(), usesVectorUnits: false)
    for index in 0..<60 {
      let taps = Self.taps(index, &trials)
      let energy = Self.run(own, taps, OnsetLikelihood.Stage.deciding)
      Self.run(portable, taps, OnsetLikelihood.Stage.deciding)
      // ln L is a sum of some hundred numbers up to the window's energy, in single precision; and rounding may decide whether an
      // onset is interpolated, which the test below allows as much.
      let rounding = 100 * Double(Float.ulpOfOne) * energy
      #expect(abs(own.evidence() - portable.evidence()) < 0.05 + rounding, "seed \(seed), \(index)")
      Self.run(own, taps, OnsetLikelihood.Stage.others)
      Self.run(portable, taps, OnsetLikelihood.Stage.others)
      let (found, expected) = (try #require(own.locate()), try #require(portable.locate()))
      #expect(abs(found.delay - expected.delay) < 0.15 * expected.deviation, "seed \(seed), \(index)")
      #expect(abs(found.deviation / expected.deviation - 1) < 0.06 + rounding, "seed \(seed), \(index)")
    }
  }

  /// Onsets that are interpolated or left out change the posterior by less than anybody sees: against ln L of every onset, in double
  /// precision.
  @Test(arguments: [true, false])
  func theStagesLeaveOutWhatIsNegligible(usesVectorUnits: Bool) throws {
    let seed: UInt64 = 43
    var trials = OnsetTrials(seed: seed)
    let likelihood = OnsetLikelihood(ReceiverModel(), usesVectorUnits: usesVectorUnits)
    let naive = NaiveOnset()
    for index in 0..<30 {
      let taps = Self.taps(index, &trials)
      Self.run(likelihood, taps, OnsetLikelihood.Stage.deciding)
      let evidence = likelihood.evidence()
      Self.run(likelihood, taps, OnsetLikelihood.Stage.others)
      let found = try #require(likelihood.locate())
      let expected = naive.run([taps], firstTap: 148)
      #expect(abs(evidence - expected.evidence) < 0.05, "seed \(seed), \(index): \(evidence), \(expected.evidence)")
      #expect(
        abs(found.delay - 148 - expected.median) < 0.05 * expected.deviation,
        "seed \(seed), \(index): \(found.delay - 148), \(expected.median)")
      #expect(
        abs(found.deviation / expected.deviation - 1) < 0.06,
        "seed \(seed), \(index): \(found.deviation), \(expected.deviation)")
    }
  }

  @Test(thereAre) func pathFitsAreThePortableOnes() throws {
    var random = StatisticsRandom(seed: 44)
    let table = PulseTable(.standard, tapSpacing: UWB.tap)
    func fit(_ usesVectorUnits: Bool) -> PathFit {
      PathFit(
        PathPulses(table, windowTaps: Self.window, usesVectorUnits: usesVectorUnits),
        starts: PathStarts(table: table, windowTaps: Self.window))
    }
    let (own, portable) = (fit(true), fit(false))
    let delays = AlignedBuffer<Double>(count: PathFit.mostPaths, zero: 0)
    var compared = 0
    for trial in 0..<200 {
      let count = 1 + trial % PathFit.mostPaths
      // The first may lie far outside the window, where the pulse's table ends.
      for path in 0..<count { delays.pointer[path] = 2.6 * Double(path) + random.uniform(0...1) }
      if trial % 5 == 0 { delays.pointer[0] = random.uniform(-12 ... -3) }
      let list = (0..<count).map { path in
        NaivePath(delayTaps: 20 + delays.pointer[path] + random.uniform(-0.2...0.2), powerdB: 30, phase: Double(path))
      }
      let samples = NaiveImpulseResponse.samples(list, tapCount: 80, using: &random)
      let taps = PreparedTaps(tapCount: 80)
      taps.load(ChannelImpulseResponse(samples), antenna: 0)
      own.load(taps, firstTap: 20)
      portable.load(taps, firstTap: 20)
      let (cost, expected) = (own.solve(delays.pointer, count: count), portable.solve(delays.pointer, count: count))
      guard let cost, let expected else {
        #expect((cost == nil) == (expected == nil))
        continue
      }
      compared += 1
      // Sums of 23 numbers no larger than the window's energy, magnified where paths overlap.
      let scale = own.strongestPower
      #expect(abs(cost - expected) < 1e-4 * scale, "\(trial)")
      for path in 0..<count {
        #expect((own.amplitude(path) - portable.amplitude(path)).length < 1e-3 * scale.squareRoot(), "\(trial)")
      }
      let (start, other) = (own.start(count: count), portable.start(count: count))
      // The same crest, or one that is as high.
      #expect(
        abs(start.position - other.position) < 0.02 || abs(start.gain - other.gain) < 1e-2 * other.gain, "\(trial)")
      let (split, otherSplit) = (
        own.splitGain(delays.pointer, count: count), portable.splitGain(delays.pointer, count: count)
      )
      #expect(abs(split - otherSplit) < 1e-3 * (scale + otherSplit), "\(trial)")
      let isRegular = own.differentiate(delays.pointer, count: count)
      #expect(isRegular == portable.differentiate(delays.pointer, count: count), "\(trial)")
      guard isRegular else { continue }
      for path in 0..<count {
        let slope = portable.slope(path)
        let size = portable.slopeProduct(path, path)
        #expect(abs(own.slope(path) - slope) < 1e-3 * (abs(slope) + scale), "\(trial)")
        #expect(abs(own.slopeProduct(path, path) - size) < 1e-4 * (1 + size), "\(trial)")
      }
      own.invertCurvature(count: count)
      portable.invertCurvature(count: count)
      let variance = portable.delayCovariance(0, 0)
      #expect(abs(own.delayCovariance(0, 0) / variance - 1) < 0.02, "\(trial)")
      #expect(
        abs(own.phaseVariance(0, count: count) / portable.phaseVariance(0, count: count) - 1) < 0.02, "\(trial)")
    }
    #expect(compared > 100)
  }

  @Test(thereAre, arguments: [UInt64(46), 47])
  func riceLikelihoodsAreThePortableOnes(seed: UInt64) throws {
    var trials = OnsetTrials(seed: seed)
    let own = RiceLikelihood(ReceiverModel())
    let portable = RiceLikelihood(ReceiverModel(), usesVectorUnits: false)
    for index in 0..<60 {
      let taps = Self.taps(index, &trials)
      for likelihood in [own, portable] { likelihood.load(taps, firstTap: 152, variance: 1) }
      func summary(_ likelihood: RiceLikelihood) throws -> DelayPosterior.Summary {
        let posterior = DelayPosterior()
        posterior.reset(first: 152 + RiceTables.firstOnset)
        #expect(likelihood.run(into: posterior, offset: 0) != nil)
        return try #require(posterior.summary())
      }
      let (found, expected) = (try summary(own), try summary(portable))
      // Rounding may decide whether a crest counts as one or as bins, and whether one is looked at that weighs next to nothing.
      #expect(abs(found.delay - expected.delay) < 0.15 * expected.deviation, "seed \(seed), \(index)")
      #expect(abs(found.deviation / expected.deviation - 1) < 0.06, "seed \(seed), \(index)")
      for onset in stride(from: 0, to: RiceTables.onsetCount, by: 7) {
        for place in RiceAlternative.all.indices {
          let size = portable.terms(onset: onset, alternative: place)
          let difference = own.terms(onset: onset, alternative: place) - size
          for lane in 0..<8 {
            #expect(abs(difference[lane]) < 0.01 + 2e-5 * abs(size[lane]), "seed \(seed), \(index), \(onset), \(place)")
          }
        }
      }
    }
  }

  /// The radio's pattern is taken from integers without a sum whose order could matter: to the bit.
  @Test(thereAre, arguments: [1, 3, 8, 16, 21], [256, 251, 1016])
  func tapsWithoutThePatternAreThePortableOnes(period: Int, tapCount: Int) {
    var random = StatisticsRandom(seed: 48)
    let parts = (0..<2 * tapCount).map { index in
      Int16(random.uniform(-40...40)) + (index / 2 == tapCount - 20 ? 9000 : 0)
    }
    let storage = TapStorage(byteCount: 4 * tapCount)
    storage.withMutableBytes { bytes in parts.withUnsafeBytes { bytes.copyMemory(from: $0) } }
    let response = ChannelImpulseResponse(storage: storage, format: .int16, tapCount: tapCount, scale: 0.001)
    let own = PreparedTaps(tapCount: tapCount)
    let portable = PreparedTaps(tapCount: tapCount, usesVectorUnits: false)
    for taps in [own, portable] { taps.load(response, antenna: 0, backgroundPeriodTaps: period) }
    #expect(own.noiseVariance == portable.noiseVariance)
    #expect(own.peakTap == portable.peakTap)
    for number in 0..<2 * tapCount { #expect(own.taps[number] == portable.taps[number]) }
    for tap in 0..<tapCount { #expect(own.powers.pointer[tap] == portable.powers.pointer[tap]) }
  }
}

/// ln L at every onset, and what follows, in double precision and one after the other.
private struct NaiveOnset {
  private let cells = OnsetTables.shared(ReceiverModel()).all

  private func likelihoods(_ taps: PreparedTaps, _ firstTap: Int, _ profile: Int, _ onset: Int) -> [Double] {
    let window = OnsetTables.windowTaps
    let cell = cells.cell(profile: profile, onset: onset)
    var sums = (0..<8).map { -Double(cells.logDeterminants[cell][$0]) }
    for component in 0..<OnsetTables.rank {
      var sum = Complex<Double>.zero
      for tap in 0..<window {
        let sample = Complex(
          Double(taps.taps[2 * (firstTap + tap)]), Double(taps.taps[2 * (firstTap + tap) + 1]))
        sum += Complex(Double(cells.vectors[cell * window + tap][component])) * sample
      }
      for lane in 0..<8 {
        sums[lane] += Double(cells.gains[cell * OnsetTables.rank + component][lane]) * sum.lengthSquared
      }
    }
    return sums
  }

  func run(_ windows: [PreparedTaps], firstTap: Int) -> (evidence: Double, median: Double, deviation: Double) {
    let onsets = OnsetTables.onsetCount
    let all = OnsetTables.profiles.indices.map { profile in
      (0..<onsets).map { onset in
        windows.map { likelihoods($0, firstTap, profile, onset) }.reduce([Double](repeating: 0, count: 8)) { sum, own in
          zip(sum, own).map { $0 + $1 }
        }
      }
    }
    let best = all.joined().joined().max() ?? 0
    let weights = all.map { $0.map { $0.reduce(0) { $0 + Double.exp($1 - best) } } }
    var (evidence, priors) = (0.0, 0.0)
    for profile in OnsetTables.deciding {
      for onset in stride(from: 0, to: onsets, by: OnsetTables.decidingStep) {
        evidence += OnsetTables.priors[profile] * weights[profile][onset]
        priors += 8 * OnsetTables.priors[profile]
      }
    }
    let located = (0..<onsets).map { onset in
      OnsetTables.profiles.indices.reduce(0) { $0 + OnsetTables.priors[$1] * weights[$1][onset] }
    }
    let half = located.reduce(0, +) / 2
    var (below, median) = (0.0, 0.0)
    for onset in 0..<onsets {
      if below + located[onset] >= half {
        median = OnsetTables.onset(onset) + ((half - below) / located[onset] - 0.5) / Double(OnsetTables.stepsPerTap)
        break
      }
      below += located[onset]
    }
    var (total, squares) = (0.0, 0.0)
    for profile in OnsetTables.profiles.indices {
      for onset in 0..<onsets {
        let error = OnsetTables.onset(onset) - median
        total += weights[profile][onset]
        squares += weights[profile][onset] * error * error
      }
    }
    let step = 1 / Double(OnsetTables.stepsPerTap)
    return (best + .log(evidence / priors), median, (squares / total + step * step / 12).squareRoot())
  }
}
