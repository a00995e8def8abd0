import Numerics
import UWBPlatform

/// `AdaptiveFit` over several antennas of one chip: the same explanations of the same windows, weighed the same way (`PathWeighing`).
///
/// The antennas share the first path's delay. Each has amplitudes of its own, and scattering that is independent from antenna to antenna but
/// begins at the same time and is as strong. The travel across the array is left out where there is scattering: half a wavelength is a
/// twentieth of a tap. Chips of their own keep their list of paths: their windows are not aligned.
final class ArrayAdaptiveFit {
  private let fit: ArrayPulseFit
  private let rice: RiceWindow
  /// Antennas that take part, in the order in which `rice` has them.
  private let used: AlignedBuffer<Int>
  /// Variance of each antenna's amplitude for not knowing the delay.
  private let amplitudeVariances: AlignedBuffer<Double>
  /// Each antenna's amplitude at the delay, and a deviation off.
  @exclusivity(unchecked) private var here: [RiceLikelihood.Amplitude]
  @exclusivity(unchecked) private var moved: [Complex<Double>]
  /// As that of `AdaptiveFit`.
  private static let margin = 2.0

  /// What stands at the end.
  enum Outcome {
    /// Nothing, or what the estimate's status says.
    case none
    /// A list of paths, whose first is moved by `shift` taps and as uncertain as `addedVariance`, taps², more than the fit found.
    case paths(shift: Double, addedVariance: Double)
    /// One path before scattering.
    case scattering
  }

  init(_ fit: ArrayPulseFit, antennaCount: Int) {
    self.fit = fit
    rice = RiceWindow(fit.paths.receiver, mostAntennas: antennaCount)
    used = AlignedBuffer(count: antennaCount, zero: 0)
    amplitudeVariances = AlignedBuffer(count: antennaCount, zero: 0)
    here = [RiceLikelihood.Amplitude](repeating: (.zero, 0), count: antennaCount)
    moved = [Complex<Double>](repeating: .zero, count: antennaCount)
  }

  /// Fills `estimate`; parameters as those of `ArrayPulseFit.estimate`.
  func estimate(
    _ taps: [PreparedTaps], antennaCount: Int, firstPathTaps: [Double]?, phases: [Double]?,
    into estimate: inout ArrayEstimate, using workspace: ArrayPulseFit.Workspace
  ) -> Outcome {
    let outcome = weigh(
      taps, antennaCount: antennaCount, firstPathTaps: firstPathTaps, phases: phases, into: &estimate, using: workspace)
    let ambiguity = workspace.ambiguityVariance
    guard ambiguity > 0, !estimate.paths.isEmpty else { return outcome }
    estimate.paths[0].add(variance: ambiguity)
    guard case .paths(let shift, let addedVariance) = outcome else { return outcome }
    return .paths(shift: shift, addedVariance: addedVariance + ambiguity)
  }

  private func weigh(
    _ taps: [PreparedTaps], antennaCount: Int, firstPathTaps: [Double]?, phases: [Double]?,
    into estimate: inout ArrayEstimate, using workspace: ArrayPulseFit.Workspace
  ) -> Outcome {
    guard
      let windows = fit.begin(
        taps, antennaCount: antennaCount, asksForGaps: true, firstPathTaps: firstPathTaps, phases: phases,
        into: &estimate, using: workspace)
    else { return estimate.paths.isEmpty ? .none : .paths(shift: 0, addedVariance: 0) }
    let model = workspace.fit
    func fitPaths(isBeaten: (Int, Double) -> Bool = { _, _ in false }) -> Bool {
      fit.fitPaths(in: windows, taps, phases: phases, into: &estimate, using: workspace, isBeaten: isBeaten)
    }
    func keepPaths() -> Outcome {
      fit.addRefusedPath(to: &estimate, using: workspace)
      return .paths(shift: 0, addedVariance: 0)
    }
    // Where one path leaves little more than noise, paths are asked first: mostly that is all, and scattering need not be looked for.
    let isFittedFirst = windows.isNear || model.hasFreeShifts
    if isFittedFirst, !fitPaths() || isAlone(estimate, workspace) { return keepPaths() }
    guard let scatteringLogMass = find(windows, taps, model) else {
      if !isFittedFirst { _ = fitPaths() }
      return keepPaths()
    }
    guard !windows.isCrowded else { return deliver(rice.posterior.summary(), taps, phases, into: &estimate) }
    let weighing = PathWeighing(rice, scatteringLogMass: scatteringLogMass, margin: Self.margin)
    let first = rice.firstTap - windows.firstTap
    func residual(_ place: Int) -> Double {
      let antenna = used.pointer[place]
      let deviation = model.deviations.pointer[antenna]
      return model.antennas[antenna].residualPower(in: first..<first + RiceTables.windowTaps) * deviation * deviation
    }
    func power(_ path: Int, _ place: Int) -> Double {
      model.amplitude(path, antenna: used.pointer[place]).lengthSquared
    }
    let isFitted =
      isFittedFirst
      || fitPaths { weighing.isBeaten(count: $0, gain: $1, residual: residual, power: power) }
    guard isFitted, let solution = workspace.solution, let fitted = estimate.paths.first else {
      return deliver(rice.posterior.summary(), taps, phases, into: &estimate)
    }
    let own = weighing.logMass(estimate.paths, solution, residual: residual, power: power)
    fit.addRefusedPath(to: &estimate, using: workspace)
    let stated = estimate.paths[0].deviationTaps
    if let summary = weighing.scattering(beside: own, &estimate.paths) {
      return deliver(summary, taps, phases, into: &estimate)
    }
    let weighed = estimate.paths[0]
    return .paths(
      shift: weighed.delayTaps - fitted.delayTaps,
      addedVariance: max(0, weighed.deviationTaps * weighed.deviationTaps - stated * stated))
  }

  /// Whether what was fitted is one path that leaves no more than noise does once in a thousand times; or cannot be weighed: chips of their own.
  private func isAlone(_ estimate: ArrayEstimate, _ workspace: ArrayPulseFit.Workspace) -> Bool {
    let model = workspace.fit
    guard !model.hasFreeShifts, let solution = workspace.solution else { return true }
    let samples = Double(model.sampleCount)
    return estimate.paths.count == 1 && solution.cost < samples + 3 * samples.squareRoot()
  }

  /// ln of the mass of what scattering makes of the antennas that take part; `nil` where their taps are not finite.
  private func find(_ windows: ArrayPulseFit.Windows, _ taps: [PreparedTaps], _ model: ArrayPathFit) -> Double? {
    var count = 0
    for antenna in 0..<model.antennaCount where model.takesPart(antenna) {
      used.pointer[count] = antenna
      count += 1
    }
    guard rice.find(antennas: count, halfTap: windows.halfTap, { taps[used.pointer[$0]] }) else { return nil }
    let mass = rice.posterior.logMass
    return mass.isFinite ? mass : nil
  }

  /// Puts the first path before scattering in the place of what `estimate` holds.
  private func deliver(
    _ summary: DelayPosterior.Summary?, _ taps: [PreparedTaps], _ phases: [Double]?, into estimate: inout ArrayEstimate
  ) -> Outcome {
    guard let summary else { return .none }
    estimate.reset(rice.isInside ? .ok : .didNotConverge, antennaCount: estimate.antennaCount)
    measureAmplitudeVariances(summary)
    var (place, strongest) = (0, 0.0)
    for antenna in 0..<estimate.antennaCount {
      guard place < rice.antennaCount, used.pointer[place] == antenna else {
        estimate.amplitudes.append(.zero)
        estimate.phaseDeviations.append(.infinity)
        continue
      }
      var path = rice.path(summary, here[place], addedVariance: amplitudeVariances.pointer[place])
      strongest = max(strongest, path.amplitude.lengthSquared / taps[antenna].noiseVariance)
      if let phases { path.amplitude *= Complex(length: 1, phase: -phases[antenna]) }
      estimate.amplitudes.append(path.amplitude)
      estimate.phaseDeviations.append(path.phaseDeviation)
      if place == 0 { estimate.paths.append(path) }
      place += 1
    }
    estimate.snrdB = 10 * log10(max(strongest, .leastNormalMagnitude))
    return .scattering
  }

  /// Fills `here` and `amplitudeVariances`: how the amplitudes change, against each other, within a deviation of the delay. A phase that all
  /// antennas share is left out: it does not change the direction.
  private func measureAmplitudeVariances(_ summary: DelayPosterior.Summary) {
    amplitudeVariances.pointer.update(repeating: 0, count: rice.antennaCount)
    for place in 0..<rice.antennaCount { here[place] = rice.amplitude(delay: summary.delay, antenna: place) }
    for side in [-1.0, 1.0] {
      var (common, power) = (Complex<Double>.zero, 0.0)
      for place in 0..<rice.antennaCount {
        moved[place] = rice.amplitude(delay: summary.delay + side * summary.deviation, antenna: place).amplitude
        common += moved[place] * here[place].amplitude.conjugate
        power += here[place].amplitude.lengthSquared
      }
      guard power > 0 else { return }
      let ratio = common / Complex(power)
      for place in 0..<rice.antennaCount {
        amplitudeVariances.pointer[place] += (moved[place] - ratio * here[place].amplitude).lengthSquared / 4
      }
    }
  }
}
