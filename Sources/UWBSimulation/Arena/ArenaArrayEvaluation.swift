import UWBDSP
import UWBPlatform

/// How well an engine does on the rooms of an arena family with several antennas: first path and azimuth.
///
/// As `ArenaEvaluation` with the pulse that an engine learns from its capture; `PeakShareCrossing` sees the first antenna alone.
public struct ArenaArrayEvaluation: Sendable {
  /// Azimuths further off count as this, and so does a trial without a direction, rad.
  public static let clipAngle = Double.pi / 4

  /// The trials that all methods see.
  public let trials: ArenaArrayTrials
  /// Number of trials.
  public let trialCount: Int
  /// The estimator; `nil` for the default of the family's profile.
  public let method: DelayMethod?

  /// Prepares an evaluation; nothing runs yet.
  public init(family: ArenaFamily, antennaCount: Int, method: DelayMethod? = nil, trialCount: Int, seed: UInt64) {
    trials = ArenaArrayTrials(family: family, antennaCount: antennaCount, seed: seed)
    self.trialCount = trialCount
    self.method = method
  }

  /// The engine's figures on the family.
  public struct Row: Sendable, Hashable {
    /// The family of trials.
    public var family: ArenaFamily
    /// Antennas of the array.
    public var antennaCount: Int
    /// The estimator that was at work, its default resolved.
    public var method: DelayMethod
    /// Number of trials.
    public var trials: Int
    /// Of the first path, m.
    public var delay: ArenaFigures
    /// Of the azimuth, rad.
    public var azimuth: ArenaFigures
    /// RMS error of the crossing, clipped, m.
    public var crossingRMS: Double
  }

  typealias Answer = ArenaFigures.Answer

  struct Answers {
    var delay: Answer = nil
    var azimuth: Answer = nil
    var crossing: Answer = nil
  }

  /// The engine and what it needs of one thread.
  struct Bench {
    let engine: RangingEngine
    let workspace: RangingEngine.Workspace
    var crossing = PeakShareCrossing(tapCount: ArenaFamily.tapCount)

    init(_ evaluation: ArenaArrayEvaluation, _ profile: DeviceProfile) {
      let trials = evaluation.trials
      var profile = profile
      // What the other radio does is no error of this one's.
      profile.receptionDeviation = 0
      profile.missesFirstPaths = false
      engine = RangingEngine(
        RangingEngine.Configuration(profile: profile, delay: evaluation.method, array: trials.array))
      workspace = engine.makeWorkspace(tapCount: ArenaFamily.tapCount, antennaCount: trials.array.positions.count)
    }

    /// A single-sided exchange over no distance. Its first path is moved by what the engine errs, so that the distance errs by half of that.
    func exchange(_ trial: ArenaArrayTrials.Trial) -> RangingExchange {
      let (sent, reply) = (DeviceTime(ticks: 1 << 20), DeviceTime(ticks: (1 << 20) + 1000))
      let reception = Reception(
        time: reply, chipFirstPathTaps: trial.firstPathTaps - engine.configuration.profile.peakOffsetTaps,
        impulseResponse: trial.response, carrierOffsetppm: 0)
      return RangingExchange(
        index: 0, time: 0, peer: DeviceAddress(rawValue: 1), initiator: .local,
        poll: RangingMessage(transmitted: sent, reception: Reception(time: sent)),
        response: RangingMessage(transmitted: reply, reception: reception))
    }

    mutating func answers(_ trial: ArenaArrayTrials.Trial) -> Answers {
      let measurement = engine.measure(exchange(trial), using: workspace)
      let taps = 2 / (UWB.tap * engine.configuration.propagationSpeed)
      var answers = Answers()
      // What the chip's own first path stands in for is no answer: it is the truth here.
      if measurement.fallback == nil, let distance = measurement.rawDistance,
        let deviation = measurement.rawDistanceDeviation
      {
        answers.delay = (taps * distance, taps * deviation)
      }
      if let azimuth = measurement.azimuth, let deviation = measurement.azimuthDeviation {
        answers.azimuth = (azimuth - trial.azimuth, deviation)
      }
      let first = Array(trial.response.samples()[..<ArenaFamily.tapCount])
      answers.crossing = crossing(first).map { ($0 - trial.firstPathTaps, 1) }
      return answers
    }
  }

  /// Measures all trials.
  public func run(threads: Int = 1, progress: (@Sendable (Int) -> Void)? = nil) -> Row {
    let radios = trials.radioCount
    let profiles = inShares(of: radios, threads: threads) { $0.map(profile(ofRadio:)) }.flatMap { $0 }
    let answers = inShares(of: trialCount, radios: radios, threads: threads, progress: progress) {
      self.answers(ofRadio: $0, profiles[$0], trials: $1)
    }
    let metres = UWB.tap * UWB.speedOfLightInAir
    func inMetres(_ answers: [Answer]) -> ArenaFigures {
      var figures = ArenaFigures(answers, clip: ArenaEvaluation.clipTaps)
      figures.rms *= metres
      return figures
    }
    return Row(
      family: trials.family, antennaCount: trials.array.positions.count, method: method ?? trials.family.profile.delay,
      trials: trialCount, delay: inMetres(answers.map(\.delay)),
      azimuth: ArenaFigures(answers.map(\.azimuth), clip: Self.clipAngle),
      crossingRMS: inMetres(answers.map(\.crossing)).rms)
  }

  /// The answers to trials of one radio, which has an engine and constant errors of its own.
  private func answers(ofRadio radio: Int, _ profile: DeviceProfile, trials indices: [Int]) -> [Answers] {
    var bench = Bench(self, profile)
    let offset = constantErrors(ofRadio: radio, &bench)
    return indices.map { index in
      var found = bench.answers(trials.trial(index))
      found.delay?.error -= offset.delay
      found.crossing?.error -= offset.crossing
      return found
    }
  }

  /// What the engine is told of one radio.
  private func profile(ofRadio radio: Int) -> DeviceProfile {
    let own = stride(from: radio, to: trialCount, by: trials.radioCount)
    return trials.family.profile.learning(from: own.lazy.map { trials.trial($0).response })
  }

  /// Of one radio: an antenna delay, taps.
  private func constantErrors(ofRadio radio: Int, _ bench: inout Bench) -> (delay: Double, crossing: Double) {
    let answers = (0..<ArenaEvaluation.calibrationCount).map {
      bench.answers(trials.calibrationTrial($0, radio: radio))
    }
    func median(_ errors: [Answer]) -> Double { ErrorStatistics(errors.compactMap { $0?.error })?.median ?? 0 }
    return (median(answers.map(\.delay)), median(answers.map(\.crossing)))
  }
}
