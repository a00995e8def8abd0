import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct CrowdedTapsTests {
  private static let onset = 160.0
  private static let halfTap = 2 * Int(onset)

  private static func load(_ response: ChannelImpulseResponse) -> PreparedTaps {
    let taps = PreparedTaps(tapCount: response.tapCount)
    taps.load(response, antenna: 0)
    return taps
  }

  private static func isCrowded(_ taps: PreparedTaps) -> Bool {
    CrowdedTaps.follow(halfTap, antennas: 1) { _ in taps }
  }

  /// By its definition, at each half tap, for antennas of which one takes no part.
  @Test(arguments: 1...3, [UInt64(31), 32]) func gapsAreCounted(antennas: Int, seed: UInt64) {
    var trials = OnsetTrials(seed: seed)
    let all = (0..<antennas).map { _ in
      Self.load(trials.rice(onset: 100 + 100 * trials.uniform(), pathdB: 14, gap: 2, powerdB: 16))
    }
    let silent = antennas > 2 ? 1 : nil
    let used = all.indices.filter { $0 != silent }.map { all[$0] }
    let noise = used.reduce(0) { $0 + $1.noiseVariance }
    let peak = used.reduce(0) { $0 + $1.peakPower }
    var answers: Set<Bool> = []
    for halfTap in 0..<2 * OnsetTrials.tapCount {
      let found = CrowdedTaps.follow(halfTap, antennas: antennas) { $0 == silent ? nil : all[$0] }
      let start = halfTap / 2 + 4
      guard start + 12 < OnsetTrials.tapCount else {
        #expect(!found, "half tap \(halfTap), seed \(seed)")
        continue
      }
      let gaps = (start..<start + 11).filter { tap in
        let power = used.reduce(0.0) {
          $0 + Double($1[tap].lengthSquared) + Double($1[tap + 1].lengthSquared)
        }
        return power / 2 < max(4 * noise, 0.02 * peak)
      }
      let beyond = (20..<84).map { halfTap / 2 + $0 }.filter { $0 < OnsetTrials.tapCount }
      let tail = used.reduce(0.0) { sum, taps in
        sum + beyond.reduce(0.0) { $0 + Double(taps[$1].lengthSquared) } / Double(max(beyond.count, 1))
      }
      #expect(
        found == (gaps.count <= 2 && tail > 1.5 * noise),
        "half tap \(halfTap), seed \(seed): \(gaps.count) gaps, \(tail) over \(noise)")
      answers.insert(found)
    }
    #expect(answers == [true, false])
  }

  /// Lists that leave gaps, and two that fill the window but end there.
  private static let lists =
    AdaptiveFitTests.lists + [[(0, 35), (4, 35), (7, 35), (11, 35)], [(0, 20), (6, 30), (9, 30), (13, 30)]]

  /// What no list of a few paths is taken for, whatever their phases.
  @Test(arguments: lists.indices) func aFewPathsAreNoCrowd(index: Int) {
    var trials = OnsetTrials(seed: 33)
    for trial in 0..<300 {
      let taps = Self.load(trials.paths(Self.lists[index], onset: Self.onset + trials.uniform()))
      #expect(!Self.isCrowded(taps), "trial \(trial), seed 33")
    }
  }

  /// Scattering leaves hardly any. The default estimator then says what the one for scattering says.
  @Test func scatteringFillsThem() throws {
    var trials = OnsetTrials(seed: 34)
    let (adaptive, rice) = (AdaptiveFit(), RiceFit())
    let (own, other) = (
      adaptive.makeWorkspace(tapCount: OnsetTrials.tapCount), rice.makeWorkspace(tapCount: OnsetTrials.tapCount)
    )
    var (estimate, expected) = (DelayEstimate(), DelayEstimate())
    var crowded = 0
    for trial in 0..<300 {
      let taps = Self.load(trials.continuum(onset: Self.onset + trials.uniform(), powerdB: 32))
      adaptive.estimate(taps, into: &estimate, using: own)
      let search = FirstPathSearch(ReceiverModel())
      let finding = search.run(taps, using: FirstPathSearch.Workspace(tapCount: OnsetTrials.tapCount))
      let halfTap = try #require(finding.halfTap)
      guard CrowdedTaps.follow(halfTap, antennas: 1, { _ in taps }) else { continue }
      crowded += 1
      rice.estimate(taps, into: &expected, using: other)
      #expect(estimate.firstPath == expected.firstPath, "trial \(trial), seed 34")
      #expect(estimate.status == expected.status)
    }
    // Gaps by fading are left to chance; two in three scattering channels this strong have hardly any.
    #expect(crowded > 200, "\(crowded) of 300")
  }
}
