import Numerics
import TestSupport
import Testing
import UWBPlatform

@testable import UWBDSP

@Suite struct ArrayAdaptiveFitTests {
  private struct Bench {
    let fit: ArrayPulseFit
    let adaptive: ArrayAdaptiveFit
    let workspace: ArrayPulseFit.Workspace
    let antennas: Int
    var estimate: ArrayEstimate

    init(antennas: Int) {
      self.antennas = antennas
      fit = ArrayPulseFit(PulseFit())
      adaptive = ArrayAdaptiveFit(fit, antennaCount: antennas)
      workspace = fit.makeWorkspace(tapCount: OnsetTrials.tapCount, antennaCount: antennas)
      estimate = ArrayEstimate(antennaCount: antennas)
    }

    mutating func run(_ taps: [PreparedTaps], phases: [Double]? = nil) -> ArrayAdaptiveFit.Outcome {
      adaptive.estimate(
        taps, antennaCount: antennas, firstPathTaps: nil, phases: phases, into: &estimate, using: workspace)
    }
  }

  private static func taps(_ responses: [ChannelImpulseResponse]) -> [PreparedTaps] {
    responses.map { response in
      let taps = PreparedTaps(tapCount: OnsetTrials.tapCount)
      taps.load(response, antenna: 0)
      return taps
    }
  }

  /// ln L of several antennas is the sum of each one's by itself, times N^−0.8.
  @Test func likelihoodsAddUp() {
    var trials = OnsetTrials(seed: 81)
    let count = 3
    let taps = Self.taps((0..<count).map { _ in trials.rice(onset: 160.3, pathdB: 25, gap: 1, powerdB: 18) })
    let variances = [1.0, 2, 0.5]
    func load(_ likelihood: RiceLikelihood, _ antenna: Int, as place: Int) {
      likelihood.load(taps[antenna], firstTap: 152, variance: variances[antenna], antenna: place)
    }
    let joint = RiceLikelihood(ReceiverModel(), mostAntennas: count)
    for antenna in 0..<count { load(joint, antenna, as: antenna) }
    #expect(joint.run(into: DelayPosterior(), offset: 0))
    let singles = (0..<count).map { antenna -> RiceLikelihood in
      let single = RiceLikelihood(ReceiverModel())
      load(single, antenna, as: 0)
      #expect(single.run(into: DelayPosterior(), offset: 0))
      return single
    }
    let share = pow(Double(count), -0.8)
    #expect(abs(joint.energy - singles.reduce(0) { $0 + $1.energy }) < 1e-6 * joint.energy)
    for onset in [3, 20, 36, 50] {
      for place in RiceAlternative.all.indices {
        let prior = place < RiceAlternative.pathCount ? 0 : Double(RiceAlternative.softPrior)
        let terms = joint.terms(onset: onset, alternative: place)
        for lane in 0..<8 {
          let sum = singles.reduce(0) { $0 + Double($1.terms(onset: onset, alternative: place)[lane]) - prior }
          let rounding = 1e-5 * joint.energy + 0.01
          #expect(abs(Double(terms[lane]) - share * sum - prior) < rounding, "onset \(onset), \(place), lane \(lane)")
        }
      }
    }
  }

  /// An array of one is a single antenna: the same first path, but for windows that are scaled before they are fitted.
  @Test func oneAntennaIsAdaptiveFit() throws {
    var trials = OnsetTrials(seed: 82)
    var bench = Bench(antennas: 1)
    let single = AdaptiveFit()
    let workspace = single.makeWorkspace(tapCount: OnsetTrials.tapCount)
    var own = DelayEstimate()
    var different = 0
    for index in 0..<100 {
      let onset = 160 + trials.uniform()
      let taps = Self.taps([
        index % 2 == 0
          ? trials.rice(onset: onset, pathdB: 30, gap: 1.5, powerdB: 22)
          : trials.paths([(0, 28), (2.5, 31), (5.2, 29)], onset: onset)
      ])
      _ = bench.run(taps)
      single.estimate(taps[0], into: &own, using: workspace)
      let (path, other) = (try #require(bench.estimate.firstPath), try #require(own.firstPath))
      different += abs(path.delayTaps - other.delayTaps) > 0.1 * other.deviationTaps ? 1 : 0
    }
    #expect(different <= 5, "\(different) of 100")
  }

  /// The same first path on four antennas, before scattering of their own: nearer than on one, and no less honest.
  @Test(arguments: [UInt64(83), 84]) func fourAntennasBeatOne(seed: UInt64) throws {
    func errors(antennas: Int) throws -> (rms: Double, score: Double) {
      var trials = OnsetTrials(seed: seed)
      var bench = Bench(antennas: antennas)
      var (sum, score) = (0.0, 0.0)
      let count = 200
      for _ in 0..<count {
        let onset = 160 + trials.uniform()
        let all = (0..<4).map { _ in trials.rice(onset: onset, pathdB: 28, gap: 1.5, powerdB: 20) }
        _ = bench.run(Self.taps(Array(all[..<antennas])))
        let path = try #require(bench.estimate.firstPath)
        let error = path.delayTaps - onset
        sum += min(error * error, 16)
        score += min(error * error / (path.deviationTaps * path.deviationTaps), 9)
      }
      return ((sum / Double(count)).squareRoot(), score / Double(count))
    }
    let (one, four) = (try errors(antennas: 1), try errors(antennas: 4))
    #expect(four.rms < 0.8 * one.rms, "seed \(seed): \(four.rms) against \(one.rms) taps")
    #expect((0.1...2).contains(four.score) && (0.2...2).contains(one.score), "seed \(seed): \(four) and \(one)")
  }

  /// Antennas without signal take no part; phases that receivers added are taken off.
  @Test func antennasThatHearNothingAreLeftOut() throws {
    var trials = OnsetTrials(seed: 85)
    let heard = (0..<2).map { _ in trials.rice(onset: 160.4, pathdB: 30, gap: 1, powerdB: 24) }
    let none = ChannelImpulseResponse([Complex<Float>](repeating: .zero, count: OnsetTrials.tapCount))
    var (two, three) = (Bench(antennas: 2), Bench(antennas: 3))
    _ = two.run(Self.taps(heard))
    _ = three.run(Self.taps([heard[0], none, heard[1]]), phases: [0.5, 1, 2])
    let (path, other) = (try #require(two.estimate.firstPath), try #require(three.estimate.firstPath))
    #expect(abs(path.delayTaps - other.delayTaps) < 1e-9 && path.deviationTaps == other.deviationTaps)
    #expect(three.estimate.amplitudes[1] == .zero && three.estimate.phaseDeviations[1] == .infinity)
    for (place, antenna) in [0, 2].enumerated() {
      let expected = two.estimate.amplitudes[place] * Complex(length: 1, phase: -[0.5, 1, 2][antenna])
      #expect((three.estimate.amplitudes[antenna] - expected).length < 1e-6 * expected.length)
    }
  }

  @Test func aDirtyWorkspaceGivesTheSameBits() {
    var trials = OnsetTrials(seed: 86)
    var used = Bench(antennas: 2)
    for round in 0..<20 {
      let onset = 160 + trials.uniform()
      let taps = Self.taps(
        (0..<2).map { _ in
          round % 3 == 0
            ? trials.paths([(0, 30)], onset: onset)
            : trials.rice(onset: onset, pathdB: 26, gap: 2, powerdB: 22)
        })
      var fresh = Bench(antennas: 2)
      _ = used.run(taps)
      _ = fresh.run(taps)
      #expect(used.estimate == fresh.estimate, "round \(round)")
    }
  }
}
