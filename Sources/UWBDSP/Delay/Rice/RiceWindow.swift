import Numerics
import UWBPlatform

/// What the taps round a rough first path say of it, if scattering follows it: `RiceLikelihood` averaged over what scatters and over a
/// pulse that may be wrong, on one antenna or on several that hear the same first path.
///
/// All masses are densities of the window's taps times the density of the delay: what else explains the same taps can be added to
/// `posterior`. Where much of the mass lies at the window's start, the window moves.
final class RiceWindow {
  let receiver: ReceiverModel
  let likelihood: RiceLikelihood
  let posterior = DelayPosterior()
  private let noise: InBandNoise?
  /// An antenna's part.
  private struct Part {
    var noiseVariance = 0.0
    /// |h|² of the window's strongest tap.
    var peak = 0.0
    /// Noise and model error of a tap: densities are those of taps over √v.
    var variance = 0.0
  }
  private let parts: AlignedBuffer<Part>
  /// ln of the largest density of the taps, as the likelihood has it.
  @exclusivity(unchecked) private var highest = -Double.infinity
  @exclusivity(unchecked) private(set) var antennaCount = 0
  /// `false` where the likelihood still rises towards an end of the window.
  @exclusivity(unchecked) private(set) var isInside = false
  /// Whether a pulse that is wrong is likelier than one that is right.
  @exclusivity(unchecked) private(set) var isMisfit = false

  /// rad: standard deviation of a phase of which nothing is known.
  private static let unknownPhase = Double.pi / 3.squareRoot()

  /// Times that the window moves at the most, and by how many taps.
  private static let mostMoves = 4
  private static let earlier = 3
  private static let later = 2
  /// Of the posterior, in the first tap of its range: more moves the window.
  private static let earlyShare = 0.16
  /// Error of a pulse that is not the one that was assumed, relative to the strongest tap, and ln of how much rarer that is.
  private static let misfit = 0.06
  private static let misfitPrior = -1.0

  init(_ receiver: ReceiverModel, mostAntennas: Int = 1) {
    self.receiver = receiver
    likelihood = RiceLikelihood(receiver, mostAntennas: mostAntennas)
    parts = AlignedBuffer(count: mostAntennas, zero: Part())
    // Noise that is known to be correlated is whitened.
    noise = receiver.noise.isWhite ? InBandNoise(receiver) : nil
  }

  var firstTap: Int { likelihood.firstTap }
  /// Noise and model error of a tap on an antenna.
  func variance(antenna: Int = 0) -> Double { parts.pointer[antenna].variance }

  /// Fills `posterior`; `false` where the taps are not finite.
  func find(_ taps: PreparedTaps, halfTap: Int) -> Bool { find(antennas: 1, halfTap: halfTap) { _ in taps } }

  /// The same for so many antennas.
  func find(antennas count: Int, halfTap: Int, _ taps: (Int) -> PreparedTaps) -> Bool {
    antennaCount = count
    let rough = (halfTap + 1) / 2
    for antenna in 0..<count {
      let own = taps(antenna)
      parts.pointer[antenna].noiseVariance = max(own.noiseVariance, noise?.variance(own, before: rough) ?? 0)
    }
    var first = rough - RiceTables.roughTap
    isInside = false
    for _ in 0...Self.mostMoves {
      posterior.reset(first: Double(first) + RiceTables.firstOnset)
      for antenna in 0..<count {
        let peak = RiceTables.strongestPower(taps(antenna), firstTap: first)
        parts.pointer[antenna].peak = peak
        parts.pointer[antenna].variance = receiver.variance(noise: parts.pointer[antenna].noiseVariance, peak: peak)
      }
      for antenna in 0..<count {
        likelihood.load(taps(antenna), firstTap: first, variance: variance(antenna: antenna), antenna: antenna)
      }
      guard likelihood.run(into: posterior, offset: offset { $0.variance }) else { return false }
      highest = Double(likelihood.best) + density { $0.variance }
      if posterior.holds(moreThan: Self.earlyShare, before: Double(first) + RiceTables.firstOnset + 1) {
        first -= Self.earlier
      } else if likelihood.risesToTheEnd {
        first += Self.later
      } else {
        isInside = true
        break
      }
    }
    return addMisfit()
  }

  /// The same with a pulse that is wrong by some per cent. Amplitudes allow for it, also where it is not: they err less so.
  private func addMisfit() -> Bool {
    func wide(_ part: Part) -> Double { part.variance + Self.misfit * Self.misfit * part.peak }
    isMisfit = false
    var isTold = false
    for antenna in 0..<antennaCount where wide(parts.pointer[antenna]) > 2 * variance(antenna: antenna) {
      isTold = true
    }
    guard isTold else { return true }
    let (before, right) = (posterior.logMass, Double(likelihood.best) + offset { $0.variance })
    likelihood.setVariances { wide(parts.pointer[$0]) }
    guard likelihood.run(into: posterior, offset: offset(wide) + Self.misfitPrior, beside: right) else {
      return false
    }
    highest = max(highest, Double(likelihood.best) + density(wide))
    isMisfit = posterior.logMass > before + log(2)
    return true
  }

  /// ln of the delays, alternatives and ρ that are averaged over.
  private static let averaged = log(PathEvidence.delayRange * Double(8 * RiceAlternative.count))

  /// What turns ln L into ln of the density of the taps and of all that is averaged over.
  private func offset(_ variance: (Part) -> Double) -> Double {
    density(variance) - Self.averaged
  }

  /// What turns ln L into ln of the density of the taps.
  private func density(_ variance: (Part) -> Double) -> Double {
    let share = likelihood.share
    return logDensity(residual: likelihood.energy, share: share, variance) - share * likelihood.amplitudeCost
  }

  /// ln of the density of the windows' taps where `residual`, noise variances, is left of them.
  private func logDensity(residual: Double, share: Double, _ variance: (Part) -> Double) -> Double {
    var sum = 0.0
    for antenna in 0..<antennaCount {
      let part = parts.pointer[antenna]
      sum += log(variance(part) / part.variance)
    }
    return share * (-residual - Double(RiceTables.windowTaps) * sum)
  }

  /// Of each antenna's ln of density where explanations are weighed against each other: N of them count as √N would.
  private var weight: Double { 1 / Double(antennaCount).squareRoot() }

  /// ln of the mass of a first path before scattering with that weight of each antenna, where `logMass` is that of the posterior.
  ///
  /// Densities are raised to a power, at their maximum. The region that holds the mass shrinks, in delay, ρ and gap.
  func evidence(_ logMass: Double) -> Double {
    let power = weight / likelihood.share
    return logMass + (power - 1) * highest - 1.5 * log(power)
  }

  /// Noise and model error for lists of paths: these stand or fall with the pulse, so that twice its error is allowed for.
  private func listVariance(_ part: Part) -> Double {
    receiver.variance(noise: part.noiseVariance, peak: 4 * part.peak)
  }

  /// What a list of paths leaves of all windows, noise variances, where it leaves the power `residual` of each.
  func noises(_ residual: (Int) -> Double) -> Double {
    var sum = 0.0
    for antenna in 0..<antennaCount { sum += residual(antenna) / listVariance(parts.pointer[antenna]) }
    return sum
  }

  /// ln of the mass of a list of paths that leaves so many noise variances and costs `cost`.
  func logMass(noises residual: Double, cost: Double) -> Double {
    logDensity(residual: residual, share: weight, listVariance) - cost
  }

  /// ln of what the amplitudes of a list's path cost that have this power on each antenna.
  func cost(power: (Int) -> Double) -> Double {
    var sum = 0.0
    for antenna in 0..<antennaCount {
      sum += PathEvidence.amplitudeCost(power: power(antenna) / listVariance(parts.pointer[antenna]))
    }
    return weight * sum
  }

  /// The first path's amplitude if it lies at `delay`, as an antenna sees it.
  func amplitude(delay: Double, antenna: Int) -> RiceLikelihood.Amplitude {
    likelihood.amplitude(delay: delay - Double(firstTap), antenna: antenna)
  }

  /// The first path at the median of the posterior, as the first antenna sees it.
  func path(_ summary: DelayPosterior.Summary) -> PathEstimate {
    path(summary, amplitude(delay: summary.delay, antenna: 0), addedVariance: 0)
  }

  /// The same with an antenna's amplitude there.
  ///
  /// - Parameter addedVariance: variance that the amplitude's real and imaginary parts have besides that of the fit.
  func path(_ summary: DelayPosterior.Summary, _ own: RiceLikelihood.Amplitude, addedVariance: Double) -> PathEstimate {
    let power = max(own.amplitude.lengthSquared, .leastNormalMagnitude)
    return PathEstimate(
      delayTaps: summary.delay, amplitude: own.amplitude, deviationTaps: summary.deviation,
      phaseDeviation: min(((own.variance + addedVariance) / power).squareRoot(), Self.unknownPhase))
  }
}
