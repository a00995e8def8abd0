/// Weighs a list of paths against a first path before scattering, on one antenna or on several.
///
/// Both explain the same 16 taps y of each antenna m. ln of the density of the taps and of the first path's delay is
///
///     paths:  Σ_m [−J_m/v_m − 16·ln v_m] − Σ_k [Σ_m ln(1.75·SNR_km) + ln(12/(2.5·s_k))]    (`PathEvidence`; s_k: Cramér–Rao deviation, taps)
///     Rice:   ln of the mean of L over what scatters (`RiceLikelihood`) and over a pulse that is wrong, less ln of each amplitude's SNR
///
/// Paths are believed where they lead by `margin` for each path but the first: the more paths a fit needs, the likelier they stand for
/// more. Where a wrong pulse explains the taps better than scattering does, they need a larger lead: what a wrong pulse leaves looks like
/// further paths.
///
/// Several antennas count for more here than for the delay (`RiceWindow.evidence`): whether a few paths explain them is seen on each.
struct PathWeighing {
  let rice: RiceWindow
  /// ln of the mass of a first path before scattering, as the posterior of its delay has it.
  let scatteringLogMass: Double
  /// How far the evidence for paths has to lead for each path but the first, in ln of likelihood.
  let margin: Double

  /// Further lead that paths need for each but the first where a wrong pulse explains the taps.
  private static let misfitMargin = 8.0
  /// What noise alone leaves of an antenna's 16 taps beside three or four paths: a low estimate.
  private static let leastResidual = 14.0
  /// The last path of a list explains at least this share of what the others leave.
  private static let lastShare = 0.55
  /// A path that explains less is one of many. Fitted with the others, it leaves at least this share of what it would leave alone.
  private static let leastShare = 0.25
  /// What the weakest path that is believed costs, and how much more on each further antenna, where it may be weaker.
  private static let leastCost = (first: 7.4, further: 1.6)
  /// Taps: the deviation that paths among others are credited with as long as theirs is not known.
  private static let usualDeviation = 0.2
  private static let usualDelayCost = PathEvidence.delayCost(deviation: usualDeviation)

  /// The same as it counts against paths.
  private let evidence: Double

  init(_ rice: RiceWindow, scatteringLogMass: Double, margin: Double) {
    (self.rice, self.scatteringLogMass, self.margin) = (rice, scatteringLogMass, margin)
    evidence = rice.evidence(scatteringLogMass)
  }

  private var antennas: Double { Double(rice.antennaCount) }

  /// How far the evidence for paths has to lead.
  private func needed(_ count: Int) -> Double {
    // No number of paths makes up for an infinite one.
    guard margin.isFinite else { return margin }
    return (margin + (rice.isMisfit ? Self.misfitMargin : 0)) * Double(max(0, count - 1))
  }

  /// Whether paths neither lead nor could with one more.
  ///
  /// - Parameters:
  ///   - gain: the share of what is left that one more path at the best place would explain.
  ///   - residual: what the fit leaves of an antenna's window, a power.
  ///   - power: of a path on an antenna.
  func isBeaten(count: Int, gain: Double, residual: (Int) -> Double, power: (Int, Int) -> Double) -> Bool {
    var cost = needed(count)
    for path in 0..<count {
      cost += Self.usualDelayCost + rice.cost { power(path, $0) }
    }
    let further = cost + Self.leastCost.first + Self.leastCost.further * (antennas - 1) + needed(2)
    let noises = rice.noises(residual)
    let left = gain < Self.lastShare ? Self.leastShare * (1 - gain) * noises : 0
    return rice.logMass(noises: noises, cost: cost) < evidence
      && rice.logMass(noises: max(Self.leastResidual * antennas, left), cost: further) < evidence
  }

  /// ln of the mass of a fit's paths, those that reach into the window, beside `scatteringLogMass`.
  ///
  /// - Parameters:
  ///   - paths: as the fit found them.
  ///   - solution: of the fit.
  func logMass(
    _ paths: [PathEstimate], _ solution: PulseFit.Solution, residual: (Int) -> Double, power: (Int, Int) -> Double
  ) -> Double {
    let scale = (solution.variance / solution.usedVariance).squareRoot()
    var (cost, count) = (0.0, 0)
    for index in paths.indices where paths[index].delayTaps < Double(rice.firstTap + RiceTables.windowTaps) + 1 {
      let deviation = index == 0 ? solution.firstDeviation : paths[index].deviationTaps
      cost += PathEvidence.delayCost(deviation: scale * deviation) + rice.cost { power(index, $0) }
      count += 1
    }
    return scatteringLogMass + rice.logMass(noises: rice.noises(residual), cost: cost + needed(count)) - evidence
  }

  /// Adds a list of paths whose mass has this ln to the posterior of the first path's delay. Where the list is the likelier explanation, its
  /// first path takes the posterior's median and deviation.
  ///
  /// - Returns: what to put in the list's place; `nil` where the list stands.
  func scattering(beside own: Double, _ paths: inout [PathEstimate]) -> DelayPosterior.Summary? {
    guard own.isFinite else { return nil }
    rice.posterior.addPeak(own, delay: paths[0].delayTaps, deviation: paths[0].deviationTaps)
    guard let summary = rice.posterior.summary() else { return nil }
    guard own > scatteringLogMass else { return summary }
    (paths[0].delayTaps, paths[0].deviationTaps) = (summary.delay, summary.deviation)
    return nil
  }
}
