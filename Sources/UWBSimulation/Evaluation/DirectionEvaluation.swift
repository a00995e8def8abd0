import Numerics
import UWBDSP
import UWBPlatform

/// How good angle estimators are over one array and scene at one signal-to-noise ratio, by simulation.
///
/// All estimators see the same snapshots. Trial i depends on the seed and i alone, so that figures do not depend on how many
/// threads share the work; times do.
public struct DirectionEvaluation: Sendable {
  /// An answer further off than this is a miss, rad: 10°.
  public static let missAngle = Double.pi / 18

  /// Who is evaluated.
  public struct Contestant: Sendable {
    /// Name in the table.
    public var name: String
    /// The estimator.
    public var estimator: any DirectionEstimator

    /// Creates one with the given values.
    public init(name: String, estimator: any DirectionEstimator) {
      self.name = name
      self.estimator = estimator
    }
  }

  /// Makes the trials.
  public let generator: DirectionTrialGenerator
  /// The estimators to be compared.
  public let contestants: [Contestant]
  /// Number of trials of each estimator.
  public let trialCount: Int
  /// Whether the estimators are told the noise variance, as an engine knows it from a packet's other taps.
  public let isNoiseKnown: Bool

  /// Prepares an evaluation; nothing runs yet.
  public init(
    generator: DirectionTrialGenerator, contestants: [Contestant], trialCount: Int, isNoiseKnown: Bool
  ) {
    self.generator = generator
    self.contestants = contestants
    self.trialCount = trialCount
    self.isNoiseKnown = isNoiseKnown
  }

  /// One angle's figures, over all sources of all trials that have an answer. Radians.
  public struct Figures: Sendable, Hashable {
    /// Misses included.
    public var error: ErrorStatistics?
    /// Without the misses.
    public var closeRMS: Double?
    /// Root of the mean bound: stochastic where amplitudes are drawn anew and not coherent, else deterministic.
    public var bound: Double?
    /// Root of the mean deterministic bound.
    public var deterministicBound: Double?
    /// Mean of (error/deviation)² over answers that are no misses.
    public var normalisedVariance: Double?
    /// Share of them within one stated deviation.
    public var coverage: Double?

    /// RMS error over the bound.
    public var ratio: Double? {
      guard let rms = error?.rms, let bound, bound > 0 else { return nil }
      return rms / bound
    }
  }

  /// One estimator's figures.
  public struct Row: Sendable, Hashable {
    /// Name of the estimator.
    public var name: String
    /// Number of trials.
    public var trials: Int
    /// Number of sources in all trials.
    public var sources: Int
    /// `nil` where the array has none.
    public var azimuth: Figures?
    /// Figures of the elevation; `nil` where the array has none.
    public var elevation: Figures?
    /// Sources without an answer, or with one further off than `missAngle`.
    public var missed: Int
    /// Trials whose status was `.ambiguous`.
    public var ambiguous: Int
    /// Trials in which the first source's truth is within `missAngle` of an answer or of an alternative.
    public var covered: Int
    /// Answers with a number that is not finite.
    public var notFinite: Int
    /// Median time of one estimate, covariance included, µs: one that others on the machine don't inflate.
    public var microseconds: Double
  }

  /// One source's answer in one trial.
  private struct Answer {
    var azimuthError = Double.nan
    var azimuthDeviation = Double.nan
    var elevationError = Double.nan
    var elevationDeviation = Double.nan
    /// Angle between answer and truth; infinite where there is no answer.
    var distance = Double.infinity
  }

  private struct Trial {
    var answers: [Answer]
    var isAmbiguous: Bool
    var isCovered: Bool
    var isFinite: Bool
    var nanoseconds: Double
  }

  private struct Bounds {
    var used: [SourceDirection]
    var deterministic: [SourceDirection]
  }

  private struct Part: Sendable {
    var trials: [[Trial]]
    var bounds: [Bounds?]
  }

  /// Runs `threads` workers over the trials, each its own share, and gathers one row for each estimator.
  public func run(threads: Int = 1, progress: (@Sendable (Int) -> Void)? = nil) -> [Row] {
    let gathered = inShares(of: trialCount, threads: threads) { run($0, progress: progress) }
    let bounds = gathered.flatMap(\.bounds)
    return contestants.indices.map { index in
      row(contestants[index].name, gathered.flatMap { $0.trials[index] }, bounds)
    }
  }

  /// Root of the mean bound on azimuth over all trials and sources, rad; `nil` where there is none.
  public func pooledBound() -> Double? {
    var snapshots = Snapshots(
      antennaCount: generator.array.positions.count, snapshotCount: generator.snapshotCount)
    var squares = 0.0
    var count = 0
    for index in 0..<trialCount {
      guard let bounds = bounds(generator.trial(index, into: &snapshots)) else { return nil }
      for source in bounds.used {
        guard let deviation = source.azimuthDeviation else { return nil }
        squares += deviation * deviation
        count += 1
      }
    }
    return count > 0 ? (squares / Double(count)).squareRoot() : nil
  }

  /// The same estimator with its workspace, whatever its type.
  private static func stage<E: DirectionEstimator>(
    _ estimator: E, _ snapshotCount: Int
  ) -> (Snapshots, inout DirectionEstimate) -> Void {
    let workspace = estimator.makeWorkspace(snapshotCount: snapshotCount)
    return { snapshots, estimate in estimator.estimate(snapshots, into: &estimate, using: workspace) }
  }

  private func run(_ range: Range<Int>, progress: (@Sendable (Int) -> Void)?) -> Part {
    let stages = contestants.map { Self.stage($0.estimator, generator.snapshotCount) }
    var snapshots = Snapshots(
      antennaCount: generator.array.positions.count, snapshotCount: generator.snapshotCount,
      noiseVariance: isNoiseKnown ? generator.noiseVariance : nil)
    var estimate = DirectionEstimate()
    var part = Part(trials: contestants.map { _ in [] }, bounds: [])
    for index in range {
      let truth = generator.trial(index, into: &snapshots)
      part.bounds.append(bounds(truth))
      for (position, stage) in stages.enumerated() {
        let start = monotonicNanoseconds()
        stage(snapshots, &estimate)
        let elapsed = monotonicNanoseconds() - start
        part.trials[position].append(score(estimate, truth, elapsed))
      }
      if index % 64 == 63 { progress?(64) }
    }
    return part
  }

  private func bounds(_ truth: DirectionTrial) -> Bounds? {
    let bound = SourcesBound(array: generator.array)
    guard truth.directions.count < generator.array.positions.count else { return nil }
    func value(_ kind: SourcesBound.Kind, _ covariance: [Complex<Double>]) -> [SourceDirection]? {
      bound.bound(
        kind, directions: truth.directions, covariance: covariance, noiseVariance: truth.noiseVariance,
        snapshots: generator.snapshotCount)
    }
    guard let deterministic = value(.deterministic, truth.sampleCovariance) else { return nil }
    let isDeterministic = generator.snapshotCount == 1 || generator.scene.isCoherent
    guard let used = isDeterministic ? deterministic : value(.stochastic, truth.covariance) else { return nil }
    return Bounds(used: used, deterministic: deterministic)
  }

  private func score(_ estimate: DirectionEstimate, _ truth: DirectionTrial, _ elapsed: Double) -> Trial {
    func angle(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
      2 * asin(min(1, 0.5 * ((a - b) * (a - b)).sum().squareRoot()))
    }
    var answers = [Answer](repeating: Answer(), count: truth.directions.count)
    var pairs: [(source: Int, answer: Int, distance: Double)] = []
    for (source, direction) in truth.directions.enumerated() {
      for (answer, found) in estimate.sources.enumerated() {
        pairs.append((source, answer, angle(direction, found.direction)))
      }
    }
    // Nearest pairs first.
    pairs.sort { ($0.distance, $0.source, $0.answer) < ($1.distance, $1.source, $1.answer) }
    var taken: Set<Int> = []
    for pair in pairs where answers[pair.source].distance == .infinity && !taken.contains(pair.answer) {
      taken.insert(pair.answer)
      let found = estimate.sources[pair.answer]
      let actual = Direction.angles(of: truth.directions[pair.source])
      answers[pair.source] = Answer(
        azimuthError: found.azimuth.map { remainder($0 - actual.azimuth, 2 * .pi) } ?? .nan,
        azimuthDeviation: found.azimuthDeviation ?? .nan,
        elevationError: found.elevation.map { $0 - actual.elevation } ?? .nan,
        elevationDeviation: found.elevationDeviation ?? .nan, distance: pair.distance)
    }
    let first = truth.directions[0]
    let all = estimate.sources + estimate.alternatives
    let isFinite = all.allSatisfy { source in
      [source.azimuth, source.azimuthDeviation, source.elevation, source.elevationDeviation].allSatisfy {
        $0?.isFinite ?? true
      } && source.direction.x.isFinite && source.direction.y.isFinite && source.direction.z.isFinite
    }
    return Trial(
      answers: answers, isAmbiguous: estimate.status == .ambiguous,
      isCovered: all.contains { angle($0.direction, first) <= Self.missAngle }, isFinite: isFinite,
      nanoseconds: elapsed)
  }

  private func row(_ name: String, _ trials: [Trial], _ bounds: [Bounds?]) -> Row {
    let answers = trials.flatMap(\.answers)
    let known = bounds.compactMap { $0 }
    let isBounded = known.count == bounds.count
    func figures(
      _ error: KeyPath<Answer, Double>, _ deviation: KeyPath<Answer, Double>,
      _ bound: KeyPath<SourceDirection, Double?>
    ) -> Figures? {
      let errors = answers.map { $0[keyPath: error] }.filter { !$0.isNaN }
      let used = isBounded ? known.flatMap(\.used).compactMap { $0[keyPath: bound] } : []
      let deterministic = isBounded ? known.flatMap(\.deterministic).compactMap { $0[keyPath: bound] } : []
      guard !errors.isEmpty || !used.isEmpty else { return nil }
      let close = answers.filter { $0.distance <= Self.missAngle && !$0[keyPath: error].isNaN }
      let normalised = close.filter { $0[keyPath: deviation] > 0 }.map { $0[keyPath: error] / $0[keyPath: deviation] }
      func root(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
      }
      return Figures(
        error: ErrorStatistics(errors), closeRMS: root(close.map { $0[keyPath: error] }), bound: root(used),
        deterministicBound: root(deterministic), normalisedVariance: root(normalised).map { $0 * $0 },
        coverage: normalised.isEmpty
          ? nil : Double(normalised.filter { abs($0) <= 1 }.count) / Double(normalised.count))
    }
    return Row(
      name: name, trials: trials.count, sources: generator.scene.sourceCount,
      azimuth: figures(\.azimuthError, \.azimuthDeviation, \.azimuthDeviation),
      elevation: figures(\.elevationError, \.elevationDeviation, \.elevationDeviation),
      missed: answers.filter { $0.distance > Self.missAngle }.count,
      ambiguous: trials.filter(\.isAmbiguous).count, covered: trials.filter(\.isCovered).count,
      notFinite: trials.filter { !$0.isFinite }.count,
      microseconds: (ErrorStatistics(trials.map(\.nanoseconds))?.median ?? 0) / 1000)
  }
}
