import UWBDSP
import UWBReport
import UWBSimulation

/// The tracker on simulated walks: errors raw and tracked, divergence, and whether its deviations are honest.
struct WalkSection: RangingSection {
  /// Walks whose squared normalised errors are averaged step by step (Bar-Shalom, Li & Kirubarajan 2001, section 5.4).
  private static let ensemble = 50
  /// A track is lost where it is further off than this, m, for this long with the peer in line of sight, s.
  private static let lost = (distance: 3.0, time: 3.0)
  /// χ² of 50 degrees of freedom over 50: 2.5 % below, 2.5 % above.
  private static let bounds = 0.6471...1.4284

  func applies(to input: RangingEvaluationInput) -> Bool { input.walks > 0 }

  private static let cases: [(name: String, walk: RangingWalk)] = {
    var clean = RangingWalk()
    clean.outliers = 0
    clean.clearTime = .infinity
    clean.gapInterval = 1e9
    var blind = RangingWalk()
    blind.classifierAccuracy = nil
    var seen = RangingWalk()
    seen.classifierAccuracy = 0.88
    return [("clean", clean), ("outliers, NLOS", blind), ("outliers, NLOS, classified", seen)]
  }()

  func evaluate(_ input: RangingEvaluationInput) throws -> RangingSectionResult {
    var errors = EvaluationTable(
      name: "simulated walks: distance errors", columns: ["case", "label", "stage"] + RangingErrors.columns)
    var honesty = EvaluationTable(
      name: "simulated walks: consistency",
      columns: [
        "case", "walks", "diverged", "tracked_over_raw_rms", "nis", "nees", "nees_within_95", "azimuth_rms_deg",
        "azimuth_tracked_rms_deg", "azimuth_nees",
      ])
    var samples: [DistributionPicture.Sample] = []
    for (name, walk) in Self.cases {
      let outcome = Outcome(walk, count: input.walks, seed: input.seed)
      for (label, group) in [("LOS", outcome.clear), ("NLOS", outcome.obstructed), ("all", outcome.all)] {
        guard !group.raw.errors.isEmpty else { continue }
        errors.add([.text(name), .text(label), .text("raw")] + group.raw.cells)
        errors.add([.text(name), .text(label), .text("tracked")] + group.tracked.cells)
      }
      let ratio = outcome.all.tracked.statistics.flatMap { tracked in
        outcome.all.raw.statistics.map { tracked.rms / $0.rms }
      }
      honesty.add([
        .text(name), .count(input.walks), .count(outcome.diverged), .number(ratio, places: 3),
        .number(outcome.innovations.mean, places: 3), .number(outcome.squares.mean, places: 3),
        .number(outcome.within, places: 3), .number(outcome.rawAzimuth.rms, places: 3),
        .number(outcome.azimuth.rms, places: 3), .number(outcome.azimuthSquares.mean, places: 3),
      ])
      if name == Self.cases.last?.name {
        samples = [outcome.all.raw.sample("raw"), outcome.all.tracked.sample("tracked")]
      }
    }
    var panel = DistributionPicture(title: "", samples: samples, scale: .logarithmic).panel
    panel.title = "Simulated walks, 1.5 m/s, 5 % outliers, line of sight lost now and then"
    return RangingSectionResult(tables: [errors, honesty], panels: [panel])
  }

  private struct Group {
    var raw = RangingErrors()
    var tracked = RangingErrors()
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
    private static let degrees = 180 / Double.pi
    var clear = Group()
    var obstructed = Group()
    var all = Group()
    var diverged = 0
    var innovations = Mean()
    var squares = Mean()
    var rawAzimuth = Mean()
    var azimuth = Mean()
    var azimuthSquares = Mean()
    /// Part of the steps at which an ensemble's mean squared error lies within its 95 % bounds.
    var within: Double?

    init(_ walk: RangingWalk, count: Int, seed: UInt64) {
      var ensembles: [[(sum: Double, count: Int)]] = []
      for index in 0..<count {
        if index % WalkSection.ensemble == 0 { ensembles.append([]) }
        run(walk.steps(seed: seed, walk: index), walk, into: &ensembles[ensembles.count - 1])
      }
      let steps = ensembles.flatMap { $0 }.filter { $0.count == WalkSection.ensemble }
      let inside = steps.filter { WalkSection.bounds.contains($0.sum / Double($0.count)) }
      within = steps.isEmpty ? nil : Double(inside.count) / Double(steps.count)
    }

    private mutating func run(
      _ steps: [RangingWalk.Step], _ walk: RangingWalk, into ensemble: inout [(sum: Double, count: Int)]
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
          group.tracked.add(error, deviation: deviation)
        }
        add(&all)
        if step.isObstructed { add(&obstructed) } else { add(&clear) }
        let square = (error / deviation) * (error / deviation)
        squares.add(square)
        if index >= ensemble.count { ensemble.append((0, 0)) }
        ensemble[index].sum += square
        ensemble[index].count += 1
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
          let off = (turned - (turned / (2 * .pi)).rounded() * 2 * .pi) * Self.degrees
          azimuth.add(off * off)
          azimuthSquares.add(off * off / (stated * stated * Self.degrees * Self.degrees))
          rawAzimuth.add((seen - step.azimuth) * (seen - step.azimuth) * Self.degrees * Self.degrees)
        }
      }
      if isLost || lostSince != nil { diverged += 1 }
    }
  }
}
