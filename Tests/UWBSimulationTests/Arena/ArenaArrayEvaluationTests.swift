import Numerics
import Testing
import UWBDSP

@testable import UWBSimulation

@Suite("arena: arrays")
struct ArenaArrayEvaluationTests {
  @Test("figures do not depend on the number of threads, nor CIRs on who asks", arguments: [2, 4])
  func threads(antennas: Int) throws {
    let family = try #require(ArenaFamily.named("room-misfit"))
    let evaluation = ArenaArrayEvaluation(family: family, antennaCount: antennas, trialCount: 40, seed: 4)
    #expect(evaluation.run(threads: 1) == evaluation.run(threads: 3))
    let again = ArenaArrayTrials(family: family, antennaCount: antennas, seed: 4)
    #expect(again.trial(7).response.samples() == evaluation.trials.trial(7).response.samples())
    #expect(again.trial(7).response.antennaCount == antennas)
  }

  @Test("families without a room have no directions")
  func families() {
    #expect(ArenaArrayTrials.families.map(\.name).contains("room-blocked"))
    #expect(ArenaArrayTrials.families.map(\.name).contains("room-clutter"))
    #expect(ArenaArrayTrials.families.allSatisfy { $0.windowTaps == nil })
    #expect(!ArenaArrayTrials.families.map(\.name).contains("soft"))
  }

  /// The truth of a path alone is where the antennas' phases put it.
  @Test("one path comes from where the trial says", arguments: [2, 4])
  func onePath(antennas: Int) throws {
    let family = try #require(ArenaFamily.named("room"))
    let trials = ArenaArrayTrials(family: family, antennaCount: antennas, seed: 5)
    let engine = RangingEngine(RangingEngine.Configuration(profile: family.profile, array: trials.array))
    let workspace = engine.makeWorkspace(tapCount: ArenaFamily.tapCount, antennaCount: antennas)
    for index in 0..<60 {
      let trial = trials.calibrationTrial(index, radio: 0)
      let exchange = RangingExchange(
        index: 0, time: 0, peer: DeviceAddress(rawValue: 1), initiator: .local, poll: RangingMessage(),
        response: RangingMessage(reception: Reception(time: DeviceTime(ticks: 0), impulseResponse: trial.response)))
      let measurement = engine.measure(exchange, using: workspace)
      let (azimuth, deviation) = (
        try #require(measurement.azimuth), try #require(measurement.azimuthDeviation)
      )
      #expect(abs(azimuth - trial.azimuth) < 5 * deviation, "trial \(index)")
      #expect(deviation < 0.2)
    }
  }

  /// The limits that hold for one antenna: deviations that mean what they say, and hardly a room without a direction. A blocked path's
  /// phase may be lost on an antenna: then the direction's deviation says so.
  @Test("rooms have directions, with honest deviations", arguments: ["room", "room-blocked"], [2, 4])
  func rooms(name: String, antennas: Int) throws {
    let family = try #require(ArenaFamily.named(name))
    let row = ArenaArrayEvaluation(family: family, antennaCount: antennas, trialCount: 300, seed: 6).run(threads: 2)
    #expect(row.delay.unansweredShare == 0 && row.azimuth.unansweredShare <= 0.02)
    #expect(row.delay.rms < row.crossingRMS)
    for figures in [row.delay, row.azimuth] {
      #expect((0.2...2).contains(try #require(figures.score)), "\(figures)")
      #expect(try #require(figures.beyondFiveShare) <= 0.06, "\(figures)")
    }
  }

  /// What stands before the signal on one antenna alone is no path, however many antennas there are to see such a thing.
  @Test(
    "signals before the first path do not hide it", arguments: ["room-clutter", "room-bursts", "room-other-tag"],
    [2, 4])
  func added(name: String, antennas: Int) throws {
    let family = try #require(ArenaFamily.named(name))
    let count = 300
    let row = ArenaArrayEvaluation(family: family, antennaCount: antennas, trialCount: count, seed: 8).run(threads: 2)
    // The limit, and two deviations of what so many trials show of it.
    let limit = family.limits.grossShare
    #expect(row.delay.grossShare <= limit + 2 * (limit * (1 - limit) / Double(count)).squareRoot(), "\(row.delay)")
    for figures in [row.delay, row.azimuth] {
      #expect(try #require(figures.beyondFiveShare) <= 0.06, "\(figures)")
    }
  }

  /// An antenna with nothing but noise has no say in the distance. There is no direction but where noise passes for a signal, once in ten.
  @Test("an antenna that hears nothing", arguments: [2, 4])
  func deadAntenna(antennas: Int) throws {
    let family = try #require(ArenaFamily.named("room"))
    let evaluation = ArenaArrayEvaluation(family: family, antennaCount: antennas, trialCount: 100, seed: 9)
    var bench = ArenaArrayEvaluation.Bench(evaluation, family.profile)
    var noise = SeededGenerator(seed: 9, stream: 1)
    var (directions, answers) = (0, [ArenaFigures.Answer]())
    for index in 0..<evaluation.trialCount {
      var trial = evaluation.trials.trial(index)
      let samples = (0..<antennas).flatMap { antenna in
        trial.response.samples(antenna: antenna).map {
          antenna == index % antennas ? Complex<Float>(noise.complexNormal()) : $0
        }
      }
      trial.response = ChannelImpulseResponse(samples, antennaCount: antennas)
      let found = bench.answers(trial)
      answers.append(found.delay)
      directions += found.azimuth == nil ? 0 : 1
    }
    // Three deviations beyond ten of a hundred.
    #expect(directions <= 19)
    let figures = ArenaFigures(answers, clip: ArenaEvaluation.clipTaps)
    #expect(figures.unansweredShare == 0 && figures.grossShare <= family.limits.grossShare, "\(figures)")
    #expect(try #require(figures.beyondFiveShare) <= 0.06)
  }

  /// The chip of the exchange that is made up is right at both ends, so nothing else may move its distance.
  @Test("the delay's error is the estimator's alone", arguments: [2, 4])
  func delayAlone(antennas: Int) throws {
    let family = try #require(ArenaFamily.named("room-blocked-dw1000"))
    let evaluation = ArenaArrayEvaluation(family: family, antennaCount: antennas, trialCount: 20, seed: 7)
    var bench = ArenaArrayEvaluation.Bench(evaluation, family.profile)
    for index in 0..<evaluation.trialCount {
      let trial = evaluation.trials.trial(index)
      let measurement = bench.engine.measure(bench.exchange(trial), using: bench.workspace)
      let found = try #require(measurement.firstPathTaps.response)
      let error = try #require(bench.answers(trial).delay).error
      #expect(abs(error - (found - trial.firstPathTaps)) < 1e-4, "trial \(index)")
    }
  }
}
