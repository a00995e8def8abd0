import CAllocationCounter
import Numerics
import TestSupport
import Testing
import UWBDSP

/// Heap allocations of the engine's path, counted exactly on this thread: in release builds, because unoptimised code
/// allocates contexts for closures that never escape.
///
///     swift test -c release -Xswiftc -enable-testing --filter AllocationTests
@Suite struct AllocationTests {
  private static let isCounted: ConditionTrait = .enabled(
    if: AllocationCount.isExact, "this machine: allocations are counted with glibc, optimised and without sanitizers")

  @Test(
    .enabled(
      if: uwb_allocation_counter_is_active(), "this machine: allocations are counted with glibc and without sanitizers")
  )
  func theCounterCounts() {
    let before = (uwb_allocations_of_this_thread(), uwb_allocations_of_process())
    var buffers: [AlignedBuffer<Float>] = []
    for count in 1...10 { buffers.append(AlignedBuffer(count: 100 * count, zero: 0)) }
    // Ten objects, ten runs of memory, and the array's growth.
    #expect(uwb_allocations_of_this_thread() - before.0 >= 20)
    #expect(uwb_allocations_of_process() - before.1 >= 20)
    #expect(buffers.count == 10)
  }

  /// One path, two paths, noise alone, an offset, zeroes; of two lengths.
  private static func responses() -> [ChannelImpulseResponse] {
    var random = StatisticsRandom(seed: 2001)
    var result: [ChannelImpulseResponse] = []
    for count in [320, 200] {
      for paths in 0...3 {
        let list = (0..<paths).map {
          NaivePath(delayTaps: 150.3 + 2.7 * Double($0), powerdB: 30, phase: 2 * Double($0))
        }
        let samples = NaiveImpulseResponse.samples(list, tapCount: count, using: &random)
        result += [ChannelImpulseResponse(samples), NaiveImpulseResponse.integers(samples, step: 0.1)]
      }
    }
    let offset = NaiveImpulseResponse.samples(
      [NaivePath(delayTaps: 260.3, powerdB: 30, phase: 1)], tapCount: 320, using: &random
    ).map { $0 + 2 }
    result += [ChannelImpulseResponse(offset), NaiveImpulseResponse.integers(offset, step: 0.1)]
    return result + [ChannelImpulseResponse([Complex<Float>](repeating: .zero, count: 100))]
  }

  @Test(isCounted, arguments: DelayEstimatorTests.all)
  func estimatorsAllocateNothingInRelease(estimator: any DelayEstimator) {
    func check<E: DelayEstimator>(_ estimator: E) {
      let responses = Self.responses()
      let taps = PreparedTaps(tapCount: 320)
      let workspace = estimator.makeWorkspace(tapCount: 320)
      var estimate = DelayEstimate()
      let count = AllocationCount.of {
        for response in responses {
          taps.load(response, antenna: 0)
          estimator.estimate(taps, into: &estimate, using: workspace)
        }
      }
      #expect(count == 0)
    }
    check(estimator)
  }

  @Test(isCounted, arguments: DirectionEstimatorTests.all)
  func angleEstimatorsAllocateNothingInRelease(test: DirectionEstimatorTests.Case) throws {
    func check<E: DirectionEstimator>(_ estimator: E) {
      var random = StatisticsRandom(seed: 2003)
      let workspace = estimator.makeWorkspace(snapshotCount: 16)
      var estimate = DirectionEstimate()
      // Broadside, near the edge (ambiguous), noise alone; one snapshot and many.
      var inputs: [Snapshots] = []
      for count in [1, 16] {
        for azimuth in [0.1, 1.5] {
          inputs.append(
            DirectionEstimatorTests.snapshots(
              test.array, [SIMD2(azimuth, 0)], count: count, snrdB: 15, using: &random))
        }
        inputs.append(SampleCovarianceTests.snapshots(test.array.positions.count, count, seed: 2004))
        inputs.append(Snapshots(antennaCount: test.array.positions.count, snapshotCount: count))
      }
      let count = AllocationCount.of {
        for input in inputs { estimator.estimate(input, into: &estimate, using: workspace) }
      }
      #expect(count == 0)
    }
    check(try test.estimator())
    if test.array.positions.count > 4,
      let two = test.method.estimator(for: test.array, options: DirectionOptions(sources: .known(2)))
    {
      check(two)
    }
  }

  @Test(
    isCounted, arguments: DelayMethod.all, [RangingExchange.Initiator.peer, .local])
  func measuringAllocatesNothingInRelease(method: DelayMethod, initiator: RangingExchange.Initiator) {
    var random = StatisticsRandom(seed: 2002)
    let half = UWB.speedOfLightInAir / 6.4896e9 / 2
    let array = AntennaArray(
      positions: [SIMD3(0, 0, 0), SIMD3(half, 0, 0), SIMD3(0, half, 0)], carrier: 6.4896e9)
    var maker = ExchangeMaker()
    maker.initiator = initiator
    maker.array = array
    var exchanges = [maker.make(using: &random)]
    maker.array = nil
    maker.tapCount = 200
    exchanges.append(maker.make(using: &random))
    var stripped = exchanges[0]
    stripped.final?.reception = nil
    exchanges.append(stripped)
    let engine = RangingEngine(.init(profile: .ideal, delay: method, array: array))
    let workspace = engine.makeWorkspace(tapCount: 320, antennaCount: 3)
    var statuses = 0
    let count = AllocationCount.of {
      for exchange in exchanges where engine.measure(exchange, using: workspace).status == .ok { statuses += 1 }
    }
    #expect(count == 0)
    #expect(statuses == 7 * 2)
  }

  @Test(isCounted) func antennasThatDontAnswerAlikeAllocateNothingInRelease() {
    var random = StatisticsRandom(seed: 2007)
    var maker = ExchangeMaker()
    var array = AntennaArray.cornered(spacing: 0.0187, carrier: 7987.2e6)
    maker.array = array
    let exchange = maker.make(using: &random)
    array.gains = [.one, Complex(1.1, 0.4), Complex(0.8, -0.3)]
    let engine = RangingEngine(.init(profile: .ideal, array: array))
    let workspace = engine.makeWorkspace()
    var directions = 0
    let count = AllocationCount.of {
      if engine.measure(exchange, using: workspace).direction != nil { directions += 1 }
    }
    #expect(count == 0)
    #expect(directions == 7)
  }

  @Test(isCounted) func judgingQualityAllocatesNothingInRelease() {
    var random = StatisticsRandom(seed: 2003)
    let exchange = ExchangeMaker().make(using: &random)
    let engine = RangingEngine(
      .init(profile: .ideal, delay: .edgeFit, calibration: QualityStageTests.calibration))
    let workspace = engine.makeWorkspace(tapCount: 320)
    var biases = 0
    let count = AllocationCount.of {
      if engine.measure(exchange, using: workspace).rangeBias != nil { biases += 1 }
    }
    #expect(count == 0)
    #expect(biases == 7)
  }

  @Test(isCounted) func phaseDifferencesAllocateNothingInRelease() {
    var calibration = Calibration()
    calibration.angle = AngleCalibration(manifold: IdealBoard.manifold([SIMD2(1, 0), SIMD2(0, 0.5)]))
    let engine = RangingEngine(.init(profile: .ideal, calibration: calibration))
    let workspace = engine.makeWorkspace()
    let exchanges = [[1.0, 0.3], [-2, 2], [.nan, 0]].enumerated().map { index, differences in
      RangingExchange(
        index: index, time: 0, peer: DeviceAddress(rawValue: 1), poll: RangingMessage(),
        chipReport: ChipReport(distance: 2), phaseDifferences: differences)
    }
    var directions = 0
    let count = AllocationCount.of {
      for exchange in exchanges where engine.measure(exchange, using: workspace).direction != nil { directions += 1 }
    }
    #expect(count == 0)
    #expect(directions == 7 * 2)
  }

  /// Several antennas: one path, a reflection next to it, chips of their own, a continuum, an antenna of noise.
  @Test(isCounted, arguments: [DelayMethod.pulseFit, .adaptive, .edgeFit], [AngleMethod.joint, .phaseFit])
  func severalAntennasAllocateNothingInRelease(method: DelayMethod, angle: AngleMethod) {
    var random = StatisticsRandom(seed: 2003)
    var trials = ArrayTrials()
    trials.noiseVariances = [1, 1, 1, 1]
    func reception() -> Reception {
      Reception(time: DeviceTime(ticks: 1), impulseResponse: trials.response(using: &random))
    }
    trials.waves = [JointBound.Wave(delayTaps: 240.4, azimuth: 0.5, amplitude: Complex(30, 20))]
    var receptions = [reception()]
    trials.gains = [.one, .one, .one, .zero]
    receptions.append(reception())
    trials.gains = []
    trials.waves.append(JointBound.Wave(delayTaps: 242.1, azimuth: -0.5, amplitude: Complex(-20, 25)))
    receptions.append(reception())
    receptions[2].antennaPhases = [0, 0, 0, 0]
    receptions.append(receptions[2])
    receptions[3].antennaFirstPathTaps = [239, 239.1, 238.9, 239]
    trials.waves += (0..<40).map {
      JointBound.Wave(
        delayTaps: 242.5 + 0.3 * Double($0), azimuth: random.uniform(-1...1), amplitude: 15 * random.complexGaussian())
    }
    receptions.append(reception())
    let exchanges = receptions.map {
      RangingExchange(
        index: 0, time: 0, peer: DeviceAddress(rawValue: 1), poll: RangingMessage(reception: $0),
        final: RangingMessage(reception: $0))
    }
    let engine = RangingEngine(.init(profile: .ideal, delay: method, array: trials.array, angle: angle))
    let workspace = engine.makeWorkspace(tapCount: 320, antennaCount: 4)
    var directions = 0
    let count = AllocationCount.of {
      for exchange in exchanges where engine.measure(exchange, using: workspace).direction != nil { directions += 1 }
    }
    #expect(count == 0)
    #expect(directions >= 7)
  }

  /// Without a final: by the exchange's own carrier, and by clocks tracked over exchanges.
  @Test(isCounted, arguments: [RangingExchange.Initiator.peer, .local])
  func singleSidedRangingAllocatesNothingInRelease(initiator: RangingExchange.Initiator) {
    var random = StatisticsRandom(seed: 2005)
    var maker = ExchangeMaker()
    maker.initiator = initiator
    var exchanges = (0..<4).map { index in
      var exchange = maker.make(index: index, using: &random)
      exchange.final = nil
      exchange.response?.reception?.carrierOffsetppm = initiator == .local ? -14 : 14
      return exchange
    }
    let engine = RangingEngine(.init(profile: .ideal, delay: .edgeFit))
    let workspace = engine.makeWorkspace(tapCount: 320)
    var clocks = ClockTracker()
    var time = 0.0
    var distances = 0
    let count = AllocationCount.of {
      for index in exchanges.indices {
        time += 0.1
        // In place: a changed copy has memory of its own.
        exchanges[index].time = time
        let clock = clocks.update(exchanges[index])
        if engine.measure(exchanges[index], using: workspace).distance != nil { distances += 1 }
        if engine.measure(exchanges[index], clock: clock, using: workspace).distance != nil { distances += 1 }
      }
    }
    #expect(count == 0)
    #expect(distances == 7 * 2 * exchanges.count)
  }

  /// Antennas with measured gains and coupling, and calibrated antenna delays.
  @Test(isCounted) func calibratedAntennasAllocateNothingInRelease() {
    var random = StatisticsRandom(seed: 2006)
    let half = UWB.speedOfLightInAir / 6.4896e9 / 2
    let array = AntennaArray(
      positions: [SIMD3(0, 0, 0), SIMD3(half, 0, 0), SIMD3(0, half, 0)], carrier: 6.4896e9)
    var maker = ExchangeMaker()
    maker.array = array
    let exchange = maker.make(using: &random)
    var calibration = Calibration()
    calibration.angle = AngleCalibration(
      antennas: AntennaCalibration(
        positions: array.positions, correction: [1, 0, 0, 0, 0, 0, 0, 0, 0.9, 0.1, 0, 0, 0, 0, 0, 0, 1, 0]))
    let engine = RangingEngine(.init(profile: .ideal, array: array, calibration: calibration))
    let workspace = engine.makeWorkspace(tapCount: 320, antennaCount: 3)
    var directions = 0
    let count = AllocationCount.of {
      if engine.measure(exchange, using: workspace).direction != nil { directions += 1 }
    }
    #expect(count == 0)
    #expect(directions == 7)
  }

  @Test(isCounted) func interpolatingAllocatesNothingInRelease() {
    let interpolation = BandLimitedInterpolation(windowTaps: 64, factor: 16)
    let workspace = interpolation.makeWorkspace()
    let samples = (0..<64).map { Complex<Float>(Float($0 % 7), Float($0 % 5)) }
    var points = [Complex<Float>](repeating: .zero, count: 1024)
    let count = AllocationCount.of { interpolation.interpolate(samples, into: &points, using: workspace) }
    #expect(count == 0)
    #expect(points == interpolation.interpolate(samples))
  }

  @Test(isCounted) func trackingAllocatesNothingInRelease() {
    var tracker = PeerTracker()
    var time = 0.0
    let count = AllocationCount.of(rounds: 50) {
      time += 0.1
      _ = tracker.update(
        RangingMeasurement(
          exchange: 0, time: time, peer: DeviceAddress(rawValue: 1), status: .ok, distance: 5, distanceDeviation: 0.1,
          direction: SIMD3(0, 0, -1), azimuth: 0, azimuthDeviation: 0.02, elevation: 0, elevationDeviation: 0.02))
    }
    #expect(count == 0)
  }

  @Test(isCounted) func algebraAllocatesNothingInRelease() {
    let squares = LeastSquares(rows: 4, columns: 2)
    let squaresWorkspace = squares.makeWorkspace()
    let eigen = HermitianEigenvectors(order: 3)
    let eigenWorkspace = eigen.makeWorkspace()
    let matrix: [Complex<Double>] = [.one, .zero, .zero, .one, .zero, .one, .one, .zero]
    let side: [Complex<Double>] = [.one, .one, .zero, .one]
    let hermitian: [Complex<Double>] = [.one, .zero, .zero, .zero, .one, .zero, .zero, .zero, .one]
    var solution = [Complex<Double>](repeating: .zero, count: 2)
    var values = [0.0, 0, 0]
    var vectors = [Complex<Double>](repeating: .zero, count: 9)
    let count = AllocationCount.of {
      _ = squares.solve(matrix, side, into: &solution, using: squaresWorkspace)
      _ = eigen.decompose(hermitian, values: &values, vectors: &vectors, using: eigenWorkspace)
    }
    #expect(count == 0)
  }

  @Test(isCounted) func describingAResponseAllocatesNothingInRelease() {
    let storage = TapStorage(byteCount: 4 * 1016)
    var taps = 0
    let count = AllocationCount.of {
      let response = ChannelImpulseResponse(storage: storage, format: .int16, tapCount: 1016)
      if response.storage === storage { taps += response.tapCount }
    }
    #expect(count == 0)
    #expect(taps == 7 * 1016)
  }
}
