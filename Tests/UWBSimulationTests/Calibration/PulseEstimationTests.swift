import Testing
import UWBDSP

@testable import UWBSimulation

@Suite("calibration: pulse from ordinary captures")
struct PulseEstimationTests {
  /// The estimate from CIRs of one radio in rooms, and the radio's pulse.
  private static func estimate(
    _ pulse: ArenaPulse, count: Int = 300
  ) throws -> (estimate: PulseEstimation.Estimate, truth: PulseShape) {
    let family = ArenaFamily("x", .tuned, .room(blocked: false), pulse: pulse)
    let trials = ArenaTrials(family: family, seed: 5)
    var estimation = PulseEstimation()
    for index in 0..<count {
      let trial = trials.surveyTrial(index, radio: 0)
      estimation.add(trial.response, firstPathTaps: trial.firstPathTaps - 1)
    }
    #expect(estimation.count == count)
    return (try #require(estimation.estimate()), trials.pulses[0])
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
    #expect(estimate.phaseShare <= 0.25)
    #expect(Self.misfit(.measured(estimate.pulse), truth) < 0.06)
    #expect(try #require(estimate.modelError) < 0.1)
  }

  @Test("a causal filter's pulse keeps the minimum phase")
  func causal() throws {
    let (estimate, truth) = try Self.estimate(.exact(.dw1000))
    #expect(estimate.phaseShare >= 0.75)
    #expect(Self.misfit(.measured(estimate.pulse), truth) < 0.12)
  }

  @Test("without CIRs there is no pulse; with too few to hold one out, the minimum phase and no model error")
  func few() throws {
    #expect(PulseEstimation().estimate() == nil)
    let (estimate, _) = try Self.estimate(.exact(.dw1000), count: 3)
    #expect(estimate.phaseShare == 1 && estimate.modelError == nil)
  }
}
