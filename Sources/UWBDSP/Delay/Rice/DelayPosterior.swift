import Numerics
import UWBPlatform

/// What is believed of a delay: bins of one width, and Gaussian peaks, which may be narrower than a bin.
///
/// Masses are given as ln of an integral of probability density over the delay, all against the same reference. What several explanations
/// of the same taps say adds up.
final class DelayPosterior {
  static let mostPeaks = 24
  static let binsPerTap = Double(RiceTables.stepsPerTap)
  private static let binCount = RiceTables.onsetCount + 2
  /// Share of the second moment in the stated variance: a path that may have been missed counts with its distance. The rest is the
  /// heaviest peak's variance.
  private static let momentShare = 0.8
  /// Of the mass, the least that a peak holds whose variance counts: what a Gaussian has within its deviation.
  private static let core = 0.68
  /// Of the median: secants at most, taps of a bracket, and error of the mass relative to all of it.
  private static let (mostSecants, narrowest, tolerance) = (60, 1e-6, 1e-4)

  struct Summary {
    /// The median, taps.
    var delay: Double
    /// taps
    var deviation: Double
    /// ln of the whole mass.
    var logMass: Double
  }

  private struct Peak {
    var delay = 0.0
    var deviation = 0.0
    var mass = 0.0
  }

  /// Where the bins begin, taps.
  @exclusivity(unchecked) private var start = 0.0
  private let bins = AlignedBuffer<Double>(count: binCount, zero: 0)
  /// Mass before each bin and, at the end, in all: what `addUp` found last.
  private let sums = AlignedBuffer<Double>(count: binCount + 1, zero: 0)
  private let peaks = AlignedBuffer<Peak>(count: mostPeaks, zero: Peak())
  @exclusivity(unchecked) private var peakCount = 0
  /// The mass of all bins and peaks; `nil` where something was added since.
  @exclusivity(unchecked) private var total: Double?
  /// ln of the mass that 1 stands for; `nil` while there is none.
  @exclusivity(unchecked) private var reference: Double?

  /// Begins anew. The first bin is centred one bin before `first`, taps.
  func reset(first: Double) {
    start = first - 1.5 / Self.binsPerTap
    bins.pointer.update(repeating: 0, count: Self.binCount)
    peakCount = 0
    total = nil
    reference = nil
  }

  /// Adds a Gaussian peak; the one that weighs least gives way where there are too many.
  func addPeak(_ logMass: Double, delay: Double, deviation: Double) {
    let peak = Peak(delay: delay, deviation: deviation, mass: scaled(logMass))
    guard peakCount == Self.mostPeaks else {
      peaks.pointer[peakCount] = peak
      peakCount += 1
      return
    }
    let least = (0..<peakCount).min { peaks.pointer[$0].mass < peaks.pointer[$1].mass } ?? 0
    if peaks.pointer[least].mass < peak.mass { peaks.pointer[least] = peak }
  }

  /// Adds mass round the middle of `onset`'s bin, over one bin or, as a triangle, over three.
  func addBin(_ logMass: Double, onset: Int, isWide: Bool) {
    let mass = scaled(logMass)
    let side = isWide ? mass / 4 : 0
    bins.pointer[onset] += side
    bins.pointer[onset + 1] += mass - 2 * side
    bins.pointer[onset + 2] += side
  }

  private func scaled(_ logMass: Double) -> Double {
    total = nil
    guard let known = reference else {
      reference = logMass
      return 1
    }
    // Far from where exp has an end.
    guard logMass > known + 100 else { return exp(logMass - known) }
    let factor = exp(known - logMass)
    for bin in 0..<Self.binCount { bins.pointer[bin] *= factor }
    for index in 0..<peakCount { peaks.pointer[index].mass *= factor }
    reference = logMass
    return 1
  }

  /// `nil` where there is no mass.
  func summary() -> Summary? {
    guard let reference else { return nil }
    let total = addUp()
    var (first, second, heaviest) = (0.0, 0.0, 0)
    for bin in 0..<Self.binCount where bins.pointer[bin] > 0 {
      let delay = start + (Double(bin) + 0.5) / Self.binsPerTap
      first += bins.pointer[bin] * delay
      second += bins.pointer[bin] * (delay * delay + 1 / (12 * Self.binsPerTap * Self.binsPerTap))
    }
    for index in 0..<peakCount {
      let peak = peaks.pointer[index]
      first += peak.mass * peak.delay
      second += peak.mass * (peak.delay * peak.delay + peak.deviation * peak.deviation)
      if peak.mass > peaks.pointer[heaviest].mass { heaviest = index }
    }
    guard total > 0, total.isFinite else { return nil }
    let logMass = reference + log(total)
    let most = peaks.pointer[heaviest]
    if peakCount > 0, most.mass > 0.9999 * total {
      return Summary(delay: most.delay, deviation: most.deviation, logMass: logMass)
    }
    let mean = first / total
    let variance = max(0, second / total - mean * mean)
    let bracket = bracket(of: 0.5 * total, range(total), peakCount > 0 ? core(most) : nil)
    let median = quantile(0.5 * total, of: total, in: bracket)
    let moment = variance + (mean - median) * (mean - median)
    let core = peakCount > 0 && most.mass > Self.core * total ? most.deviation * most.deviation : moment
    let stated = Self.momentShare * moment + (1 - Self.momentShare) * core
    return Summary(delay: median, deviation: stated.squareRoot(), logMass: logMass)
  }

  /// ln of the whole mass.
  var logMass: Double { (reference ?? 0) + log(addUp()) }

  /// Whether a share of more than `share` lies before `delay`, taps.
  func holds(moreThan share: Double, before delay: Double) -> Bool {
    let total = addUp()
    return mass(before: delay) > share * total
  }

  /// Fills `sums`; the mass of all bins and peaks.
  private func addUp() -> Double {
    if let total { return total }
    var sum = 0.0
    for bin in 0..<Self.binCount {
      sums.pointer[bin] = sum
      sum += bins.pointer[bin]
    }
    sums.pointer[Self.binCount] = sum
    let all = (0..<peakCount).reduce(sum) { $0 + peaks.pointer[$1].mass }
    total = all
    return all
  }

  /// `addUp` has to have been called since the last change.
  private func mass(before delay: Double) -> Double {
    let position = min(max(0, (delay - start) * Self.binsPerTap), Double(Self.binCount))
    let bin = min(Int(position), Self.binCount - 1)
    var sum = sums.pointer[bin] + (position - Double(bin)) * bins.pointer[bin]
    for index in 0..<peakCount {
      let peak = peaks.pointer[index]
      let deviations = (delay - peak.delay) / peak.deviation
      // Ten deviations off, nobody needs the error function.
      if deviations > 10 {
        sum += peak.mass
      } else if deviations > -10 {
        sum += peak.mass * NormalDistribution.probability(below: deviations)
      }
    }
    return sum
  }

  /// Delays, taps, and the mass before each.
  private struct Bracket {
    var low: Double
    var below: Double
    var high: Double
    var above: Double
  }

  /// All that there is.
  private func range(_ total: Double) -> Bracket {
    var whole = Bracket(low: start, below: 0, high: start + Double(Self.binCount) / Self.binsPerTap, above: total)
    for index in 0..<peakCount {
      let peak = peaks.pointer[index]
      whole.low = min(whole.low, peak.delay - 5 * peak.deviation)
      whole.high = max(whole.high, peak.delay + 5 * peak.deviation)
    }
    return whole
  }

  /// Round a peak.
  private func core(_ peak: Peak) -> Bracket {
    let (low, high) = (peak.delay - 4 * peak.deviation, peak.delay + 4 * peak.deviation)
    return Bracket(low: low, below: mass(before: low), high: high, above: mass(before: high))
  }

  /// Between which delays a quantile lies: in the core, before or behind it.
  private func bracket(of mass: Double, _ whole: Bracket, _ core: Bracket?) -> Bracket {
    guard let core else { return whole }
    if mass < core.below { return Bracket(low: whole.low, below: whole.below, high: core.low, above: core.below) }
    if mass >= core.above { return Bracket(low: core.high, below: core.above, high: whole.high, above: whole.above) }
    return core
  }

  /// The delay before which `mass` lies of `total`: by secants inside a bracket, the side that stays weighed half (Dowell & Jarratt 1971, "A
  /// modified regula falsi method", BIT 11).
  private func quantile(_ mass: Double, of total: Double, in bracket: Bracket) -> Double {
    var (low, high) = (bracket.low, bracket.high)
    var (below, above) = (bracket.below - mass, bracket.above - mass)
    var wasBelow: Bool?
    var place = (low + high) / 2
    for _ in 0..<Self.mostSecants where high - low > Self.narrowest {
      place = above > below ? low - below * (high - low) / (above - below) : (low + high) / 2
      let error = self.mass(before: place) - mass
      if abs(error) < Self.tolerance * total { break }
      if error < 0 {
        (low, below) = (place, error)
        if wasBelow == true { above /= 2 }
      } else {
        (high, above) = (place, error)
        if wasBelow == false { below /= 2 }
      }
      wasBelow = error < 0
    }
    return place
  }
}
