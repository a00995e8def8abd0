import Testing
import UWBDSP
import UWBSimulation

/// What the tracker has to reach on simulated walks. Walks last 60 s; 40 of them hold some hundred bursts, losses or gaps that decide.
@Suite struct TrackerTrialsTests {
  private static func trials(_ name: String, count: Int = 40) throws -> TrackerTrials {
    let found = try #require(TrackerTrials.cases.first { $0.name == name })
    return TrackerTrials(found.walk, count: count, seed: 77)
  }

  /// Bursts of 2 to 8 outliers that agree: no walk is off by more than half a metre for more than a second.
  @Test(arguments: [10, 50]) func burstsAreNotBelieved(rate: Int) throws {
    let trials = try Self.trials("bursts of 2–8 outliers, \(rate) Hz")
    #expect(trials.farCounts.raw > 500)
    #expect(trials.stuckCount == 0)
  }

  /// Noise that is not the stated 2.6 cm: errors are well below the measurements', the
  /// median is not pulled, and deviations are honest within a factor of two of the variance.
  @Test(arguments: [0.015, 0.03, 0.06, 0.1], ["still", "walking"]) func noiseIsLearned(noise: Double, peer: String)
    throws
  {
    let trials = try Self.trials("\(peer), \(noise) m of noise", count: 120)
    let ratio = trials.rms / trials.rawRMS
    #expect(ratio < (noise >= 0.1 ? 0.8 : noise >= 0.03 ? 0.85 : 0.95), "\(ratio)")
    #expect(abs(trials.median) < 0.3 * noise)
    #expect(trials.normalisedVariance > 0.5 && trials.normalisedVariance < 2, "\(trials.normalisedVariance)")
  }

  /// Line of sight lost for 3 s after 10 s, biases of half a metre, outliers and gaps: without a classifier, with one, and with one that errs
  /// for 3 s at a time. The second and third are no worse than the first.
  @Test func lostLineOfSight() throws {
    let none = try Self.trials("lost line of sight, no classifier", count: 120)
    let seen = try Self.trials("lost line of sight, 88 % right", count: 120)
    let spells = try Self.trials("lost line of sight, 88 % right, 3 s at a time", count: 120)
    for (trials, bound) in [(none, 0.12), (seen, 0.1), (spells, 0.11)] {
      #expect(trials.rms < bound * trials.rawRMS, "\(trials.rms), \(trials.rawRMS)")
    }
    #expect(seen.rms < none.rms)
  }

  @Test func gaps() throws {
    let trials = try Self.trials("gaps")
    let far = trials.farCounts
    #expect(far.raw > 200)
    #expect(Double(far.delivered) < 0.05 * Double(far.raw), "\(far)")
  }
}
