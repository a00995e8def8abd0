import Numerics
import UWBDSP

/// How good delay estimators are on one kind of channel at one signal-to-noise ratio, by simulation.
///
/// All estimators see the same CIRs. Trial i depends on the seed and i alone, so that figures do not depend on how many
/// threads share the work; times do.
public struct DelayEvaluation: Sendable {
  /// An answer further off than this is a miss, taps.
  public static let missTaps = 4.0
  /// An answer earlier than this is a false early detection, taps.
  public static let earlyTaps = -0.75

  /// Makes the trials.
  public let generator: DelayTrialGenerator
  /// The estimators to be compared.
  public let methods: [DelayMethod]
  /// Its noise is the generator's: who gives a correlation gives it to simulation, estimators and bound alike.
  public internal(set) var profile: DeviceProfile
  /// Number of trials of each estimator.
  public let trialCount: Int

  /// Prepares an evaluation; nothing runs yet.
  public init(
    generator: DelayTrialGenerator, methods: [DelayMethod], profile: DeviceProfile = .ideal, trialCount: Int
  ) {
    self.generator = generator
    self.methods = methods
    self.profile = profile
    self.profile.noise = generator.noise
    self.trialCount = trialCount
  }

  /// One estimator's figures. Lengths in metres at the speed of light in air.
  public struct Row: Sendable, Hashable {
    /// Name of the estimator.
    public var estimator: String
    /// Number of trials.
    public var trials: Int
    /// Over all trials that gave an answer, misses included.
    public var error: ErrorStatistics?
    /// Over the trials whose answer is within `earlyTaps` of the truth on either side.
    public var closeRMS: Double?
    /// Trials whose answer is that close.
    public var close: Int
    /// Root of the mean Cramér–Rao bound over the trials; `nil` where the channel has none in closed form.
    public var bound: Double?
    /// No path, or further off than `missTaps`.
    public var missed: Int
    /// Trials whose answer is early by more than `earlyTaps`.
    public var early: Int
    /// Mean of (error/deviation)² over the close trials.
    public var normalisedVariance: Double?
    /// Share of close trials within one stated deviation.
    public var coverage: Double?
    /// Mean time of one CIR, loading included, µs; `nil` where it was not taken.
    public var microseconds: Double?

    /// RMS error over the bound.
    public var ratio: Double? {
      guard let rms = error?.rms, let bound, bound > 0 else { return nil }
      return rms / bound
    }
  }

  /// One estimator's answer to one trial.
  package struct Answer: Sendable {
    /// `nil` where there is none.
    var errorTaps: Double?
    /// 0 where none is stated.
    var deviationTaps: Double
    /// 0 where they were not taken.
    var nanoseconds: Double

    package init(errorTaps: Double?, deviationTaps: Double, nanoseconds: Double) {
      self.errorTaps = errorTaps
      self.deviationTaps = deviationTaps
      self.nanoseconds = nanoseconds
    }
  }

  /// A stretch of trials, by one thread.
  private struct Part: Sendable {
    var answers: [[Answer]]
    var bounds: [Double?]
  }

  /// Runs `threads` workers over the trials, each its own share, and gathers one row for each estimator.
  public func run(threads: Int = 1, progress: (@Sendable (Int) -> Void)? = nil) -> [Row] {
    let gathered = inShares(of: trialCount, threads: threads) { run($0, progress: progress) }
    let bounds = gathered.flatMap(\.bounds)
    return methods.indices.map { index in
      Self.row(methods[index].name, gathered.flatMap { $0.answers[index] }, bounds)
    }
  }

  private func run(_ range: Range<Int>, progress: (@Sendable (Int) -> Void)?) -> Part {
    let tapCount = generator.synthesizer.tapCount
    let stages = methods.map { method in
      DelayStage.make(RangingEngine.Configuration(profile: profile, delay: method), tapCount: tapCount)
    }
    let taps = PreparedTaps(tapCount: tapCount)
    var estimate = DelayEstimate()
    var samples: [Complex<Float>] = []
    var part = Part(answers: methods.map { _ in [] }, bounds: [])
    for index in range {
      let trial = generator.trial(index, into: &samples)
      let response = ChannelImpulseResponse(samples)
      part.bounds.append(generator.firstPathBound(trial))
      for (position, stage) in stages.enumerated() {
        let start = monotonicNanoseconds()
        taps.load(response, antenna: 0)
        stage.estimate(taps, into: &estimate)
        let elapsed = monotonicNanoseconds() - start
        let path = estimate.firstPath
        part.answers[position].append(
          Answer(
            errorTaps: path.map { $0.delayTaps - trial.firstPathTaps }, deviationTaps: path?.deviationTaps ?? 0,
            nanoseconds: elapsed))
      }
      if index % 64 == 63 { progress?(64) }
    }
    return part
  }

  /// The figures of any estimator's answers to trials with these bounds, taps².
  package static func row(_ estimator: String, _ answers: [Answer], _ bounds: [Double?]) -> Row {
    let metres = UWB.tap * UWB.speedOfLightInAir
    let errors = answers.compactMap(\.errorTaps)
    let close = answers.filter { abs($0.errorTaps ?? .infinity) <= -Self.earlyTaps }
    let normalised = close.compactMap { answer in
      answer.deviationTaps > 0 ? answer.errorTaps.map { $0 / answer.deviationTaps } : nil
    }
    let known = bounds.compactMap { $0 }
    let nanoseconds = answers.reduce(0) { $0 + $1.nanoseconds }
    let meanBound = known.count == bounds.count && !known.isEmpty ? known.reduce(0, +) / Double(known.count) : nil
    return Row(
      estimator: estimator, trials: answers.count, error: ErrorStatistics(errors.map { $0 * metres }),
      closeRMS: ErrorStatistics(close.compactMap(\.errorTaps).map { $0 * metres })?.rms, close: close.count,
      bound: meanBound.map { $0.squareRoot() * metres },
      missed: answers.filter { abs($0.errorTaps ?? .infinity) > Self.missTaps }.count,
      early: errors.filter { $0 < Self.earlyTaps }.count,
      normalisedVariance: normalised.isEmpty
        ? nil : normalised.reduce(0) { $0 + $1 * $1 } / Double(normalised.count),
      coverage: normalised.isEmpty
        ? nil : Double(normalised.filter { abs($0) <= 1 }.count) / Double(normalised.count),
      microseconds: nanoseconds > 0 ? nanoseconds / Double(answers.count) / 1000 : nil)
  }
}
