import UWBDSP
import UWBReport
import UWBSimulation

/// The tracker on simulated walks: errors raw and tracked, divergence, and whether its deviations are honest.
///
/// Squared normalised errors are those of a Gaussian only where it is known what happened. Where it is open whether line of sight was
/// lost, the tracker's own distribution is a mixture: errors are put through it and come out uniform if it is right, as normal scores
/// with mean square 1 (probability integral transform: Rosenblatt, Ann. Math. Stat. 23, 1952; Diebold, Gunther & Tay 1998).
struct WalkSection: RangingSection {
  /// Walks whose squared normalised errors are averaged step by step (Bar-Shalom, Li & Kirubarajan 2001, section 5.4).
  private static let ensemble = 50
  /// A track is lost where it is further off than this, m, for this long with the peer in line of sight, s.
  private static let lost = (distance: 3.0, time: 3.0)
  /// χ² of 50 degrees of freedom over 50: 2.5 % below, 2.5 % above.
  private static let bounds = 0.6471...1.4284

  func applies(to input: RangingEvaluationInput) -> Bool { input.walks > 0 }

  /// Walks of a case of the sensitivity table, at most.
  private static let fewer = 200

  private static let cases: [(name: String, walk: RangingWalk)] = {
    var clean = RangingWalk()
    clean.outliers = 0
    clean.clearTime = .infinity
    clean.gapInterval = 1e9
    return [("clean", clean), ("outliers, NLOS", blind), ("outliers, NLOS, classified", seen)]
  }()

  private static let blind = RangingWalk()
  private static let seen: RangingWalk = {
    var walk = RangingWalk()
    walk.classifierAccuracy = 0.88
    return walk
  }()

  /// Walks that are other than the tracker's settings, which stay: one thing changed at a time.
  private static let changes: [(name: String, change: @Sendable (inout RangingWalk) -> Void)] = [
    ("always LOS", { $0.clearTime = .infinity }),
    ("biases of 0.25 m", { $0.nonLineOfSightBias = 0.25 }),
    ("biases of 1 m", { $0.nonLineOfSightBias = 1 }),
    ("no outliers", { $0.outliers = 0 }),
    ("10 % outliers", { $0.outliers = 0.1 }),
    ("0.75 m/s", { $0.speed = 0.75 }),
    ("3 m/s", { $0.speed = 3 }),
    ("2 Hz", { $0.rate = 2 }),
    ("20 Hz", { $0.rate = 20 }),
    (
      "stretches half as long",
      {
        $0.clearTime = 5
        $0.obstructedTime = 1.5
      }
    ),
    (
      "stretches twice as long",
      {
        $0.clearTime = 20
        $0.obstructedTime = 6
      }
    ),
  ]

  /// Further shares of walks' states that the classifier tells.
  private static let accuracies = [0.7, 0.97]

  func evaluate(_ input: RangingEvaluationInput) throws -> RangingSectionResult {
    var errors = EvaluationTable(
      name: "simulated walks: distance errors", columns: ["case", "label", "stage"] + RangingErrors.columns)
    var honesty = EvaluationTable(
      name: "simulated walks: consistency",
      columns: Outcome.columns + ["azimuth_rms_deg", "azimuth_tracked_rms_deg", "azimuth_nees"])
    var sensitivity = EvaluationTable(name: "simulated walks: sensitivity", columns: Outcome.columns)
    var samples: [DistributionPicture.Sample] = []
    let count = min(input.walks, Self.fewer)
    let ticker = TrialTicker(
      label: "simulated walks",
      total: Self.cases.count * input.walks + (2 * Self.changes.count + Self.accuracies.count) * count, unit: "walks")
    defer { ticker.finish() }
    for (name, walk) in Self.cases {
      defer { ticker.add(input.walks) }
      let outcome = Outcome(walk, count: input.walks, seed: input.seed)
      for (label, group) in [("LOS", outcome.clear), ("NLOS", outcome.obstructed), ("all", outcome.all)] {
        guard !group.raw.errors.isEmpty else { continue }
        errors.add([.text(name), .text(label), .text("raw")] + group.raw.cells)
        errors.add([.text(name), .text(label), .text("delivered")] + group.delivered.cells)
      }
      honesty.add(
        outcome.cells(name, input.walks) + [
          .number(outcome.rawAzimuth.rms, places: 3), .number(outcome.azimuth.rms, places: 3),
          .number(outcome.azimuthSquares.mean, places: 3),
        ])
      if name == Self.cases.last?.name {
        samples = [outcome.all.raw.sample("raw"), outcome.all.delivered.sample("delivered")]
      }
    }
    for (kind, base) in [("unclassified", Self.blind), ("classified", Self.seen)] {
      for (name, change) in Self.changes {
        var walk = base
        change(&walk)
        defer { ticker.add(count) }
        sensitivity.add(Outcome(walk, count: count, seed: input.seed).cells("\(kind), \(name)", count))
      }
    }
    for accuracy in Self.accuracies {
      defer { ticker.add(count) }
      var walk = Self.seen
      walk.classifierAccuracy = accuracy
      let percent = Int((100 * accuracy).rounded())
      sensitivity.add(Outcome(walk, count: count, seed: input.seed).cells("classified, \(percent) % right", count))
    }
    var panel = DistributionPicture(title: "", samples: samples, scale: .logarithmic).panel
    panel.title = "Simulated walks, 1.5 m/s, 5 % outliers, line of sight lost now and then"
    return RangingSectionResult(
      tables: [errors, honesty, sensitivity], panels: [panel],
      sentence:
        "\(input.walks) simulated walks of each case: the table of consistency tells whether deviations are honest.")
  }

  private struct Group {
    var raw = RangingErrors()
    var delivered = RangingErrors()
  }

  private struct Mean {
    private var sum = 0.0
    private var count = 0
    var mean: Double? { count > 0 ? sum / Double(count) : nil }
    var rms: Double? { mean.map { $0.squareRoot() } }

    mutating func add(_ value: Double) {
      sum += value
      count += 1
    }
  }

  /// What the walks of one case came to.
  private struct Outcome {
    /// A normal score's probability is kept so far from 0 and 1.
    private static let rarest = 1e-12
    static let columns: [StaticString] = [
      "case", "walks", "diverged", "tracked_over_raw_rms", "within_1_sigma", "within_2_sigma", "nis", "nis_score",
      "nis_score_within_95", "nees", "nees_within_95", "nees_score", "nees_score_within_95",
    ]
    var clear = Group()
    var obstructed = Group()
    var all = Group()
    var diverged = 0
    var innovations = Mean()
    var squares = Mean()
    /// The same of normal scores: what a standard normal variable is below as likely as by the tracker's own distribution.
    var innovationScores = Mean()
    var scores = Mean()
    /// Of errors within one and two stated deviations.
    var coverage = (one: Mean(), two: Mean())
    var rawAzimuth = Mean()
    var azimuth = Mean()
    var azimuthSquares = Mean()
    /// Part of the steps at which an ensemble's mean squared error lies within its 95 % bounds.
    var within: Double?
    var scoresWithin: Double?
    var innovationScoresWithin: Double?

    /// Sums over an ensemble's walks at one step.
    private struct Sums {
      var squares = 0.0
      var scores = 0.0
      var innovationScores = 0.0
      var count = 0
    }

    init(_ walk: RangingWalk, count: Int, seed: UInt64) {
      var ensembles: [[Sums]] = []
      for index in 0..<count {
        if index % WalkSection.ensemble == 0 { ensembles.append([]) }
        run(walk.steps(seed: seed, walk: index), walk, into: &ensembles[ensembles.count - 1])
      }
      let all = ensembles.flatMap { $0.enumerated() }.filter { $0.element.count == WalkSection.ensemble }
      func inside(of steps: [Sums], _ sum: (Sums) -> Double) -> Double? {
        let inside = steps.filter { WalkSection.bounds.contains(sum($0) / Double($0.count)) }
        return steps.isEmpty ? nil : Double(inside.count) / Double(steps.count)
      }
      let steps = all.map(\.element)
      within = inside(of: steps) { $0.squares }
      scoresWithin = inside(of: steps) { $0.scores }
      // Nothing was predicted for a walk's first measurement.
      innovationScoresWithin = inside(of: all.filter { $0.offset > 0 }.map(\.element)) { $0.innovationScores }
    }

    func cells(_ name: String, _ walks: Int) -> [EvaluationTable.Cell] {
      let ratio = all.delivered.statistics.flatMap { tracked in all.raw.statistics.map { tracked.rms / $0.rms } }
      let numbers = [
        ratio, coverage.one.mean, coverage.two.mean, innovations.mean, innovationScores.mean,
        innovationScoresWithin, squares.mean, within, scores.mean, scoresWithin,
      ]
      return [.text(name), .count(walks), .count(diverged)] + numbers.map { .number($0, places: 3) }
    }

    private static func score(_ probability: Double) -> Double {
      NormalDistribution.quantile(min(max(probability, rarest), 1 - rarest))
    }

    private mutating func run(
      _ steps: [RangingWalk.Step], _ walk: RangingWalk, into ensemble: inout [Sums]
    ) {
      var tracker = PeerTracker()
      var lostSince: Double?
      var isLost = false
      for (index, step) in steps.enumerated() {
        let output = tracker.update(step.measurement, pose: step.pose)
        guard let raw = step.measurement.distance, let tracked = output.measurement.distance,
          let deviation = output.measurement.distanceDeviation
        else { continue }
        let error = tracked - step.distance
        func add(_ group: inout Group) {
          group.raw.add(raw - step.distance, deviation: walk.deviation)
          group.delivered.add(error, deviation: deviation)
        }
        add(&all)
        if step.isObstructed { add(&obstructed) } else { add(&clear) }
        let square = (error / deviation) * (error / deviation)
        squares.add(square)
        coverage.one.add(square <= 1 ? 1 : 0)
        coverage.two.add(square <= 4 ? 1 : 0)
        if index >= ensemble.count { ensemble.append(Sums()) }
        ensemble[index].squares += square
        ensemble[index].count += 1
        if let probability = tracker.probability(thatDistanceIsBelow: step.distance) {
          let score = Self.score(probability)
          scores.add(score * score)
          ensemble[index].scores += score * score
        }
        if let probability = output.innovationProbability {
          let score = Self.score(probability)
          innovationScores.add(score * score)
          ensemble[index].innovationScores += score * score
        }
        if let innovation = output.normalisedInnovation, !output.isOutlier { innovations.add(innovation * innovation) }
        if abs(error) > WalkSection.lost.distance, !step.isObstructed {
          let since = lostSince ?? step.measurement.time
          lostSince = since
          isLost = isLost || step.measurement.time - since > WalkSection.lost.time
        } else {
          lostSince = nil
        }
        if let angle = output.measurement.azimuth, let stated = output.measurement.azimuthDeviation,
          let seen = step.measurement.azimuth, !output.isOutlier
        {
          let turned = angle - step.azimuth
          let off = (turned - (turned / (2 * .pi)).rounded() * 2 * .pi).degrees
          let raw = (seen - step.azimuth).degrees
          azimuth.add(off * off)
          azimuthSquares.add(off * off / (stated.degrees * stated.degrees))
          rawAzimuth.add(raw * raw)
        }
      }
      if isLost || lostSince != nil { diverged += 1 }
    }
  }
}
