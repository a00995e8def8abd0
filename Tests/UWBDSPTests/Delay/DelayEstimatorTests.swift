import Numerics
import TestSupport
import Testing
import UWBBaselines
import UWBDSP

/// What every delay estimator owes: one suite for all of them.
@Suite struct DelayEstimatorTests {
  static let all: [any DelayEstimator] = onePath + [RiceFit()]
  /// Those whose deviations suppose one path: `RiceFit`'s allow for what may come behind it.
  private static let onePath: [any DelayEstimator] = [
    PeakTap(), EdgeFit(), PulseFit(),
  ]

  /// Taps of the CIRs here: enough for the noise floor and a search, few enough for debug builds.
  private static let tapCount = 320

  // MARK: One path

  /// 1,000 trials put a normalised variance of 1 within 1 ± 0.198 (χ²), so inside 0.8 … 1.25.
  @Test(arguments: onePath, [20.0, 35])
  func lonePathIsUnbiasedWithHonestDeviations(estimator: any DelayEstimator, snrdB: Double) {
    func check<E: DelayEstimator>(_ estimator: E) {
      var random = StatisticsRandom(seed: 1001)
      let bench = DelayBench(estimator, tapCount: Self.tapCount)
      let trials = 1000
      var delay = StatisticsErrors()
      var phase = StatisticsErrors()
      var normalised = StatisticsErrors()
      var stated = StatisticsErrors()
      for _ in 0..<trials {
        let made = LonePath.make(delay: 220...300, tapCount: Self.tapCount, snrdB: snrdB, using: &random)
        let found = bench.run(made.samples)
        guard found.status == .ok, let path = found.firstPath else { continue }
        let error = path.delayTaps - made.path.delayTaps
        delay.add(error)
        normalised.add(error / path.deviationTaps)
        stated.add(path.deviationTaps)
        phase.add((path.amplitude * made.path.amplitude.conjugate).phase / path.phaseDeviation)
      }
      #expect(delay.count == trials)
      #expect(abs(delay.mean) < StatisticsLimits.mean(deviation: stated.rootMeanSquare, trials: trials))
      #expect(StatisticsLimits.normalisedVariance(trials: trials).contains(normalised.meanSquare))
      #expect(StatisticsLimits.normalisedVariance(trials: trials).contains(phase.meanSquare))
    }
    check(estimator)
  }

  /// An efficient estimator errs as the linearised likelihood does, up to terms that fall with the SNR: 0.1 of the
  /// bound at 20 dB, where they add 0.5 % to its root mean square. A comparison trial by trial, far sharper than one
  /// of root mean squares.
  @Test(arguments: [PeakTap(), PulseFit()] as [any DelayEstimator], [20.0, 26, 32])
  func efficientEstimatorsFollowTheLinearisedLikelihood(estimator: any DelayEstimator, snrdB: Double) {
    func check<E: DelayEstimator>(_ estimator: E) {
      var random = StatisticsRandom(seed: 1002)
      let bench = DelayBench(estimator, tapCount: Self.tapCount)
      var errors = StatisticsErrors()
      var beyond = StatisticsErrors()
      let trials = 400
      for _ in 0..<trials {
        let made = LonePath.make(delay: 220...300, tapCount: Self.tapCount, snrdB: snrdB, using: &random)
        guard let path = bench.run(made.samples).firstPath else { continue }
        let error = path.delayTaps - made.path.delayTaps
        errors.add(error / made.bound)
        beyond.add((error - made.linearError) / made.bound)
      }
      #expect(errors.count == trials)
      #expect(StatisticsLimits.rootMeanSquareRatio(trials: trials).contains(errors.rootMeanSquare))
      #expect(beyond.rootMeanSquare < 0.12 * Double.pow(10, -(snrdB - 20) / 20) + 0.01)
    }
    check(estimator)
  }

  @Test(arguments: all)
  func weakPathsAreFoundWithoutOutliers(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      var random = StatisticsRandom(seed: 1003)
      let bench = DelayBench(estimator, tapCount: Self.tapCount)
      // 17 dB is 2.6 dB over the strictest of the three detection levels.
      for _ in 0..<300 {
        let made = LonePath.make(delay: 220...300, tapCount: Self.tapCount, snrdB: 17, using: &random)
        let found = bench.run(made.samples)
        #expect(found.status == .ok)
        guard let path = found.firstPath else { continue }
        // Six deviations of the weakest fit at this SNR.
        #expect(abs(path.delayTaps - made.path.delayTaps) < 0.75)
      }
    }
    check(estimator)
  }

  // MARK: Repeatability

  private static func responses() -> [[Complex<Float>]] {
    var random = StatisticsRandom(seed: 1004)
    var result: [[Complex<Float>]] = []
    for index in 0..<24 {
      let count = index % 3
      let paths = (0...count).map { path in
        NaivePath(
          delayTaps: random.uniform(200...300) + 3 * Double(path), powerdB: random.uniform(8...40),
          phase: random.uniform(0...6))
      }
      result.append(
        NaiveImpulseResponse.samples(paths, tapCount: index % 4 == 3 ? 150 : tapCount, using: &random))
    }
    result.append([Complex<Float>](repeating: .zero, count: 200))
    result.append([Complex<Float>](repeating: Complex(.nan, 0), count: 200))
    result.append(NaiveImpulseResponse.samples([], tapCount: 30, using: &random))
    return result
  }

  @Test(arguments: all)
  func dirtyWorkspaceGivesTheSameBits(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      let used = DelayBench(estimator, tapCount: Self.tapCount)
      let responses = Self.responses()
      for samples in responses + responses.reversed() {
        let again = used.run(samples)
        let fresh = DelayBench(estimator, tapCount: Self.tapCount).run(samples)
        #expect(again.status == fresh.status)
        #expect(again.paths == fresh.paths)
        #expect(again.threshold == fresh.threshold)
        let fitting = DelayBench(estimator, tapCount: samples.count).run(samples)
        #expect(fitting.paths == fresh.paths)
        #expect(estimator.estimate(ChannelImpulseResponse(samples)).paths == fresh.paths)
      }
    }
    check(estimator)
  }

  @Test(arguments: all)
  func threadsWithTheirOwnWorkspacesAgree(estimator: any DelayEstimator) async {
    func check<E: DelayEstimator>(_ estimator: E) async {
      let responses = Self.responses()
      let alone = responses.map { DelayBench(estimator, tapCount: Self.tapCount).run($0).paths }
      await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let bench = DelayBench(estimator, tapCount: Self.tapCount)
            return (0..<6).allSatisfy { _ in zip(responses, alone).allSatisfy { bench.run($0).paths == $1 } }
          }
        }
        for await same in group { #expect(same) }
      }
    }
    await check(estimator)
  }

  /// Delays don't depend on the unit that samples are kept in, nor on the carrier's phase.
  @Test(arguments: all)
  func scaleAndPhaseDoNotMoveDelays(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      let bench = DelayBench(estimator, tapCount: Self.tapCount)
      for samples in Self.responses().prefix(24) {
        let plain = bench.run(samples)
        let scaled = bench.run(ChannelImpulseResponse(samples, scale: 0x1p-12))
        #expect(scaled.status == plain.status)
        #expect(scaled.paths.map(\.delayTaps) == plain.paths.map(\.delayTaps))
        #expect(scaled.paths.map(\.deviationTaps) == plain.paths.map(\.deviationTaps))
        #expect(scaled.paths.map(\.amplitude) == plain.paths.map { $0.amplitude * Complex(0x1p-12) })
        let turned = bench.run(samples.map { Complex(-$0.imaginary, $0.real) })
        #expect(turned.status == plain.status)
        for (a, b) in zip(turned.paths, plain.paths) {
          // Likelihoods of single precision round at a thousandth of a deviation.
          let rounding = estimator is RiceFit ? 1e-3 : 1e-4
          #expect(abs(a.delayTaps - b.delayTaps) < rounding * b.deviationTaps + 1e-9)
        }
      }
    }
    check(estimator)
  }

  // MARK: Hostile input

  private static func expectSane(_ estimate: DelayEstimate, tapCount: Int) {
    switch estimate.status {
    case .noFirstPath, .emptyImpulseResponse, .beyondLimits: #expect(estimate.paths.isEmpty)
    case .ok: #expect(!estimate.paths.isEmpty)
    case .didNotConverge: break
    }
    #expect(estimate.paths.count <= DelayEstimate.pathCapacity)
    #expect(estimate.paths.map(\.delayTaps) == estimate.paths.map(\.delayTaps).sorted())
    for path in estimate.paths {
      #expect(path.delayTaps > -16 && path.delayTaps < Double(tapCount) + 16)
      #expect(path.deviationTaps.isFinite && path.deviationTaps > 0)
      #expect(path.phaseDeviation.isFinite && path.phaseDeviation > 0)
      #expect(path.amplitude.isFinite)
    }
  }

  @Test(arguments: all)
  func unusableSamplesGiveAStatus(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      let bench = DelayBench(estimator, tapCount: 400)
      var random = StatisticsRandom(seed: 1005)
      let good = NaiveImpulseResponse.samples(
        [NaivePath(delayTaps: 250, powerdB: 30, phase: 1)], tapCount: 400, using: &random)
      for bad in [Float.nan, .infinity, -.infinity, .signalingNaN] {
        for place in [0, 1, 249, 399] {
          var samples = good
          samples[place] = Complex(bad, 1)
          #expect(bench.run(samples).status == .emptyImpulseResponse)
          samples[place] = Complex(1, bad)
          #expect(bench.run(samples).status == .emptyImpulseResponse)
        }
      }
      for count in [1, 2, 64, 400] {
        #expect(bench.run([Complex<Float>](repeating: .zero, count: count)).status == .emptyImpulseResponse)
      }
      #expect(bench.run(ChannelImpulseResponse(good, scale: 0)).status == .emptyImpulseResponse)
      #expect(bench.run(ChannelImpulseResponse(good, scale: .nan)).status == .emptyImpulseResponse)
      #expect(bench.run(good).status == .ok)
    }
    check(estimator)
  }

  @Test(arguments: all)
  func extremeMagnitudesDoNotTrap(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      let bench = DelayBench(estimator, tapCount: 256)
      var random = StatisticsRandom(seed: 1006)
      let good = NaiveImpulseResponse.samples(
        [NaivePath(delayTaps: 200, powerdB: 30, phase: 1)], tapCount: 256, using: &random)
      for exponent in stride(from: -44, through: 38, by: 2) {
        let scale = Float(Double.pow(10, Double(exponent)))
        Self.expectSane(bench.run(ChannelImpulseResponse(good, scale: scale)), tapCount: 256)
      }
      // One tap alone, a constant, a ramp, alternating signs: nothing like a pulse.
      let shapes: [(Int) -> Complex<Float>] = [
        { Complex($0 == 100 ? 1 : 0) }, { _ in .one }, { Complex(Float($0)) }, { Complex($0 % 2 == 0 ? 1 : -1) },
        { Complex(Float($0 * $0), -Float($0)) }, { Complex($0 < 128 ? 0 : 1) }, { Complex($0 < 128 ? 1 : 0) },
        { Complex($0 == 0 || $0 == 255 ? 1 : 0) },
      ]
      for shape in shapes { Self.expectSane(bench.run((0..<256).map(shape)), tapCount: 256) }
    }
    check(estimator)
  }

  @Test(arguments: all)
  func shortResponsesGiveAStatus(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      var random = StatisticsRandom(seed: 1007)
      let bench = DelayBench(estimator, tapCount: 40)
      for count in 1...40 {
        for powerdB in [-100.0, 10, 40, 80] {
          let path = NaivePath(
            delayTaps: random.uniform(-3...Double(count) + 2), powerdB: powerdB, phase: random.uniform(0...6))
          let samples = NaiveImpulseResponse.samples([path], tapCount: count, using: &random)
          Self.expectSane(bench.run(samples), tapCount: count)
          Self.expectSane(bench.run(NaiveImpulseResponse.integers(samples, step: 1)), tapCount: count)
          let exact = NaiveImpulseResponse.samples([path], tapCount: count, noiseVariance: 0, using: &random)
          Self.expectSane(bench.run(exact), tapCount: count)
        }
      }
    }
    check(estimator)
  }

  @Test(arguments: all)
  func pathsAtTheAccumulatorsEndsAreSane(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      var random = StatisticsRandom(seed: 1008)
      let bench = DelayBench(estimator, tapCount: Self.tapCount)
      for step in 0...40 {
        let offset = Double(step) / 4 - 3
        for delay in [offset, Double(Self.tapCount - 1) - offset] {
          let path = NaivePath(delayTaps: delay, powerdB: 30, phase: random.uniform(0...6))
          let found = bench.run(NaiveImpulseResponse.samples([path], tapCount: Self.tapCount, using: &random))
          Self.expectSane(found, tapCount: Self.tapCount)
          // From five taps inside on, nothing of the pulse's main lobe is missing.
          if offset >= 5 {
            #expect(found.status == .ok)
            #expect(abs((found.firstPath?.delayTaps ?? .infinity) - delay) < 0.25)
          }
        }
      }
    }
    check(estimator)
  }

  @Test(arguments: all)
  func saturatedSamplesKeepTheDelay(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      var random = StatisticsRandom(seed: 1009)
      let bench = DelayBench(estimator, tapCount: Self.tapCount)
      for _ in 0..<100 {
        let made = LonePath.make(delay: 220...300, tapCount: Self.tapCount, snrdB: 40, using: &random)
        // The peak is at 100; clipping starts at 40 … 80.
        let step = Float(random.uniform(40...80) / 32767)
        let found = bench.run(NaiveImpulseResponse.integers(made.samples, step: step))
        Self.expectSane(found, tapCount: Self.tapCount)
        // A clipped pulse is another pulse: RiceFit makes it of one that scattering follows at once, PulseFit of two and more, as
        // its documentation warns, and the early side lobe, which stands out of a peak cut to 40 %, may be one to it and to
        // EdgeFit's search, 2.7 taps before.
        let limit = estimator is PulseFit || estimator is EdgeFit ? 3.0 : estimator is RiceFit ? 2.5 : 1.0
        #expect(abs((found.firstPath?.delayTaps ?? .infinity) - made.path.delayTaps) < limit)
      }
    }
    check(estimator)
  }

  /// Rounding to integers adds step²/6 to the noise of a tap; at a step of one noise deviation that is 17 %.
  @Test(arguments: all)
  func integersCostTheirRoundingAlone(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      var random = StatisticsRandom(seed: 1010)
      let bench = DelayBench(estimator, tapCount: Self.tapCount)
      var normalised = StatisticsErrors()
      for _ in 0..<500 {
        let made = LonePath.make(delay: 220...300, tapCount: Self.tapCount, snrdB: 30, using: &random)
        guard let path = bench.run(NaiveImpulseResponse.integers(made.samples, step: 1)).firstPath else { continue }
        normalised.add((path.delayTaps - made.path.delayTaps) / path.deviationTaps)
      }
      #expect(normalised.count == 500)
      let limits = StatisticsLimits.normalisedVariance(trials: 500)
      // `RiceFit`'s deviations allow for scattering that is not there.
      let least = estimator is RiceFit ? 0.9 * limits.lowerBound : limits.lowerBound
      #expect(normalised.meanSquare > least && normalised.meanSquare < limits.upperBound)
    }
    check(estimator)
  }

  /// Without noise, the rounding is all the noise there is, and the estimate knows.
  @Test(arguments: all)
  func silentIntegersStateTheirRounding(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      var random = StatisticsRandom(seed: 1011)
      let bench = DelayBench(estimator, tapCount: Self.tapCount)
      var stated = StatisticsErrors()
      for _ in 0..<100 {
        let path = NaivePath(delayTaps: random.uniform(220...300), powerdB: 60, phase: random.uniform(0...6))
        let samples = NaiveImpulseResponse.samples(
          [path], tapCount: Self.tapCount, noiseVariance: 0, using: &random)
        let found = bench.run(NaiveImpulseResponse.integers(samples, step: 10))
        #expect(found.noiseVariance >= 100.0 / 6)
        guard let first = found.firstPath else { continue }
        stated.add((first.delayTaps - path.delayTaps) / first.deviationTaps)
      }
      #expect(stated.count == 100)
      // Far taps round to zero exactly, so the stated deviation is somewhat large; it is never too small.
      #expect(stated.meanSquare < StatisticsLimits.normalisedVariance(trials: 100).upperBound)
    }
    check(estimator)
  }

  @Test(arguments: all)
  func noiseAloneIsNoPath(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      var random = StatisticsRandom(seed: 1012)
      let bench = DelayBench(estimator, tapCount: Self.tapCount)
      var found = 0
      let trials = 400
      for _ in 0..<trials {
        let estimate = bench.run(NaiveImpulseResponse.samples([], tapCount: Self.tapCount, using: &random))
        if estimate.status == .ok { found += 1 }
        #expect(estimate.threshold > 0)
        #expect(abs(10 * Double.log10(estimate.noiseVariance)) < 1.5)
      }
      // At most the rate that a search admits for presence.
      let rate = FirstPathSearch.presence
      #expect(found <= StatisticsLimits.binomial(probability: rate, trials: trials).upperBound)
    }
    check(estimator)
  }

  @Test func refusesMoreTapsThanTheWorkspaceHolds() async {
    await #expect(processExitsWith: .failure) {
      let taps = PreparedTaps(tapCount: 300)
      taps.load(ChannelImpulseResponse([Complex<Float>](repeating: .one, count: 300)), antenna: 0)
      var estimate = DelayEstimate()
      let estimator = EdgeFit()
      estimator.estimate(taps, into: &estimate, using: estimator.makeWorkspace(tapCount: 64))
    }
  }
}
