import UWBDSP
import UWBReport
import UWBSimulation

/// The tracker on one kind of trouble at a time: bursts of outliers, noise that is not the stated one, lost line of sight, gaps.
struct TrackerSection: RangingSection {
  func applies(to input: RangingEvaluationInput) -> Bool { input.walks > 0 }

  func evaluate(_ input: RangingEvaluationInput) throws -> RangingSectionResult {
    var table = EvaluationTable(
      name: "simulated walks: trouble",
      columns: [
        "case", "walks", "raw_rms_m", "tracked_rms_m", "tracked_over_raw_rms", "median_m", "normalised_variance",
        "raw_over_half_metre", "tracked_over_half_metre", "walks_stuck",
      ])
    for one in TrackerTrials.cases {
      let trials = TrackerTrials(one.walk, count: input.walks, seed: input.seed)
      let far = trials.farCounts
      table.add([
        .text(one.name), .count(input.walks), .number(trials.rawRMS, places: 4), .number(trials.rms, places: 4),
        .number(trials.rawRMS > 0 ? trials.rms / trials.rawRMS : nil, places: 3), .number(trials.median, places: 4),
        .number(trials.normalisedVariance, places: 3), .count(far.raw), .count(far.delivered),
        .count(trials.stuckCount),
      ])
    }
    return RangingSectionResult(tables: [table])
  }
}
