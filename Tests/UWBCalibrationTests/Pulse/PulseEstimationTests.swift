import Testing
import UWBDSP

@testable import UWBCalibration
@testable import UWBSimulation

@Suite("calibration: pulse from ordinary captures")
struct PulseEstimationTests {
  /// The estimate from CIRs of one radio in rooms, and the radio's pulse.
  private static func estimate(
    _ pulse: ArenaPulse, near known: PulseShape? = nil, channel: ArenaChannel = .room(blocked: false), radio: Int = 0,
    count: Int = 300
  ) throws -> (estimate: PulseEstimation.Estimate, truth: PulseShape) {
    let family = ArenaFamily("x", .tuned, channel, pulse: pulse)
    let trials = ArenaTrials(family: family, seed: 5)
    var estimation = PulseEstimation(near: known)
    for index in 0..<count {
      let trial = trials.surveyTrial(index, radio: radio)
      estimation.add(trial.response, firstPathTaps: trial.firstPathTaps - 1)
    }
    #expect(estimation.count == count)
    return (try #require(estimation.estimate()), trials.pulses[radio])
  }

  /// √(1 − ρ²) over −4 … +6 taps, with ρ the largest correlation over shifts up to a tap.
  private static func misfit(_ pulse: PulseShape, _ truth: PulseShape) -> Double {
    let taps = Array(stride(from: -4.0, through: 6, by: 0.125))
    func product(_ shift: Double, _ one: PulseShape, _ other: PulseShape) -> Double {
      taps.reduce(0) { $0 + one(($1 - shift) * UWB.tap) * other($1 * UWB.tap) }
    }
    let best =
      stride(from: -1.0, through: 1, by: 1.0 / 64).map { shift in
        let energy = taps.reduce(0) { $0 + pulse(($1 - shift) * UWB.tap) * pulse(($1 - shift) * UWB.tap) }
        let correlation = product(shift, pulse, truth)
        return correlation * correlation / energy
      }.max() ?? 0
    return max(0, 1 - best / product(0, truth, truth)).squareRoot()
  }

  @Test(
    "a matched receiver's symmetric pulse is found",
    arguments: [.exact(.standard), .rootRaisedCosine, ArenaPulse.gaussian])
  func symmetric(_ pulse: ArenaPulse) throws {
    let (estimate, truth) = try Self.estimate(pulse)
    #expect([.minimum(share: 0), .minimum(share: 0.25)].contains(estimate.phase))
    #expect(Self.misfit(.measured(estimate.pulse), truth) < 0.06)
    #expect((0.01...0.03).contains(try #require(estimate.modelError)))
  }

  @Test("a causal filter's pulse keeps the minimum phase")
  func causal() throws {
    let (estimate, truth) = try Self.estimate(.exact(.dw1000))
    #expect([.minimum(share: 0.75), .minimum(share: 1)].contains(estimate.phase))
    #expect(Self.misfit(.measured(estimate.pulse), truth) < 0.12)
  }

  @Test(
    "boards' pulses are found near that of their kind", arguments: [PulseShape.standard, .dw1000],
    [ArenaChannel.room(blocked: false), .salehValenzuela(lineOfSight: true), .twoPaths])
  func board(_ kind: PulseShape, _ channel: ArenaChannel) throws {
    var (after, before) = (0.0, 0.0)
    for radio in 0..<8 {
      let (estimate, truth) = try Self.estimate(.misfit(kind), near: kind, channel: channel, radio: radio)
      let (found, own) = (Self.misfit(.measured(estimate.pulse), truth), Self.misfit(kind, truth))
      #expect(found < 1.1 * own, "radio \(radio): \(found), \(own) before, \(estimate.phase)")
      after += found
      before += own
    }
    #expect(after < 0.6 * before)
  }

  @Test("where the known pulse is another kind's, the radio's own is found", arguments: [PulseShape.standard, .dw1000])
  func otherKind(_ known: PulseShape) throws {
    let pulse = known == .dw1000 ? PulseShape.standard : .dw1000
    let (estimate, truth) = try Self.estimate(.exact(pulse), near: known)
    #expect(Self.misfit(.measured(estimate.pulse), truth) < 0.25 * Self.misfit(known, truth), "\(estimate.phase)")
  }

  @Test("without CIRs there is no pulse; with too few to hold one out, the minimum phase and no model error")
  func few() throws {
    #expect(PulseEstimation().estimate() == nil)
    let (estimate, _) = try Self.estimate(.exact(.dw1000), count: 3)
    #expect(estimate.phase == .minimum(share: 1) && estimate.modelError == nil)
  }
}
