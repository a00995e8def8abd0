import Numerics
import Testing
import UWBDSP

@testable import UWBCalibration
@testable import UWBSimulation

@Suite("calibration: a pulse learned from the capture at hand")
struct PulseLearningTests {
  private static func outcome(
    _ channel: ArenaChannel, _ pulse: ArenaPulse, impairments: [ArenaImpairment] = [], window: Int? = nil,
    profile: DeviceProfile = .ideal, count: Int = 200
  ) -> (outcome: PulseLearning.Outcome, truth: PulseShape) {
    let family = ArenaFamily(
      "learning", .tuned, channel, impairments, profile: profile, pulse: pulse, windowTaps: window)
    let trials = ArenaTrials(family: family, seed: 11)
    var learning = PulseLearning(profile)
    for index in 0..<count { learning.add(trials.surveyTrial(index, radio: 0).response) }
    return (learning.outcome(), trials.pulses[0])
  }

  @Test(
    "a wrong pulse is seen, and the radio's own is found",
    arguments: [ArenaChannel.room(blocked: false), .salehValenzuela(lineOfSight: true)],
    [ArenaPulse.gaussian, .rootRaisedCosine, .exact(.dw1000)])
  func wrong(_ channel: ArenaChannel, _ pulse: ArenaPulse) throws {
    let (outcome, truth) = Self.outcome(channel, pulse)
    let finding = try #require(outcome.finding)
    #expect(finding.isWrong && finding.misfit > 0.1, "\(finding)")
    let found = PulseShape.measured(try #require(outcome.estimate).pulse)
    #expect(Self.distance(found, truth) < 0.7 * Self.distance(.standard, truth))
    #expect((0.01...0.03).contains(DeviceProfile.ideal.with(outcome).modelError))
  }

  /// These were missed: the steep edge of one bends the mean spectrum, the second is wrong by little more than the limit, and rises of the third
  /// say little.
  @Test("a wrong pulse is found on 125 CIRs", arguments: [(8, 12), (6, 4), (5, 15)])
  func missed(_ seed: UInt64, _ radio: Int) throws {
    let family = ArenaFamily("own-room-rrc", .tuned, .room(blocked: false), pulse: .rootRaisedCosine)
    let trials = ArenaTrials(family: family, seed: seed)
    var learning = PulseLearning(.ideal)
    for index in 0..<125 { learning.add(trials.trial(radio + index * trials.pulses.count).response) }
    let outcome = learning.outcome()
    #expect(try #require(outcome.finding).isWrong, "\(String(describing: outcome.finding))")
    #expect(outcome.estimate != nil)
  }

  @Test(
    "the right pulse stays, whatever the channel and the receiver do",
    arguments: [
      ArenaChannel.room(blocked: false), .room(blocked: true), .onePath, .twoPaths,
      .salehValenzuela(lineOfSight: false),
      .softOnset,
    ], [[], [ArenaImpairment.colouredNoise], [.clipping], [.burst()], [.offset, .quantisation]])
  func right(_ channel: ArenaChannel, _ impairments: [ArenaImpairment]) {
    let (outcome, _) = Self.outcome(channel, .exact(.standard), impairments: impairments)
    #expect(outcome.estimate == nil && outcome.finding?.isWrong != true, "\(String(describing: outcome.finding))")
  }

  @Test("boards' own few per cent are learned, or left as they are", arguments: [DeviceProfile.ideal, .dw1000])
  func nearlyRight(_ profile: DeviceProfile) throws {
    let family = ArenaFamily(
      "learning", .tuned, .room(blocked: false), profile: profile, pulse: .misfit(profile.pulse))
    let trials = ArenaTrials(family: family, seed: 11)
    var (after, before) = (0.0, 0.0)
    for (radio, truth) in trials.pulses.enumerated() {
      var learning = PulseLearning(profile)
      for index in 0..<200 { learning.add(trials.surveyTrial(index, radio: radio).response) }
      let outcome = learning.outcome()
      #expect(try #require(outcome.finding).tells)
      let own = Self.distance(profile.pulse, truth)
      let learned = Self.distance(profile.with(outcome).pulse, truth)
      #expect(learned < 1.1 * own, "radio \(radio): \(learned), \(own) before")
      after += learned
      before += own
    }
    #expect(after < 0.7 * before)
  }

  /// Over the main lobe and the first side lobes.
  private static func distance(_ pulse: PulseShape, _ truth: PulseShape) -> Double {
    stride(from: -3.0, through: 3, by: 0.125).map { $0 * UWB.tap }
      .reduce(0) { $0 + (pulse($1) - truth($1)).magnitude }
  }

  @Test("many CIRs of one place don't tell the pulse from its surroundings", arguments: 0..<8)
  func onePlace(_ place: Int) throws {
    var generator = SeededGenerator(seed: 3, stream: UInt64(place))
    let paths = (place < 6 ? ArenaChannel.room(blocked: place > 3) : .twoPaths).draw(using: &generator)
    let synthesizer = ImpulseResponseSynthesizer(tapCount: ArenaFamily.tapCount)
    var learning = PulseLearning(.ideal)
    for _ in 0..<150 {
      var samples = synthesizer.noiseless(paths, onsetTaps: generator.uniform(in: 200...600))
      let peak = Double(samples.reduce(0) { max($0, $1.lengthSquared) })
      generator.addNoise(variance: peak / 1000, to: &samples)
      learning.add(ChannelImpulseResponse(samples))
    }
    let finding = try #require(learning.outcome().finding)
    #expect(!finding.tells, "\(finding)")
    #expect(learning.outcome().estimate == nil)
  }

  @Test("too few CIRs, and windows without noise before the signal, say nothing", arguments: [nil, 16, 32, 64, 128])
  func few(_ window: Int?) {
    let (outcome, _) = Self.outcome(
      .room(blocked: false), .gaussian, window: window, count: window == nil ? PulseMisfit.leastCount - 1 : 200)
    #expect(outcome == PulseLearning.Outcome())
  }

  @Test("what follows the first four hundred changes nothing")
  func bounded() {
    let short = Self.outcome(.room(blocked: false), .gaussian, count: PulseMisfit.mostCount + 60).outcome
    #expect(short == Self.outcome(.room(blocked: false), .gaussian, count: PulseMisfit.mostCount + 120).outcome)
  }

  @Test("hostile CIRs are passed over")
  func hostile() {
    var learning = PulseLearning(.ideal)
    for value in [0, Float.nan, .infinity, 1e30, .leastNonzeroMagnitude] {
      learning.add(ChannelImpulseResponse([Complex<Float>](repeating: Complex(value, value), count: 1016)))
    }
    learning.add(ChannelImpulseResponse([Complex<Float>(1, 0)]))
    #expect(learning.outcome() == PulseLearning.Outcome())
  }
}
