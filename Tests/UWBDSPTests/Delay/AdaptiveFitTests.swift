import Numerics
import TestSupport
import Testing
import UWBBaselines
import UWBDSP

@Suite struct AdaptiveFitTests {
  private let adaptive = AdaptiveFit()
  private let pulseFit = PulseFit()

  static let lists: [[(delay: Double, powerdB: Double)]] = [
    [(0, 20)], [(0, 30)], [(0, 25), (2, 25)], [(0, 27), (1.5, 30)], [(0, 28), (2.5, 31), (5.2, 29)],
  ]

  @Test(arguments: lists.indices)
  func keepsThePathsOfAList(index: Int) {
    let list = Self.lists[index]
    let own = OnsetErrors(adaptive, count: 200, seed: 11) { $0.paths(list, onset: $1) }
    let paths = OnsetErrors(pulseFit, count: 200, seed: 11) { $0.paths(list, onset: $1) }
    // Averaging over the unlikely moves nothing by more than a part of its deviation.
    let changed = own.errors.indices.filter { abs(own.errors[$0] - paths.errors[$0]) > 0.5 * own.deviations[$0] }.count
    #expect(changed <= 6, "\(changed) of 200 path lists were called dense")
    #expect(own.spread < 1.05 * paths.spread)
  }

  /// A weak first path before three strong ones is both, a list and a first path before scattering.
  @Test func aFirstPathBeforeStrongOnesKeepsItsAccuracy() {
    let list = [(0.0, 20.0), (6, 30), (9, 30), (13, 30)].map { (delay: $0.0, powerdB: $0.1) }
    let own = OnsetErrors(adaptive, count: 400, seed: 17) { $0.paths(list, onset: $1) }
    let paths = OnsetErrors(pulseFit, count: 400, seed: 17) { $0.paths(list, onset: $1) }
    #expect(own.spread < 1.1 * paths.spread, "\(own.spread) against \(paths.spread)")
    #expect(own.coverage > 0.6, "\(own.coverage) within the stated deviation")
  }

  /// A path and, from a tap and a half behind it, what no list resolves.
  @Test(arguments: [UInt64(18), 19])
  func takesTheFirstPathBeforeScattering(seed: UInt64) {
    func run<E: DelayEstimator>(_ estimator: E) -> OnsetErrors {
      OnsetErrors(estimator, count: 300, seed: seed) { $0.rice(onset: $1, pathdB: 30, gap: 1.5, powerdB: 22) }
    }
    let own = run(adaptive)
    #expect(own.pathCounts.filter { $0 == 1 }.count > 200)
    // Not having been told: a third of these are taken for a few paths or for a continuum.
    #expect(own.spread < 1.4 * run(RiceFit()).spread, "seed \(seed): \(own.spread)")
    for others in [run(pulseFit).spread, run(DenseOnset()).spread] {
      #expect(own.spread < 0.95 * others, "seed \(seed): \(own.spread) against \(others)")
    }
    #expect(own.coverage > 0.55, "seed \(seed): \(own.coverage) within the stated deviation")
  }

  private func loneErrors(
    _ estimator: some DelayEstimator, _ pulse: PulseShape, seed: UInt64, delay: ClosedRange<Double> = 220...300,
    tapCount: Int = 400
  ) -> [Double] {
    var random = StatisticsRandom(seed: seed)
    let bench = DelayBench(estimator, tapCount: tapCount)
    return (0..<200).map { _ in
      let made = LonePath.make(delay: delay, tapCount: tapCount, snrdB: 34, pulse: pulse, using: &random)
      return bench.run(made.samples).firstPath.map { $0.delayTaps - made.path.delayTaps } ?? .infinity
    }
  }

  /// A Gaussian of the standard pulse's width at half its height. As a list, its lone path is several, the first a tap and more too early.
  @Test(arguments: [UInt64(20), 21])
  func aWrongPulseIsAMisfitAndNoEarlierPath(seed: UInt64) {
    let width = 0.95 * UWB.tap
    let samples = (-48...48).map {
      Double.exp(-0.5 * (Double($0) / 8 * UWB.tap / width) * (Double($0) / 8 * UWB.tap / width))
    }
    let gaussian = PulseShape.measured(MeasuredPulse(samples: samples, spacing: UWB.tap / 8, peakPosition: 48))
    func share(_ errors: [Double]) -> Int { errors.filter { abs($0) < 0.3 }.count }
    let own = share(loneErrors(adaptive, gaussian, seed: seed))
    #expect(own >= 190, "\(own) of 200 within 0.3 taps")
    #expect(share(loneErrors(pulseFit, gaussian, seed: seed)) < 100)
  }

  /// Radios hand over some taps round the first path; lists need more than sixteen.
  @Test(arguments: [16, 32, 64])
  func shortWindowsHoldAFirstPath(tapCount: Int) {
    let start = Double(tapCount / 4)
    let errors = loneErrors(adaptive, .standard, seed: 22, delay: start...start + 2, tapCount: tapCount)
    #expect(errors.allSatisfy { abs($0) < 0.3 }, "\(errors.filter { abs($0) >= 0.3 })")
  }

  @Test(arguments: [UInt64(12), 13])
  func callsAContinuumDense(seed: UInt64) {
    func run<E: DelayEstimator>(_ estimator: E) -> OnsetErrors {
      OnsetErrors(estimator, count: 200, seed: seed) { $0.continuum(onset: $1, powerdB: 22) }
    }
    let own = run(adaptive)
    let paths = run(pulseFit)
    #expect(own.pathCounts.filter { $0 == 1 }.count > 160)
    #expect(own.spread < 0.85 * paths.spread, "seed \(seed): \(own.spread) against \(paths.spread)")
    #expect(own.coverage > 0.4, "seed \(seed): \(own.coverage) within the stated deviation")
  }

  @Test func aMarginBeyondReachIsPulseFit() {
    let never = AdaptiveFit(margin: -.infinity)
    let own = OnsetErrors(never, count: 50, seed: 14) { $0.continuum(onset: $1, powerdB: 22) }
    let paths = OnsetErrors(pulseFit, count: 50, seed: 14) { $0.continuum(onset: $1, powerdB: 22) }
    #expect(own.errors == paths.errors)
  }

  @Test func aDirtyWorkspaceGivesTheSameBits() {
    var trials = OnsetTrials(seed: 15)
    let workspace = adaptive.makeWorkspace(tapCount: OnsetTrials.tapCount)
    let taps = PreparedTaps(tapCount: OnsetTrials.tapCount)
    var estimate = DelayEstimate()
    for round in 0..<20 {
      let response =
        round % 2 == 0
        ? trials.continuum(onset: 150.2, powerdB: 25) : trials.paths([(0, 30), (2.2, 28)], onset: 90.7)
      taps.load(response, antenna: 0)
      adaptive.estimate(taps, into: &estimate, using: workspace)
      #expect(estimate == adaptive.estimate(response))
    }
  }

  @Test func shortCIRsGetAStatus() {
    var trials = OnsetTrials(seed: 16)
    for count in 1...40 {
      var samples: [Complex<Float>] = []
      for tap in 0..<count {
        let noise = trials.gaussian(variance: 1)
        let pulse = 30 * PulseShape.standard((Double(tap) - Double(count) / 2) * UWB.tap)
        samples.append(Complex(Float(noise.real + pulse), Float(noise.imaginary)))
      }
      let response = ChannelImpulseResponse(samples)
      for estimate in [adaptive.estimate(response), DenseOnset().estimate(response)] {
        #expect(estimate.paths.isEmpty == (estimate.status != .ok && estimate.status != .didNotConverge))
      }
    }
  }
}
