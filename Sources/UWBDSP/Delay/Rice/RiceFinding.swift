import Numerics
import UWBPlatform

/// What `RiceLikelihood` finds round a rough first path, and where its window stood.
struct RiceFinding {
  var firstTap: Int
  var outcome: RiceLikelihood.Outcome
  /// `false` where the likelihood still rises towards the window's end.
  var isInside: Bool
}

extension RiceLikelihood {
  /// Times that the window follows a likelihood that rises towards its end.
  static let mostMoves = 2

  /// Looks round a rough first path; `nil` where the taps are not finite.
  ///
  /// - Parameter variance: noise and model error of a tap in the window that begins at a tap.
  func find(_ taps: PreparedTaps, halfTap: Int, moves: Int = mostMoves, variance: (Int) -> Double) -> RiceFinding? {
    var first = (halfTap + 1) / 2 - RiceTables.roughTap
    var found: RiceFinding?
    for _ in 0...moves {
      load(taps, firstTap: first, variance: variance(first))
      guard let outcome = run() else { return nil }
      found = RiceFinding(firstTap: first, outcome: outcome, isInside: false)
      if outcome.crest == RiceTables.onset(0) {
        first -= 2
      } else if outcome.crest == RiceTables.onset(RiceTables.onsetCount - 1) {
        first += 2
      } else {
        found?.isInside = true
        break
      }
    }
    return found
  }

  /// The first path, and its power over that of the scattering behind it, the Rice factor; the window has to be the one of `finding`.
  func path(_ finding: RiceFinding) -> (path: PathEstimate, factor: Double) {
    let delay = finding.outcome.delay
    let own = amplitude(delay: delay)
    let excess = excess(delay: delay)
    let freedom = Double(RiceTables.windowTaps - 1)
    let scale = excess > 1 + 3 / freedom.squareRoot() ? excess.squareRoot() : 1
    let power = max(own.amplitude.lengthSquared, .leastNormalMagnitude)
    let path = PathEstimate(
      delayTaps: Double(finding.firstTap) + delay, amplitude: own.amplitude,
      deviationTaps: scale * finding.outcome.deviation,
      phaseDeviation: min(scale * (own.variance / power).squareRoot(), .pi / 3.squareRoot()))
    return (path, power / own.scattering)
  }

  /// ln of the evidence, against noise alone: the mean likelihood over delays, gaps and ρ for an amplitude that is a priori complex
  /// Gaussian of the power found.
  func evidence(_ finding: RiceFinding, _ path: PathEstimate) -> Double {
    let choices = Double(8 * RiceTables.gaps.count)
    return finding.outcome.logMass - log(PathEvidence.delayRange * choices)
      - max(0, log(path.amplitude.lengthSquared / variance))
  }
}
