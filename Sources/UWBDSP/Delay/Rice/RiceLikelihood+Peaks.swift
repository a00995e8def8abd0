import UWBPlatform

/// The integral of L over delays: by half taps, finer round each maximum that counts, and what lies beside the maxima.
extension RiceLikelihood {
  /// A maximum of ln L over delays.
  struct Peak {
    var delay = 0.0
    var variance = 0.0
    /// ln L there.
    var height = 0.0
    /// ln of the integral of L over it.
    var logMass: Double { height + 0.5 * log(2 * .pi * variance) }
  }

  /// The same of a whole run beside another one, both of the same delays.
  private static let negligibleRun = 6.0
  /// Taps: a wider maximum is no parabola as far as it counts.
  private static let wide = 0.15

  /// Adds what the loaded window says to `posterior`; `false` where the taps are not finite.
  ///
  /// - Parameters:
  ///   - offset: ln of what L is weighed with.
  ///   - other: `best` of another run, and its offset: one that is negligible beside it, as half taps show it, adds nothing.
  func run(into posterior: DelayPosterior, offset: Double, beside other: Double = -.infinity) -> Bool {
    let count = RiceTables.onsetCount
    evaluate(from: 0, by: Self.coarseStep, count: (count - 1) / Self.coarseStep + 1, Self.coarseOnes)
    guard best.isFinite else { return false }
    guard Double(best) + offset > other - Self.negligibleRun else { return true }
    // The highest first: what it reaches beyond the half taps leaves less for others to count.
    var highest = 0
    for onset in stride(from: 0, to: count, by: Self.coarseStep) where onsetTops.pointer[onset] == best {
      highest = onset
    }
    guard let peak = refine(highest), peak.variance <= Self.wide * Self.wide else {
      integrate(into: posterior, offset)
      return true
    }
    peaks.pointer[0] = peak
    var found = 1
    for onset in stride(from: 0, to: count, by: Self.coarseStep) where onset != highest && isPeak(onset) {
      guard let other = refine(onset) else { continue }
      peaks.pointer[found] = other
      found += 1
    }
    for index in 0..<found { add(peaks.pointer[index], to: posterior, offset) }
    addShoulders(to: posterior, offset, peakCount: found)
    return true
  }

  /// Whether the last onset is the likeliest.
  var risesToTheEnd: Bool { onsetTops.pointer[RiceTables.onsetCount - 1] == best }

  private func add(_ peak: Peak, to posterior: DelayPosterior, _ offset: Double) {
    posterior.addPeak(
      offset + peak.logMass, delay: Double(firstTap) + peak.delay, deviation: peak.variance.squareRoot())
  }

  /// Whether an onset at a half tap is a maximum that may count.
  private func isPeak(_ onset: Int) -> Bool {
    let step = Self.coarseStep
    let own = onsetTops.pointer[onset]
    let before = onset >= step ? onsetTops.pointer[onset - step] : -.infinity
    let after = onset + step < RiceTables.onsetCount ? onsetTops.pointer[onset + step] : -.infinity
    guard own > before && own >= after else { return false }
    let bend = before.isFinite && after.isFinite ? 2 * own - before - after : 0
    return own + bend / 2 > best - Self.negligible
  }

  /// The maximum near an onset at a half tap, by a quartic through five eighths; `nil` where that has none.
  private func refine(_ onset: Int) -> Peak? {
    let step = Self.coarseStep
    let (before, own, after) = (top(onset - step), top(onset), top(onset + step))
    let coarseBend = before.isFinite && after.isFinite ? 2 * own - before - after : 0
    evaluate(onset)
    // By as much as ln L may rise between half taps, alternatives may come closer to each other.
    let alternatives = coarseBend > 0 ? counting(at: onset, within: Self.negligible + coarseBend) : Self.every
    let vertex = coarseBend > 0 ? Double(Float(step) * (after - before) / (2 * coarseBend)) : 0
    var centre = onset + Int(vertex, rounded: .toNearestOrAwayFromZero, within: -step / 2...step / 2)
    evaluate(from: centre - 1, by: 1, count: 3, alternatives)
    while abs(centre - onset) < step {
      evaluate(centre - 1, alternatives)
      evaluate(centre + 1, alternatives)
      if top(centre - 1) > top(centre) {
        centre -= 1
      } else if top(centre + 1) > top(centre) {
        centre += 1
      } else {
        break
      }
    }
    centre = min(max(2, centre), RiceTables.onsetCount - 3)
    evaluate(from: centre - 2, by: 4, count: 2, alternatives)
    var sums = SIMD8<Float>(repeating: 1)
    for place in 0..<5 { sums[place] = Float(sum(centre - 2 + place, alternatives)) }
    let logs = logarithms(sums)
    func value(_ place: Int) -> Double { Double(onsetTops.pointer[centre - 2 + place]) + Double(logs[place]) }
    let (a, b, c, d, e) = (value(0), value(1), value(2), value(3), value(4))
    let first = (a - 8 * b + 8 * d - e) / 12
    let second = (-a + 16 * b - 30 * c + 16 * d - e) / 24
    let third = (-a + 2 * b - 2 * d + e) / 12
    let fourth = (a - 4 * b + 6 * c - 4 * d + e) / 24
    var place = 0.0
    var bend = 0.0
    for _ in 0..<6 {
      bend = 2 * second + place * (6 * third + place * 12 * fourth)
      guard bend < 0 else { return nil }
      let slope = first + place * (2 * second + place * (3 * third + place * 4 * fourth))
      place = min(max(place - slope / bend, -2), 2)
    }
    let steps = Double(RiceTables.stepsPerTap)
    let variance = -1 / (bend * steps * steps)
    let height = c + place * (first + place * (second + place * (third + place * fourth)))
    return Peak(
      delay: RiceTables.onset(centre) + place / steps, variance: variance, height: height)
  }

  /// The alternatives whose ln L at an onset is less than the likeliest one's by `margin` at most.
  private func counting(at onset: Int, within margin: Float) -> Int {
    let start = onset * Self.alternativeCount
    let least = onsetTops.pointer[onset] - margin
    var chosen = 0
    for index in 0..<Self.alternativeCount where tops.pointer[start + index] >= least { chosen |= 1 << index }
    return chosen
  }

  /// Adds what lies at the half taps beyond the peaks: a channel whose first path may be missed has no maximum there, but a shoulder.
  private func addShoulders(to posterior: DelayPosterior, _ offset: Double, peakCount: Int) {
    let step = Double(Self.coarseStep) / Double(RiceTables.stepsPerTap)
    for onset in stride(from: 0, to: RiceTables.onsetCount, by: Self.coarseStep)
    where onsetTops.pointer[onset] > best - Self.negligible {
      let place = RiceTables.onset(onset)
      // Nearer to a peak, what remains is the error of the approximation.
      guard !(0..<peakCount).contains(where: { abs(place - peaks.pointer[$0].delay) <= step / 2 }) else { continue }
      let total = sum(onset)
      let reference = Double(best)
      var left = total * exp(Double(onsetTops.pointer[onset]) - reference)
      for index in 0..<peakCount {
        let peak = peaks.pointer[index]
        let distance = place - peak.delay
        let exponent = peak.height - reference - distance * distance / (2 * peak.variance)
        if exponent > -Double(2 * Self.negligible) { left -= exp(exponent) }
      }
      guard left > 0 else { continue }
      posterior.addBin(offset + reference + log(left * step), onset: onset, isWide: true)
    }
  }

  /// Adds every second onset, narrow enough for what is wide; all where the likeliest lies between them and these are negligible.
  private func integrate(into posterior: DelayPosterior, _ offset: Double) {
    var onsets = stride(from: 0, to: RiceTables.onsetCount, by: 2)
    var isWide = true
    if highest(onsets) < best - Self.negligible {
      onsets = stride(from: 0, to: RiceTables.onsetCount, by: 1)
      isWide = false
      _ = highest(onsets)
    }
    let step = (isWide ? 2 : 1) / Double(RiceTables.stepsPerTap)
    for onset in onsets where onsetTops.pointer[onset] >= best - Self.negligible {
      posterior.addBin(offset + logSum(onset) + log(step), onset: onset, isWide: isWide)
    }
  }

  /// The largest ln L of these onsets, which are evaluated where the half taps next to them say that they may count.
  private func highest(_ onsets: StrideTo<Int>) -> Float {
    var top = -Float.infinity
    for onset in onsets {
      let before = onset / Self.coarseStep * Self.coarseStep
      let after = min(before + Self.coarseStep, RiceTables.onsetCount - 1)
      guard max(onsetTops.pointer[before], onsetTops.pointer[after]) > best - 2 * Self.negligible else { continue }
      evaluate(onset)
      top = max(top, onsetTops.pointer[onset])
    }
    return top
  }
}
