import Numerics
import UWBPlatform

/// The choice between a few paths and a continuum, over several antennas.
///
/// Both explain the same windows. The paths' evidence counts an amplitude for each path on each antenna; that of the
/// continuum is taken for scattering that is independent from antenna to antenna, with one onset: the antennas'
/// likelihoods (`OnsetLikelihood`) multiply. Cost: nothing where one path leaves nothing but noise, else some 5 µs an
/// antenna, and 10 µs more where the channel is dense.
final class ArrayOnset {
  private let dense: OnsetLikelihood
  /// How far the evidence for paths has to lead for each path but the first, in ln of likelihood.
  private static let margin = 2.0

  init(_ receiver: ReceiverModel) {
    dense = OnsetLikelihood(receiver)
  }

  /// Puts the onset in the place of the paths of `estimate` where the channel is dense; whether it did. Chips of their own
  /// keep their paths: their windows are not aligned.
  func replace(
    _ estimate: inout ArrayEstimate, _ taps: [PreparedTaps], phases: [Double]?,
    using workspace: ArrayPulseFit.Workspace
  ) -> Bool {
    let fit = workspace.fit
    guard let ending = workspace.ending, !estimate.paths.isEmpty, !fit.hasFreeShifts else { return false }
    let samples = Double(fit.sampleCount)
    if estimate.paths.count == 1 && ending.cost < samples + 3 * samples.squareRoot() { return false }
    // Where the CIR's end shifted the window, the tables' onsets are not where the first path may be.
    guard ending.firstTap > 0, ending.firstTap + OnsetTables.windowTaps < taps[0].count else { return false }
    let energy = evaluate(OnsetLikelihood.Stage.deciding, taps, ending, fit)
    let lead = evidence(estimate, ending, energy, fit) - dense.evidence()
    guard lead <= Self.margin * Double(estimate.paths.count - 1) else { return false }
    _ = evaluate(OnsetLikelihood.Stage.others, taps, ending, fit)
    guard let found = dense.locate() else { return false }
    report(found, &estimate, taps, phases, ending, fit)
    return true
  }

  /// Σ over antennas of ln L; the windows' energies over their variances.
  private func evaluate(
    _ stages: [OnsetLikelihood.Stage], _ taps: [PreparedTaps], _ ending: PulseFit.Ending, _ fit: ArrayPathFit
  ) -> Double {
    var energy = 0.0
    for stage in stages {
      dense.choose(stage)
      energy = 0
      var isFirst = true
      for antenna in 0..<fit.antennaCount where fit.takesPart(antenna) {
        load(taps, antenna, ending, fit)
        dense.evaluate(stage, adding: !isFirst)
        energy += dense.energy
        isFirst = false
      }
    }
    return energy
  }

  private func load(_ taps: [PreparedTaps], _ antenna: Int, _ ending: PulseFit.Ending, _ fit: ArrayPathFit) {
    let deviation = fit.deviations.pointer[antenna]
    dense.load(taps[antenna], firstTap: ending.firstTap, variance: deviation * deviation)
  }

  /// ln of the evidence for the paths found, against noise alone.
  private func evidence(
    _ estimate: ArrayEstimate, _ ending: PulseFit.Ending, _ energy: Double, _ fit: ArrayPathFit
  ) -> Double {
    var sum = energy - ending.cost
    // The bound at the assumed variance: the reported deviations count what the residual shows too.
    let scale = (ending.variance / ending.usedVariance).squareRoot()
    for (index, path) in estimate.paths.enumerated() {
      for antenna in 0..<fit.antennaCount where fit.takesPart(antenna) {
        let deviation = fit.deviations.pointer[antenna]
        let power = estimate.amplitude(path: index, antenna: antenna).lengthSquared / (deviation * deviation)
        sum -= PathEvidence.amplitudeCost(power: power)
      }
      sum -= PathEvidence.delayCost(deviation: scale * path.deviationTaps)
    }
    return sum
  }

  private func report(
    _ found: (delay: Double, deviation: Double), _ estimate: inout ArrayEstimate, _ taps: [PreparedTaps],
    _ phases: [Double]?, _ ending: PulseFit.Ending, _ fit: ArrayPathFit
  ) {
    estimate.reset(.ok, antennaCount: estimate.antennaCount)
    var strongest = 0.0
    var first: Int?
    for antenna in 0..<estimate.antennaCount {
      guard fit.takesPart(antenna) else {
        estimate.amplitudes.append(.zero)
        estimate.phaseDeviations.append(.infinity)
        continue
      }
      if first == nil { first = antenna }
      load(taps, antenna, ending, fit)
      let path = dense.amplitude(delay: found.delay)
      let turn = phases.map { Complex<Double>(length: 1, phase: -$0[antenna]) } ?? .one
      estimate.amplitudes.append(path.amplitude * turn)
      estimate.phaseDeviations.append(path.phaseDeviation)
      strongest = max(strongest, path.amplitude.lengthSquared / taps[antenna].noiseVariance)
    }
    estimate.paths.append(
      PathEstimate(
        delayTaps: found.delay, amplitude: estimate.amplitudes[first ?? 0], deviationTaps: found.deviation,
        phaseDeviation: estimate.phaseDeviations[first ?? 0]))
    estimate.snrdB = 10 * log10(max(strongest, .leastNormalMagnitude))
  }
}
