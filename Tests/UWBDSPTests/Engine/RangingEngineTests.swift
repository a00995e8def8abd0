import Numerics
import TestSupport
import Testing
import UWBBaselines

@testable import UWBDSP

@Suite struct RangingEngineTests {
  private static let carrier = 6.4896e9
  private static let half = UWB.speedOfLightInAir / carrier / 2
  private static let corner = AntennaArray(
    positions: [SIMD3(0, 0, 0), SIMD3(half, 0, 0), SIMD3(0, half, 0)], carrier: carrier)

  private func engine(
    _ delay: DelayMethod? = nil, profile: DeviceProfile = .ideal, array: AntennaArray? = nil
  ) -> RangingEngine {
    RangingEngine(.init(profile: profile, delay: delay, array: array))
  }

  // MARK: Distance

  @Test(arguments: [DelayMethod.peak, .edgeFit, .pulseFit], [RangingExchange.Initiator.peer, .local])
  func aKnownDistanceComesBack(method: DelayMethod, initiator: RangingExchange.Initiator) throws {
    var random = StatisticsRandom(seed: 1901)
    var maker = ExchangeMaker()
    // No timestamp error but the rounding to ticks, and a CIR with hardly any noise.
    maker.profile.receptionDeviation = 1e-15
    maker.initiator = initiator
    maker.snrdB = 60
    let engine = engine(method, profile: maker.profile)
    let workspace = engine.makeWorkspace(tapCount: 320)
    for distance in [0, 0.5, 7.3, 250.0] {
      maker.distance = distance
      let result = engine.measure(maker.make(using: &random), using: workspace)
      #expect(result.status == .ok)
      let found = try #require(result.distance)
      let deviation = try #require(result.distanceDeviation)
      // The mean clock error of 4 ppm is 1 mm at 250 m.
      #expect(abs(found - distance) < 5 * deviation + 4e-6 * distance)
      #expect(deviation < 0.003)
      #expect(result.firstPathTaps.poll != nil || initiator == .local)
      #expect((result.firstPathTaps.response != nil) == (initiator == .local))
      #expect((result.firstPathTaps.final != nil) == (initiator == .peer))
    }
  }

  /// All error sources at their stated sizes: 500 trials put a normalised variance of 1 within 1 ± 0.28.
  @Test(arguments: [RangingExchange.Initiator.peer, .local])
  func deviationsAreHonest(initiator: RangingExchange.Initiator) throws {
    var random = StatisticsRandom(seed: 1902)
    var maker = ExchangeMaker()
    maker.initiator = initiator
    // So that the fits' share of the deviation is no smaller than that of the peer's timestamps.
    maker.profile.receptionDeviation = 0.02e-9
    maker.snrdB = 22
    let engine = engine(.pulseFit, profile: maker.profile)
    let workspace = engine.makeWorkspace(tapCount: 320)
    let trials = 500
    var normalised = StatisticsErrors()
    for _ in 0..<trials {
      maker.distance = random.uniform(0...30)
      maker.replies = (random.uniform(0.0005...0.02), random.uniform(0.0005...0.02))
      let result = engine.measure(maker.make(using: &random), using: workspace)
      normalised.add((try #require(result.distance) - maker.distance) / (try #require(result.distanceDeviation)))
    }
    #expect(StatisticsLimits.normalisedVariance(trials: trials).contains(normalised.meanSquare))
    #expect(abs(normalised.mean) < StatisticsLimits.mean(deviation: 1, trials: trials))
  }

  /// A chip that misses a weak first path does so at both ends, though one end's CIRs are not here.
  @Test(arguments: [RangingExchange.Initiator.peer, .local], [8.0, -4])
  func whatBothChipsMissIsTakenOff(initiator: RangingExchange.Initiator, late: Double) throws {
    var random = StatisticsRandom(seed: 1920)
    var maker = ExchangeMaker()
    maker.initiator = initiator
    maker.chipDeviationTaps = 0.1
    maker.chipLateTaps = late
    maker.chipScatterTaps = 0.25 * abs(late)
    maker.profile.missesFirstPaths = true
    let engine = engine(.pulseFit, profile: maker.profile)
    let workspace = engine.makeWorkspace(tapCount: 320)
    let trials = 300
    var errors = StatisticsErrors()
    var normalised = StatisticsErrors()
    for _ in 0..<trials {
      let result = engine.measure(maker.make(using: &random), using: workspace)
      let error = try #require(result.distance) - maker.distance
      errors.add(error)
      normalised.add(min(3, abs(error / (try #require(result.distanceDeviation)))))
    }
    // Half of a distance is the peer's timestamp, whose scatter stays.
    let scatter = 0.5 * UWB.tap * UWB.speedOfLightInAir * maker.chipScatterTaps
    let receptions = initiator == .peer ? 2.0 : 1
    let expected = scatter * (1 + 1 / receptions).squareRoot()
    #expect(
      abs(errors.mean) < StatisticsLimits.mean(deviation: expected, trials: trials) + 0.05 * abs(late) * UWB.tap
        * UWB.speedOfLightInAir)
    #expect(errors.meanSquare.squareRoot() < 1.15 * expected)
    // The limits that the arena holds first paths to.
    #expect((0.2...2).contains(normalised.meanSquare))
  }

  /// The responder's own poll is received by the same peer.
  @Test func aSecondPollIsMovedAsTheResponseIs() throws {
    var random = StatisticsRandom(seed: 1921)
    var maker = ExchangeMaker()
    maker.chipDeviationTaps = 0
    maker.chipLateTaps = 8
    maker.profile.missesFirstPaths = true
    maker.profile.receptionDeviation = 0.01e-9
    var exchange = maker.make(using: &random)
    let response = try #require(exchange.response)
    let (sent, received) = (try #require(response.transmitted), try #require(response.reception?.time))
    // The same flight, a little later on both clocks.
    let later: UInt64 = 640_000
    let skew = UInt64((Double(later) * (maker.peerFast - maker.localFast)).rounded().magnitude)
    exchange.secondPoll = RangingMessage(
      transmitted: DeviceTime(ticks: sent.ticks + later),
      reception: Reception(time: DeviceTime(ticks: received.ticks + later - skew)))
    let engine = engine(.pulseFit, profile: maker.profile)
    let result = engine.measure(exchange, using: engine.makeWorkspace(tapCount: 320))
    #expect(abs(try #require(result.distance) - maker.distance) < 0.02)
  }

  @Test func theMeasurementCarriesTheExchange() {
    var random = StatisticsRandom(seed: 1903)
    let exchange = ExchangeMaker().make(index: 42, using: &random)
    let engine = engine()
    let result = engine.measure(exchange, using: engine.makeWorkspace(tapCount: 320))
    #expect(result.exchange == 42)
    #expect(result.time == exchange.time)
    #expect(result.peer == exchange.peer)
    #expect(abs((result.snrdB ?? 0) - 30) < 3)
  }

  /// Positive where the peer's clock is the faster one, whoever polls.
  @Test(arguments: [RangingExchange.Initiator.peer, .local], [-20e-6, 0, 13e-6])
  func clockOffsetIsThePeersOverTheLocal(initiator: RangingExchange.Initiator, fast: Double) throws {
    var random = StatisticsRandom(seed: 1904)
    var maker = ExchangeMaker()
    maker.initiator = initiator
    maker.localFast = 2e-6
    maker.peerFast = 2e-6 + fast
    maker.chipDeviationTaps = 0
    let engine = engine()
    let result = engine.measure(maker.make(using: &random), using: engine.makeWorkspace(tapCount: 320))
    // Timestamps of 0.1 ns over 7 ms: 0.03 ppm.
    #expect(abs(try #require(result.clockOffsetppm) - 1e6 * fast) < 0.1)
  }

  // MARK: Methods

  @Test func theChipsOwnFirstPathIgnoresTheResponse() throws {
    var random = StatisticsRandom(seed: 1905)
    let exchange = ExchangeMaker().make(using: &random)
    let engine = engine(.chip)
    let workspace = engine.makeWorkspace(tapCount: 320)
    let result = engine.measure(exchange, using: workspace)
    let expected =
      try #require(TwoWayRanging(exchange)).timeOfFlightTicks * (UWB.tick * UWB.speedOfLightInAir)
    #expect(result.status == .ok)
    #expect(result.distance == expected)
    #expect(result.firstPathTaps.poll == exchange.poll.reception?.chipFirstPathTaps)
    #expect(result.firstPathTaps.final == exchange.final?.reception?.chipFirstPathTaps)
    for spoilt in [[Complex<Float>](repeating: .zero, count: 320), [Complex(.nan, 0)]] {
      var other = exchange
      other.poll.reception?.impulseResponse = ChannelImpulseResponse(spoilt)
      other.final?.reception?.impulseResponse = nil
      let again = engine.measure(other, using: workspace)
      #expect(again.status == .ok)
      #expect(again.distance == expected)
      #expect(again.distanceDeviation == result.distanceDeviation)
    }
  }

  @Test func methodsHaveTheirNames() {
    #expect(
      DelayMethod.all.map(\.name) == [
        "chip", "peak", "edge-fit", "pulse-fit", "dense-onset", "rice-fit", "adaptive", "leading-edge", "jump-back",
        "serial-backward", "search-subtract",
        "search-subtract-readjust", "clean", "music", "root-music", "esprit", "matrix-pencil",
      ])
    // One default for all radios.
    for profile in DeviceProfile.all { #expect(engine(nil, profile: profile).configuration.delay == .adaptive) }
  }

  /// An estimator of one's own: the strongest tap, as it is.
  private struct StrongestTap: DelayEstimator {
    final class Workspace {}

    func makeWorkspace(tapCount: Int) -> Workspace { Workspace() }

    func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
      estimate.reset(.ok)
      estimate.paths.append(
        PathEstimate(delayTaps: Double(taps.peakTap), amplitude: .one, deviationTaps: 0.3, phaseDeviation: 1))
    }
  }

  @Test func anyEstimatorPlugsIn() throws {
    var random = StatisticsRandom(seed: 1908)
    let exchange = ExchangeMaker().make(using: &random)
    let own = engine(DelayMethod("strongest-tap", "the strongest tap") { _ in StrongestTap() })
    let result = own.measure(exchange, using: own.makeWorkspace(tapCount: 320))
    #expect(result.status == .ok && result.fallback == nil)
    let taps = try #require(result.firstPathTaps.poll)
    #expect(taps == taps.rounded())
    // Half a tap of each reception.
    #expect(abs(try #require(result.distance) - ExchangeMaker().distance) < 0.3)
    #expect(own.configuration.delay.description == "strongest-tap")
    #expect(own.configuration.delay != .peak && own.configuration.delay == DelayMethod("strongest-tap") { PeakTap($0) })
  }

  @Test func receptionsWithoutResponseKeepTheChipsTime() throws {
    var random = StatisticsRandom(seed: 1906)
    var exchange = ExchangeMaker().make(using: &random)
    exchange.poll.reception?.impulseResponse = nil
    exchange.final?.reception?.impulseResponse = nil
    let chip = engine(.chip)
    let fit = engine(.pulseFit)
    let a = chip.measure(exchange, using: chip.makeWorkspace(tapCount: 320))
    let b = fit.measure(exchange, using: fit.makeWorkspace(tapCount: 320))
    #expect(b.status == .ok)
    #expect(a.distance == b.distance)
    #expect(b.firstPathTaps == FirstPaths())
    #expect(b.snrdB == nil)
  }

  // MARK: Statuses

  @Test func everyMissingTimestampIsSaid() {
    var random = StatisticsRandom(seed: 1907)
    let whole = ExchangeMaker().make(using: &random)
    let engine = engine()
    let workspace = engine.makeWorkspace(tapCount: 320)
    let strikes: [(inout RangingExchange) -> Void] = [
      { $0.poll.transmitted = nil }, { $0.poll.reception = nil }, { $0.response?.transmitted = nil },
      { $0.response?.reception = nil }, { $0.final?.transmitted = nil }, { $0.final?.reception = nil },
      { $0.response = nil }, { $0.final = nil },
    ]
    for strike in strikes {
      var exchange = whole
      strike(&exchange)
      let result = engine.measure(exchange, using: workspace)
      #expect(result.status == .missingTimestamps)
      #expect(result.distance == nil && result.distanceDeviation == nil)
      // What could be measured is there.
      if exchange.poll.reception != nil { #expect(result.firstPathTaps.poll != nil) }
    }
  }

  @Test(arguments: [DelayMethod.peak, .edgeFit, .pulseFit])
  func unusableResponsesAreSaid(method: DelayMethod) {
    var random = StatisticsRandom(seed: 1908)
    let whole = ExchangeMaker().make(using: &random)
    let engine = engine(method)
    let workspace = engine.makeWorkspace(tapCount: 320)
    let empty = ChannelImpulseResponse([Complex<Float>](repeating: .zero, count: 320))
    let broken = ChannelImpulseResponse([Complex<Float>](repeating: Complex(.infinity, 0), count: 320))
    let noise = ChannelImpulseResponse(NaiveImpulseResponse.samples([], tapCount: 320, using: &random))
    for (response, status) in [
      (empty, MeasurementStatus.emptyImpulseResponse), (broken, .emptyImpulseResponse), (noise, .noFirstPath),
    ] {
      for isPoll in [true, false] {
        var exchange = whole
        if isPoll {
          exchange.poll.reception?.impulseResponse = response
        } else {
          exchange.final?.reception?.impulseResponse = response
        }
        let result = engine.measure(exchange, using: workspace)
        #expect(result.status == status)
        #expect(result.distance == nil && result.direction == nil)
      }
    }
    #expect(engine.measure(whole, using: workspace).status == .ok)
  }

  @Test func impossibleDistancesAreSaid() {
    var random = StatisticsRandom(seed: 1909)
    var maker = ExchangeMaker()
    maker.distance = 1500
    let far = maker.make(using: &random)
    let engine = engine()
    let workspace = engine.makeWorkspace(tapCount: 320)
    #expect(engine.measure(far, using: workspace).status == .impossibleDistance)
    #expect(engine.measure(far, using: workspace).distance == nil)
    maker.distance = 8
    var swapped = maker.make(using: &random)
    swapped.poll.transmitted = swapped.final?.transmitted
    #expect(engine.measure(swapped, using: workspace).status == .impossibleDistance)
    // All timestamps the same: nothing to divide by.
    let time = DeviceTime(ticks: 5)
    let still = RangingMessage(transmitted: time, reception: Reception(time: time))
    let stuck = RangingExchange(
      index: 0, time: 0, peer: DeviceAddress(rawValue: 1), poll: still, response: still, final: still)
    #expect(engine.measure(stuck, using: workspace).status == .impossibleDistance)
    let wide = RangingEngine(.init(profile: .ideal, possibleDistances: -10...2000))
    #expect(wide.measure(far, using: wide.makeWorkspace(tapCount: 320)).status == .ok)
  }

  /// A pulse far before the chip's own first path, as clutter may look: no estimator's distance can be.
  @Test(arguments: [DelayMethod.adaptive, .edgeFit, .pulseFit, .leadingEdge])
  func theChipStandsInWhereEstimatorsFail(method: DelayMethod) throws {
    var random = StatisticsRandom(seed: 1911)
    var maker = ExchangeMaker()
    maker.tapCount = 1016
    let whole = maker.make(using: &random)
    var shifted = whole
    let chip = try #require(whole.poll.reception?.chipFirstPathTaps)
    shifted.poll.reception?.chipFirstPathTaps = chip + 300
    let (engine, plain) = (engine(method), engine(.chip))
    let workspace = engine.makeWorkspace(tapCount: 1016)
    let good = engine.measure(whole, using: workspace)
    #expect(good.status == .ok && good.fallback == nil)
    let result = engine.measure(shifted, using: workspace)
    let own = plain.measure(shifted, using: plain.makeWorkspace(tapCount: 1016))
    #expect(own.status == .ok && own.fallback == nil)
    #expect(result.status == .ok && result.fallback == .chip)
    #expect(result.distance == own.distance && result.rawDistance == own.rawDistance)
    // Stated as what a chip errs by where it is hard, not as where it is easy.
    #expect(try #require(result.distanceDeviation) > 1 && result.distanceDeviation == result.rawDistanceDeviation)
    #expect(result.direction == nil && result.lineOfSightProbability == nil && workspace.qualityFeatures == nil)
    #expect(engine.measure(whole, using: workspace) == good)
  }

  /// What antenna delays add stands in the deviation until a calibration takes them off, and its own worth then stands there.
  @Test func whatIsNotCalibratedIsStated() throws {
    var random = StatisticsRandom(seed: 1912)
    let exchange = ExchangeMaker().make(using: &random)
    var profile = DeviceProfile.ideal
    profile.uncalibratedDeviation = 0.5e-9
    func standing(_ calibration: Calibration) throws -> Double {
      let engine = RangingEngine(.init(profile: profile, calibration: calibration))
      let result = engine.measure(exchange, using: engine.makeWorkspace(tapCount: 320))
      let (all, own) = (try #require(result.distanceDeviation), try #require(result.rawDistanceDeviation))
      return (all * all - own * own).squareRoot()
    }
    #expect(abs(try standing(Calibration()) - 0.5e-9 * UWB.speedOfLightInAir) < 1e-9)
    let curve = DelayCalibration.PowerBias(knots: [], values: [], deviation: 0.03)
    #expect(abs(try standing(Calibration(delay: DelayCalibration(devices: [], lineOfSight: curve))) - 0.03) < 1e-9)
  }

  @Test func delayStatusesHaveTheirCounterparts() {
    for status in DelayStatus.allCases { #expect(MeasurementStatus(status).rawValue == status.rawValue) }
  }

  // MARK: Direction

  /// 250 trials put a normalised variance of 1 within 1 ± 0.40.
  @Test func threeAntennasGiveTheDirection() throws {
    var random = StatisticsRandom(seed: 1910)
    var maker = ExchangeMaker()
    maker.array = Self.corner
    let engine = engine(.pulseFit, array: Self.corner)
    let workspace = engine.makeWorkspace(tapCount: 320, antennaCount: 3)
    var azimuths = StatisticsErrors()
    var elevations = StatisticsErrors()
    let trials = 250
    for _ in 0..<trials {
      let azimuth = random.uniform(-0.9...0.9)
      let elevation = random.uniform(-0.6...0.6)
      maker.direction = Direction.unitVector(azimuth: azimuth, elevation: elevation)
      let result = engine.measure(maker.make(using: &random), using: workspace)
      azimuths.add((try #require(result.azimuth) - azimuth) / (try #require(result.azimuthDeviation)))
      elevations.add((try #require(result.elevation) - elevation) / (try #require(result.elevationDeviation)))
      let direction = try #require(result.direction)
      #expect((direction * maker.direction).sum() > 0.99)
    }
    #expect(StatisticsLimits.normalisedVariance(trials: trials).contains(azimuths.meanSquare))
    #expect(StatisticsLimits.normalisedVariance(trials: trials).contains(elevations.meanSquare))
  }

  @Test func directionNeedsAsManyAntennasAsTheArray() {
    var random = StatisticsRandom(seed: 1911)
    let single = ExchangeMaker().make(using: &random)
    let engine = engine(.pulseFit, array: Self.corner)
    let result = engine.measure(single, using: engine.makeWorkspace(tapCount: 320, antennaCount: 3))
    #expect(result.status == .ok)
    #expect(result.direction == nil && result.azimuth == nil && result.elevation == nil)
  }

  @Test func anAntennaWithoutThePathSpoilsDirectionNotDistance() throws {
    var random = StatisticsRandom(seed: 1912)
    var maker = ExchangeMaker()
    maker.array = Self.corner
    var exchange = maker.make(using: &random)
    for isPoll in [true, false] {
      let response = try #require((isPoll ? exchange.poll : exchange.final)?.reception?.impulseResponse)
      var samples = (0..<3).flatMap { response.samples(antenna: $0) }
      for tap in 320..<640 {
        let noise = random.complexGaussian()
        samples[tap] = Complex(Float(noise.real), Float(noise.imaginary))
      }
      let spoilt = ChannelImpulseResponse(samples, antennaCount: 3)
      if isPoll {
        exchange.poll.reception?.impulseResponse = spoilt
      } else {
        exchange.final?.reception?.impulseResponse = spoilt
      }
    }
    let engine = engine(.pulseFit, array: Self.corner)
    let result = engine.measure(exchange, using: engine.makeWorkspace(tapCount: 320, antennaCount: 3))
    #expect(result.status == .ok)
    #expect(abs(try #require(result.distance) - maker.distance) < 0.2)
    #expect(result.direction == nil)
  }

  /// Half a wavelength along x and 30° make +90°. What each receiver added, here 1 rad on antenna 1, is taken off again.
  @Test(arguments: [DelayMethod.peak, .pulseFit, .adaptive], [AngleMethod.joint, .phaseFit])
  func phasesOfReceiversAreTakenOff(method: DelayMethod, angle: AngleMethod) throws {
    var random = StatisticsRandom(seed: 1916)
    var trials = ArrayTrials(
      array: AntennaArray(positions: [SIMD3(0, 0, 0), SIMD3(ArrayTrials.half, 0, 0)], carrier: ArrayTrials.carrier))
    trials.waves = [JointBound.Wave(delayTaps: 240.4, azimuth: .pi / 6, amplitude: Complex(100, 20))]
    trials.noiseVariances = [1, 1]
    trials.gains = [.one, Complex(length: 1, phase: 1)]
    let engine = RangingEngine(.init(profile: .ideal, delay: method, array: trials.array, angle: angle))
    let workspace = engine.makeWorkspace(tapCount: 320, antennaCount: 2)
    func azimuth(_ phases: [Double]?) throws -> Double {
      let reception = Reception(
        time: DeviceTime(ticks: 1), impulseResponse: trials.response(using: &random), antennaPhases: phases)
      let result = engine.measure(Self.exchange(reception), using: workspace)
      #expect(result.directionStatus == .ok)
      return try #require(result.azimuth)
    }
    #expect(abs(try azimuth([0, 1]) - .pi / 6) < 0.02)
    #expect(abs(try azimuth([2.5, 3.5]) - .pi / 6) < 0.02)
    // 90° + 1 rad: sin of the angle is 0.5 + 1/π.
    #expect(abs(try azimuth(nil) - Double.asin(0.5 + 1 / .pi)) < 0.05)
    // Phases that are not one for each antenna, or no numbers, are none.
    #expect(abs(try azimuth([1]) - Double.asin(0.5 + 1 / .pi)) < 0.05)
    #expect(abs(try azimuth([.nan, 0]) - Double.asin(0.5 + 1 / .pi)) < 0.05)
  }

  /// Chips of their own: each row starts elsewhere, and its chip's first path says where, to a tenth of a tap.
  @Test(arguments: [DelayMethod.peak, .pulseFit, .adaptive])
  func rowsOfChipsAreAligned(method: DelayMethod) throws {
    var random = StatisticsRandom(seed: 1917)
    var trials = ArrayTrials(array: ArrayTrials.corner)
    trials.waves = [JointBound.Wave(delayTaps: 240.4, azimuth: 0.5, elevation: -0.2, amplitude: Complex(100, 20))]
    trials.noiseVariances = [1, 1, 1]
    trials.shifts = [0, 7.31, -12.62]
    let engine = RangingEngine(.init(profile: .ideal, delay: method, array: trials.array))
    let workspace = engine.makeWorkspace(tapCount: 320, antennaCount: 3)
    var reception = Reception(time: DeviceTime(ticks: 1), impulseResponse: trials.response(using: &random))
    #expect(engine.measure(Self.exchange(reception), using: workspace).direction == nil)
    reception.antennaFirstPathTaps = [239.4, 246.8, 226.7]
    let result = engine.measure(Self.exchange(reception), using: workspace)
    #expect(abs(try #require(result.azimuth) - 0.5) < 0.03)
    #expect(abs(try #require(result.elevation) + 0.2) < 0.03)
    #expect(abs(try #require(result.firstPathTaps.poll) - 240.4) < 0.05)
    for wrong in [[Double.nan, 0, 0], [239.4], [1e300, -1e300, 0], [0, 1e5, -1e5]] {
      reception.antennaFirstPathTaps = wrong
      _ = engine.measure(Self.exchange(reception), using: workspace)
    }
  }

  @Test func anglesMayBeSwitchedOff() {
    var random = StatisticsRandom(seed: 1918)
    var maker = ExchangeMaker()
    maker.array = Self.corner
    let exchange = maker.make(using: &random)
    for (angle, status) in [
      (AngleMethod.joint, DirectionStatus.ok), (.phaseFit, .ok), (.none, nil as DirectionStatus?),
    ] {
      let engine = RangingEngine(.init(profile: .ideal, array: Self.corner, angle: angle))
      let result = engine.measure(exchange, using: engine.makeWorkspace(tapCount: 320, antennaCount: 3))
      #expect(result.status == .ok)
      #expect(result.directionStatus == status)
      #expect((result.direction == nil) == (status == nil))
    }
    #expect(AngleMethod.allCases.map(\.rawValue) == ["joint", "phase-fit", "none"])
  }

  private static func exchange(_ reception: Reception) -> RangingExchange {
    RangingExchange(
      index: 0, time: 0, peer: DeviceAddress(rawValue: 1), poll: RangingMessage(reception: reception))
  }

  // MARK: Workspaces

  @Test func largerResponsesMakeTheWorkspaceGrow() {
    var random = StatisticsRandom(seed: 1913)
    var maker = ExchangeMaker()
    let engine = engine(.pulseFit, array: Self.corner)
    let small = engine.makeWorkspace(tapCount: 100, antennaCount: 1)
    var exchanges: [RangingExchange] = []
    for (taps, array) in [(320, nil), (320, Self.corner), (150, nil), (400, nil), (200, Self.corner)] {
      maker.tapCount = taps
      maker.array = array
      exchanges.append(maker.make(using: &random))
    }
    for exchange in exchanges + exchanges {
      let right = engine.makeWorkspace(tapCount: 400, antennaCount: 3)
      #expect(engine.measure(exchange, using: small) == engine.measure(exchange, using: right))
    }
  }

  @Test func otherTapSpacingsAreUnderstood() throws {
    var random = StatisticsRandom(seed: 1914)
    var maker = ExchangeMaker()
    maker.profile.receptionDeviation = 1e-15
    maker.snrdB = 45
    let engine = engine(.pulseFit, profile: maker.profile)
    let workspace = engine.makeWorkspace(tapCount: 640)
    for spacing in [UWB.tap, UWB.tap / 2, UWB.tap, UWB.tap / 4] {
      maker.tapSpacing = spacing
      maker.tapCount = 640
      let result = engine.measure(maker.make(using: &random), using: workspace)
      #expect(abs(try #require(result.distance) - maker.distance) < 5 * (try #require(result.distanceDeviation)))
      #expect(try #require(result.distanceDeviation) < 0.005)
    }
  }

  @Test(arguments: [DelayMethod.chip, .peak, .edgeFit, .pulseFit, .adaptive])
  func dirtyWorkspacesAndThreadsGiveTheSameBits(method: DelayMethod) async {
    var random = StatisticsRandom(seed: 1915)
    var maker = ExchangeMaker()
    maker.array = Self.corner
    let exchanges = (0..<6).map { index in
      maker.snrdB = 12 + 6 * Double(index)
      return maker.make(index: index, using: &random)
    }
    let engine = engine(method, array: Self.corner)
    let fresh = exchanges.map { engine.measure($0, using: engine.makeWorkspace(tapCount: 320, antennaCount: 3)) }
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<3 {
        group.addTask {
          let workspace = engine.makeWorkspace(tapCount: 320, antennaCount: 3)
          return (0..<3).allSatisfy { _ in
            zip(exchanges, fresh).allSatisfy { engine.measure($0, using: workspace) == $1 }
          }
        }
      }
      for await same in group { #expect(same) }
    }
  }
}
