import Numerics
import UWBPlatform

/// What the taps round a rough first path say of it, if scattering follows it: `RiceLikelihood` averaged over what scatters and over a
/// pulse that may be wrong.
///
/// All masses are densities of the window's taps times the density of the delay: what else explains the same taps can be added to
/// `posterior`. Where much of the mass lies at the window's start, the window moves.
final class RiceWindow {
  let receiver: ReceiverModel
  let likelihood: RiceLikelihood
  let posterior = DelayPosterior()
  private let noise: InBandNoise?
  @exclusivity(unchecked) private var noiseVariance = 0.0
  /// Noise and model error of a tap: densities are those of taps over √v.
  @exclusivity(unchecked) private(set) var variance = 0.0
  /// |h|² of the window's strongest tap.
  @exclusivity(unchecked) private var peak = 0.0
  /// `false` where the likelihood still rises towards an end of the window.
  @exclusivity(unchecked) private(set) var isInside = false
  /// Whether a pulse that is wrong is likelier than one that is right.
  @exclusivity(unchecked) private(set) var isMisfit = false

  /// Times that the window moves at the most, and by how many taps.
  private static let mostMoves = 4
  private static let earlier = 3
  private static let later = 2
  /// Of the posterior, in the first tap of its range: more moves the window.
  private static let earlyShare = 0.16
  /// Error of a pulse that is not the one that was assumed, relative to the strongest tap, and ln of how much rarer that is.
  private static let misfit = 0.06
  private static let misfitPrior = -1.0

  init(_ receiver: ReceiverModel, usesVectorUnits: Bool = VectorUnits.areThere) {
    self.receiver = receiver
    likelihood = RiceLikelihood(receiver, usesVectorUnits: usesVectorUnits)
    // Noise that is known to be correlated is whitened.
    noise = receiver.noise.isWhite ? InBandNoise(receiver) : nil
  }

  var firstTap: Int { likelihood.firstTap }

  /// Fills `posterior`; `false` where the taps are not finite.
  func find(_ taps: PreparedTaps, halfTap: Int) -> Bool {
    let rough = (halfTap + 1) / 2
    noiseVariance = max(taps.noiseVariance, noise?.variance(taps, before: rough) ?? 0)
    var first = rough - RiceTables.roughTap
    isInside = false
    for _ in 0...Self.mostMoves {
      posterior.reset(first: Double(first) + RiceTables.firstOnset)
      peak = RiceTables.strongestPower(taps, firstTap: first)
      variance = receiver.variance(noise: noiseVariance, peak: peak)
      likelihood.load(taps, firstTap: first, variance: variance)
      guard let likeliest = likelihood.run(into: posterior, offset: offset(variance)) else { return false }
      if posterior.holds(moreThan: Self.earlyShare, before: Double(first) + RiceTables.firstOnset + 1) {
        first -= Self.earlier
      } else if likeliest == RiceTables.onsetCount - 1 {
        first += Self.later
      } else {
        isInside = true
        break
      }
    }
    return addMisfit(taps)
  }

  /// The same with a pulse that is wrong by some per cent.
  private func addMisfit(_ taps: PreparedTaps) -> Bool {
    isMisfit = false
    let wide = variance + Self.misfit * Self.misfit * peak
    guard wide > 2 * variance else { return true }
    let before = posterior.logMass
    likelihood.load(taps, firstTap: firstTap, variance: wide)
    guard likelihood.run(into: posterior, offset: offset(wide) + Self.misfitPrior) != nil else { return false }
    isMisfit = posterior.logMass > before + log(2)
    return true
  }

  /// What turns ln L into ln of the density of the taps, the delay and all that is averaged over.
  private func offset(_ variance: Double) -> Double {
    logDensity(residual: likelihood.energy, variance) - likelihood.amplitudeCost
      - log(PathEvidence.delayRange * Double(8 * RiceAlternative.count))
  }

  /// ln of the density of the window's taps where `residual`, noise variances, is left of them.
  private func logDensity(residual: Double, _ variance: Double) -> Double {
    -residual - Double(RiceTables.windowTaps) * log(variance / self.variance)
  }

  /// Noise and model error for lists of paths: these stand or fall with the pulse, so that twice its error is allowed for.
  private var listVariance: Double { receiver.variance(noise: noiseVariance, peak: 4 * peak) }

  /// ln of the mass of a list of paths whose fit leaves `residual` of the window, a power, and that costs `cost`.
  func logMass(residual: Double, cost: Double) -> Double {
    logMass(noises: residual / listVariance, cost: cost)
  }

  /// The same if it left no more than `residual` noise variances.
  func logMass(noises residual: Double, cost: Double) -> Double {
    logDensity(residual: residual, listVariance) - cost
  }

  /// ln of what a path of a list costs.
  func cost(power: Double, deviation: Double) -> Double {
    PathEvidence.amplitudeCost(power: power / listVariance) + PathEvidence.delayCost(deviation: deviation)
  }

  /// The first path at the median of the posterior.
  func path(_ summary: DelayPosterior.Summary) -> PathEstimate {
    let own = likelihood.amplitude(delay: summary.delay - Double(firstTap))
    let power = max(own.amplitude.lengthSquared, .leastNormalMagnitude)
    return PathEstimate(
      delayTaps: summary.delay, amplitude: own.amplitude, deviationTaps: summary.deviation,
      phaseDeviation: min((own.variance / power).squareRoot(), .pi / 3.squareRoot()))
  }
}
