import Numerics
import Testing
import UWBDSP
import UWBSimulation

@Suite struct ExchangeSimulatorTests {
  static let profile = DeviceProfile(
    name: "ideal", pulse: .standard, peakOffsetTaps: 1.0, receptionDeviation: 0.1e-9, modelError: 0.003)

  private static func configuration(
    _ position: SIMD3<Double>, profile: DeviceProfile = profile, count: Int = 40
  ) -> ExchangeConfiguration {
    var configuration = ExchangeConfiguration(
      profile: profile, array: .single(), peerTrajectory: .stationary(position), exchangeCount: count)
    configuration.tapCount = 800
    configuration.localClock = SimulatedClock(offsetTicks: (1 << 40) - 1_000_000, rateppm: 3, driftppm: 0.01)
    configuration.peerClock = SimulatedClock(offsetTicks: 77, rateppm: -12, driftppm: -0.02)
    return configuration
  }

  /// The receive timestamp as an engine with a perfect first path corrects it, ticks beyond the chip's.
  private func correction(_ reception: Reception, peak: Double, profile: DeviceProfile) throws -> Double {
    UWB.ticksPerTap * (peak - profile.peakOffsetTaps - (try #require(reception.chipFirstPathTaps)))
  }

  /// Asymmetric double-sided ranging with perfect first paths, m.
  private func distance(_ simulated: SimulatedExchange, profile: DeviceProfile) throws -> Double {
    let exchange = simulated.exchange
    let poll = try #require(exchange.poll.reception)
    let final = try #require(exchange.final?.reception)
    let response = try #require(exchange.response?.reception)
    let pollFix = try correction(poll, peak: try #require(simulated.firstPathTaps.poll), profile: profile)
    let finalFix = try correction(final, peak: try #require(simulated.firstPathTaps.final), profile: profile)
    let responseSent = try #require(exchange.response?.transmitted)
    let finalSent = try #require(exchange.final?.transmitted)
    let roundPeer = Double(response.time.ticks(since: try #require(exchange.poll.transmitted)))
    let replyPeer = Double(finalSent.ticks(since: response.time))
    let roundLocal = Double(final.time.ticks(since: responseSent)) + finalFix
    let replyLocal = Double(responseSent.ticks(since: poll.time)) - pollFix
    let flight = (roundPeer * roundLocal - replyPeer * replyLocal) / (roundPeer + roundLocal + replyPeer + replyLocal)
    return flight * UWB.tick * UWB.speedOfLightInAir
  }

  @Test(arguments: [1.0, 1.37])
  func perfectFirstPathsGiveTheTrueDistance(_ peakOffset: Double) throws {
    var profile = Self.profile
    profile.peakOffsetTaps = peakOffset
    profile.receptionDeviation = 0
    // Rounding: half a tick of the response counts half, half a tick of poll and final a quarter each.
    let bound = 0.5 * UWB.tick * UWB.speedOfLightInAir + 1e-4
    for metres in [0.3, 3, 47.11] {
      let simulator = ExchangeSimulator(
        Self.configuration(SIMD3(0, 0, -metres), profile: profile), seed: 21)
      for index in 0..<40 {
        let got = try distance(simulator.simulated(at: index), profile: profile)
        #expect(abs(got - metres) < bound, "exchange \(index): \(got) m")
      }
    }
  }

  @Test func correctedTimestampIsTheArrival() throws {
    let configuration = Self.configuration(SIMD3(0, 0, -10))
    let simulator = ExchangeSimulator(configuration, seed: 22)
    for index in 0..<40 {
      let simulated = simulator.simulated(at: index)
      let poll = try #require(simulated.exchange.poll.reception)
      let start = configuration.startTime(of: index)
      let sent = configuration.peerClock.nextTick(at: start, plus: 0)
      #expect(simulated.exchange.poll.transmitted == sent.time)
      let arrival = configuration.localClock.reading(
        at: start, plus: sent.offset + 10 / configuration.propagationSpeed)
      let fix = try correction(poll, peak: try #require(simulated.firstPathTaps.poll), profile: Self.profile)
      let error = Double(poll.time.offset(from: arrival.time)) + fix - arrival.fraction
      #expect(abs(error) < 0.5001, "exchange \(index)")
    }
  }

  @Test func pulsePeaksAtTheStatedTap() throws {
    var configuration = Self.configuration(SIMD3(0, 0, -2))
    configuration.snrAtOneMetredB = 200
    let simulated = ExchangeSimulator(configuration, seed: 23).simulated(at: 0)
    let cir = try #require(simulated.exchange.poll.reception?.impulseResponse).samples()
    let peak = try #require(simulated.firstPathTaps.poll)
    for tap in Int(peak) - 4...Int(peak) + 5 {
      let expected = 0.5 * abs(PulseShape.standard((Double(tap) - peak) * UWB.tap))
      #expect(abs(Double(cir[tap].length) - expected) < 1e-5)
    }
  }

  @Test func chipErrorHasItsDeviationAndGrid() throws {
    var configuration = Self.configuration(SIMD3(0, 0, -4), count: 300)
    configuration.tapCount = 8
    configuration.chipFirstPathDeviation = 0.2
    let simulator = ExchangeSimulator(configuration, seed: 24)
    var squares = 0.0
    var fractions = 0.0
    for index in 0..<300 {
      let simulated = simulator.simulated(at: index)
      let chip = try #require(simulated.exchange.poll.reception?.chipFirstPathTaps)
      let peak = try #require(simulated.firstPathTaps.poll)
      #expect(chip * 64 == (chip * 64).rounded())
      #expect((739.9...750.1).contains(peak))
      squares += (chip - peak + 1) * (chip - peak + 1)
      fractions += peak - peak.rounded(.down)
    }
    // 300 squares of a normal scatter by √(2/300) = 8.2 %; five of that.
    #expect(abs(squares / 300 / 0.04 - 1) < 0.41, "seed 24")
    #expect(abs(fractions / 300 - 0.5) < 5 * (1.0 / 12 / 300).squareRoot(), "seed 24")
  }

  @Test func peerTimestampsJitterAsTheProfileSays() throws {
    var configuration = Self.configuration(SIMD3(0, 0, -4), count: 300)
    configuration.tapCount = 8
    let simulator = ExchangeSimulator(configuration, seed: 25)
    var squares = 0.0
    for index in 0..<300 {
      // The response counts half in the distance.
      let error = try distance(simulator.simulated(at: index), profile: Self.profile) - 4
      squares += error * error
    }
    let expected = 0.5 * 0.1e-9 * UWB.speedOfLightInAir
    #expect(abs(squares / 300 / (expected * expected) - 1) < 0.45, "seed 25")
  }

  @Test func chipReportFollowsTheChipsOwnPaths() throws {
    var configuration = Self.configuration(SIMD3(0, 0, -6))
    configuration.chipFirstPathDeviation = 0
    configuration.profile.receptionDeviation = 0
    configuration.clockOffsetDeviationppm = 0
    let exchange = ExchangeSimulator(configuration, seed: 26).exchange(at: 3)
    // The 1/64-tap grid adds half a tick to each reception's rounding.
    #expect(abs(try #require(exchange.chipReport?.rawDistance) - 6) < 1.0 * UWB.tick * UWB.speedOfLightInAir)
    let start = 0.3
    let offset = (-12 - 0.02 * start) - (3 + 0.01 * start)
    #expect(abs(try #require(exchange.chipReport?.clockOffsetppm) - offset) < 1e-12)
  }

  @Test func truthByHand() throws {
    var configuration = Self.configuration(SIMD3(3, 1, -4))
    configuration.localPose = DevicePose(position: SIMD3(0, 1, 0))
    let truth = try #require(ExchangeSimulator(configuration, seed: 1).exchange(at: 0).truth)
    #expect(abs(try #require(truth.distance) - 5) < 1e-12)
    #expect(abs(try #require(truth.azimuth) - 0.6435011087932844) < 1e-12)
    #expect(abs(try #require(truth.elevation)) < 1e-12)
    #expect(truth.isLineOfSight == true)
    // Turned so that its back looks at the peer, azimuth is 0.
    configuration.localPose = DevicePose(position: SIMD3(0, 1, 0), yaw: -0.6435011087932844)
    let turned = try #require(ExchangeSimulator(configuration, seed: 1).exchange(at: 0).truth)
    #expect(abs(try #require(turned.azimuth)) < 1e-12)
  }

  @Test func antennasShareThePhase() throws {
    var configuration = Self.configuration(SIMD3(2, 0, -2))
    configuration.array = .lShaped()
    configuration.snrAtOneMetredB = 200
    let simulator = ExchangeSimulator(configuration, seed: 27)
    var phases: Set<Int> = []
    for index in 0..<10 {
      let simulated = simulator.simulated(at: index)
      let cir = try #require(simulated.exchange.final?.reception?.impulseResponse)
      let tap = Int(try #require(simulated.firstPathTaps.final).rounded())
      let samples = (0..<3).map { cir.samples(antenna: $0)[tap] }
      // λ/2 to the right under 45°: π · sin 45°; λ/2 up, peer level: 0.
      #expect(abs((samples[1] * samples[0].conjugate).phase - .pi * Float(0.5).squareRoot()) < 1e-3)
      #expect(abs((samples[2] * samples[0].conjugate).phase) < 1e-3)
      phases.insert(Int(samples[0].phase * 10))
    }
    #expect(phases.count > 4)
  }

  @Test func exchangesRepeatByThemselves() throws {
    var simulator = ExchangeSimulator(Self.configuration(SIMD3(0, 0, -2), count: 5), seed: 28)
    let other = simulator
    var count = 0
    while let exchange = simulator.next() {
      let again = other.exchange(at: exchange.index)
      #expect(exchange.index == count)
      #expect(exchange.poll.reception?.time == again.poll.reception?.time)
      #expect(
        exchange.final?.reception?.impulseResponse?.samples() == again.final?.reception?.impulseResponse?.samples())
      count += 1
    }
    #expect(count == 5)
  }
}
