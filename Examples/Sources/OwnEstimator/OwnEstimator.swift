// An estimator of your own: in the engine, and beside the default on simulated channels.
import Numerics
import UWBDSP
import UWBSimulation

/// Where the magnitude first reaches a third of the strongest tap's, between taps on a straight line.
struct FirstRise: DelayEstimator {
  final class Workspace {}

  func makeWorkspace(tapCount: Int) -> Workspace { Workspace() }

  func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    estimate.reset(.noFirstPath, noiseVariance: taps.noiseVariance)
    guard taps.isUsable, taps.peakPower > 0 else { return }
    let level = (taps.peakPower / 9).squareRoot()
    func magnitude(_ tap: Int) -> Double { Double(taps[tap].length) }
    guard let tap = (0..<taps.count).first(where: { magnitude($0) >= level }) else { return }
    let rise = magnitude(tap) - (tap > 0 ? magnitude(tap - 1) : 0)
    estimate.status = .ok
    estimate.paths.append(
      PathEstimate(
        delayTaps: Double(tap) - (magnitude(tap) - level) / rise,
        amplitude: Complex(Double(taps[tap].real), Double(taps[tap].imaginary)), deviationTaps: 0.3,
        phaseDeviation: (taps.noiseVariance / 2).squareRoot() / level))
  }
}

@main struct OwnEstimator {
  static func millimetres(_ length: Double?) -> Int { Int((1000 * (length ?? 0)).rounded()) }

  static func main() throws {
    let own = DelayMethod("first-rise", "crossing of a third of the strongest tap") { _ in FirstRise() }

    let engine = RangingEngine(.init(profile: .ideal, delay: own))
    print("the engine measures with", engine.configuration.delay)

    let channel = try Channel(pathList: "0:0dB,2:-3dB")
    let trials = DelayTrialGenerator(channel: channel, snrdB: 25, seed: 1)
    for row in DelayEvaluation(generator: trials, methods: [.adaptive, own], trialCount: 200).run() {
      print("\(row.estimator): \(millimetres(row.error?.rms)) mm rms, bound \(millimetres(row.bound)) mm")
    }
  }
}
