import UWBCalibration
import UWBDSP

/// How well first-path estimators do on one arena family, held against `PeakShareCrossing`.
///
/// All estimators see the same CIRs, and none the true index. A constant error on one radio is an antenna delay: it is
/// measured on that radio's calibration trials (the median over CIRs of one path) and taken off, for the crossing too.
public struct ArenaEvaluation: Sendable {
  /// Errors are clipped here; beyond it they are gross. A CIR without an answer counts as clipped.
  public static let clipTaps = 4.0
  static let calibrationCount = 31
  /// CIRs of one radio that its pulse is measured on.
  static let surveyCount = 400

  /// Which pulse the estimators are told.
  public enum KnownPulse: String, Sendable, Hashable, CaseIterable {
    /// What an engine uses that replays a capture: the profile's, or where it is wrong what `PulseLearning` finds from the first of the
    /// radio's own trials.
    case learned
    /// The profile's.
    case profile
    /// What `PulseEstimation` finds from other CIRs of the same radio.
    case calibrated
    /// The radio's own.
    case exact
  }

  /// The trials that all methods see.
  public let trials: ArenaTrials
  /// Number of trials.
  public let trialCount: Int
  /// `nil` for the default of the family's profile.
  public let methods: [DelayMethod?]
  /// What the estimators know of the radio's pulse.
  public let pulse: KnownPulse

  /// Prepares an evaluation; nothing runs yet.
  public init(
    family: ArenaFamily, methods: [DelayMethod?] = [nil], pulse: KnownPulse = .learned, trialCount: Int, seed: UInt64
  ) {
    self.pulse = pulse
    trials = ArenaTrials(family: family, seed: seed)
    self.methods = methods
    self.trialCount = trialCount
  }

  /// One estimator's figures on the family.
  public struct Row: Sendable, Hashable {
    /// The family of trials.
    public var family: ArenaFamily
    /// The estimator that was at work, its default resolved.
    public var method: DelayMethod
    /// What the estimator knew of the radio's pulse.
    public var pulse: KnownPulse
    /// Whether the method is the default of the family's profile.
    public var isDefault: Bool
    /// Number of trials.
    public var trials: Int
    /// Root of the mean square of the clipped errors, m.
    public var rms: Double
    /// The same of the crossing.
    public var crossingRMS: Double
    /// Share of trials whose error is beyond the clip.
    public var grossShare: Double
    /// Share of trials whose crossing's error is beyond the clip.
    public var crossingGrossShare: Double
    /// Mean of min(z², 9) over the answers, z the error over its stated deviation.
    public var score: Double?
    /// Share of answers beyond five deviations.
    public var beyondFiveShare: Double?
    /// Trials without an answer.
    public var unanswered: Int

    /// The error over the crossing's.
    public var ratio: Double { rms / crossingRMS }
  }

  /// Taps.
  private typealias Answer = ArenaFigures.Answer

  /// Estimators of one thread.
  private struct Bench {
    let taps: PreparedTaps
    let stages: [DelayStage]
    var crossing: PeakShareCrossing
    var estimate = DelayEstimate()

    init(_ evaluation: ArenaEvaluation, _ profile: DeviceProfile) {
      let tapCount = evaluation.trials.tapCount
      taps = PreparedTaps(tapCount: tapCount)
      stages = evaluation.methods.map {
        DelayStage.make(RangingEngine.Configuration(profile: profile, delay: $0), tapCount: tapCount)
      }
      crossing = PeakShareCrossing(tapCount: tapCount)
    }

    /// The crossing's answer, then the estimators'.
    mutating func answers(_ trial: ArenaTrials.Trial) -> [Answer] {
      var answers: [Answer] = [crossing(trial.response.samples()).map { ($0 - trial.firstPathTaps, 0) }]
      taps.load(trial.response, antenna: 0)
      for stage in stages {
        stage.estimate(taps, into: &estimate)
        answers.append(estimate.firstPath.map { ($0.delayTaps - trial.firstPathTaps, $0.deviationTaps) })
      }
      return answers
    }
  }

  /// One row for each estimator.
  public func run(threads: Int = 1, progress: (@Sendable (Int) -> Void)? = nil) -> [Row] {
    let radios = trials.pulses.count
    let profiles = inShares(of: radios, threads: threads) { $0.map(profile(ofRadio:)) }.flatMap { $0 }
    let answers = inShares(of: trialCount, radios: radios, threads: threads, progress: progress) {
      self.answers(ofRadio: $0, profiles[$0], trials: $1)
    }
    let crossing = answers.map { $0[0] }
    return methods.enumerated().map { column, method in row(method, answers.map { $0[column + 1] }, crossing) }
  }

  /// The answers to trials of one radio, which has estimators and constant errors of its own.
  private func answers(ofRadio radio: Int, _ profile: DeviceProfile, trials indices: [Int]) -> [[Answer]] {
    var bench = Bench(self, profile)
    let offsets = constantErrors(ofRadio: radio, &bench)
    return indices.map { index in
      zip(bench.answers(trials.trial(index)), offsets).map { answer, offset in
        answer.map { ($0.error - offset, $0.deviation) }
      }
    }
  }

  /// What the estimators are told of one radio.
  private func profile(ofRadio radio: Int) -> DeviceProfile {
    var profile = trials.family.profile
    switch pulse {
    case .profile: break
    case .learned:
      let own = stride(from: radio, to: trialCount, by: trials.pulses.count)
      profile = profile.learning(from: own.lazy.map { trials.trial($0).response })
    case .exact: profile.pulse = trials.pulses[radio]
    case .calibrated:
      var estimation = PulseEstimation(near: profile.pulse)
      var jitter = SeededGenerator(seed: trials.seed, stream: UInt64(radio))
      for index in 0..<Self.surveyCount {
        let trial = trials.surveyTrial(index, radio: radio)
        // A chip's first path: near enough to the leading edge, and no better than that.
        let near = trial.firstPathTaps - profile.peakOffsetTaps + jitter.uniform(in: -0.5...0.5)
        estimation.add(trial.response, firstPathTaps: near)
      }
      guard let estimate = estimation.estimate() else { break }
      profile = profile.with(estimate)
    }
    return profile
  }

  /// The constant error of each estimator on one radio, the crossing's first, taps.
  private func constantErrors(ofRadio radio: Int, _ bench: inout Bench) -> [Double] {
    let answers = (0..<Self.calibrationCount).map { bench.answers(trials.calibrationTrial($0, radio: radio)) }
    return (0...methods.count).map { column in
      ErrorStatistics(answers.compactMap { $0[column]?.error })?.median ?? 0
    }
  }

  private func row(_ method: DelayMethod?, _ answers: [Answer], _ crossing: [Answer]) -> Row {
    let family = trials.family
    let (own, other) = (
      ArenaFigures(answers, clip: Self.clipTaps), ArenaFigures(crossing, clip: Self.clipTaps)
    )
    let metres = UWB.tap * UWB.speedOfLightInAir
    return Row(
      family: family, method: method ?? family.profile.delay, pulse: pulse, isDefault: method == nil,
      trials: answers.count, rms: own.rms * metres, crossingRMS: other.rms * metres, grossShare: own.grossShare,
      crossingGrossShare: other.grossShare, score: own.score, beyondFiveShare: own.beyondFiveShare,
      unanswered: own.unanswered)
  }
}

extension DeviceProfile {
  /// The radio with the pulse that the first of its CIRs show, as an engine that replays a capture takes it.
  func learning(from responses: some Sequence<ChannelImpulseResponse>) -> DeviceProfile {
    var learning = PulseLearning(self)
    for response in responses {
      learning.add(response)
      if learning.isFull { break }
    }
    return with(learning.outcome())
  }
}
