import CUWBKernels
import Numerics
import UWBPlatform

/// How well a first path of any amplitude before scattering of some gap and power explains a window's taps, and what follows for the
/// path's delay.
///
/// For taps y = a·p_τ + x with x ~ CN(0, v·C), C = I + ρR_τ, and a eliminated, against noise alone:
///
///     ln L(τ, ρ) = (‖y‖² − yᴴC⁻¹y + |pᵀC⁻¹y|²/q)/v − ln det C − ln q,   q = pᵀC⁻¹p
///
/// the last term from an a priori complex Gaussian amplitude, but for its variance. C⁻¹ = I − U·diag(g)·Uᵀ with g and U of `RiceTables`. ln L
/// is quadratic in taps whose band is limited, so it has no crest narrower than a tap; it is had at every half tap, then by eighths round
/// each crest that counts. Cost: some 40 ns for each gap and onset where the machine has AVX2.
final class RiceLikelihood {
  /// What a window says of the first path.
  struct Outcome {
    /// Mean of the posterior, taps from the window's start, and its deviation.
    var delay: Double
    var deviation: Double
    /// Where ln L is highest: an end of the range of onsets tells that the path may lie beyond.
    var crest: Double
    /// ln of ∫ Σ L dτ over gaps and ρ, τ in taps.
    var logMass: Double
  }

  /// Made, or taken from where they are kept, for the first window: most CIRs of a capture may ask for none.
  private lazy var tables = RiceTables.shared(receiver)
  private let receiver: ReceiverModel
  private let usesVectorUnits: Bool
  /// The window's taps over √v.
  private let real = AlignedBuffer<Float>(count: RiceTables.windowTaps, zero: 0)
  private let imaginary = AlignedBuffer<Float>(count: RiceTables.windowTaps, zero: 0)
  @exclusivity(unchecked) private(set) var variance = 0.0
  /// ‖y‖²/v
  @exclusivity(unchecked) private(set) var energy = 0.0
  /// Room for taps that are whitened.
  private let coloured = AlignedBuffer<Double>(count: RiceTables.windowTaps, zero: 0)
  /// ln L for each onset and gap, a lane for each ρ; their largest.
  private let terms = AlignedBuffer<SIMD8<Float>>(count: RiceTables.onsetCount * gapCount, zero: .zero)
  private let tops = AlignedBuffer<Float>(count: RiceTables.onsetCount * gapCount, zero: 0)
  /// The largest of each onset; −∞ where it was not evaluated.
  private let onsetTops = AlignedBuffer<Float>(count: RiceTables.onsetCount, zero: 0)
  /// Gaps of each onset that were evaluated.
  private let known = AlignedBuffer<Int>(count: RiceTables.onsetCount, zero: 0)
  @exclusivity(unchecked) private var best = -Float.infinity
  private let sums = AlignedBuffer<Double>(count: gapCount, zero: 0)
  private let crests = AlignedBuffer<Crest>(count: RiceTables.onsetCount / coarseStep + 1, zero: Crest())

  private static let gapCount = RiceTables.gaps.count
  private static let coarseStep = 4
  /// What is less likely than the best by a factor e^(−16) is left out.
  private static let negligible: Float = 16
  /// Taps: where a crest is wider it is no parabola as far as it counts.
  private static let wide = 0.15

  /// A maximum of ln L over delays.
  private struct Crest {
    var delay = 0.0
    var variance = 0.0
    /// ln of the integral of L over it.
    var logMass = 0.0
  }

  init(_ receiver: ReceiverModel, usesVectorUnits: Bool = VectorUnits.areThere) {
    self.receiver = receiver
    self.usesVectorUnits = usesVectorUnits && VectorUnits.areThere
  }

  /// Takes the window's taps from `firstTap` on; taps outside the CIR are zero.
  func load(_ taps: PreparedTaps, firstTap: Int, variance: Double) {
    self.variance = variance
    let scale = Float(1 / variance.squareRoot())
    let count = RiceTables.windowTaps
    let source = taps.taps(in: firstTap..<firstTap + count)
    for index in 0..<count {
      let tap = firstTap + index
      let inside = tap >= 0 && tap < taps.count
      real.pointer[index] = inside ? source[2 * tap] * scale : 0
      imaginary.pointer[index] = inside ? source[2 * tap + 1] * scale : 0
    }
    tables.whitening?.apply(real.pointer, room: coloured)
    tables.whitening?.apply(imaginary.pointer, room: coloured)
    var sum: Float = 0
    for index in 0..<count {
      let (x, y) = (real.pointer[index], imaginary.pointer[index])
      sum += x * x + y * y
    }
    energy = Double(sum)
  }

  /// What the loaded window says; `nil` where its taps are not finite.
  func run() -> Outcome? {
    let count = RiceTables.onsetCount
    onsetTops.pointer.update(repeating: -.infinity, count: count)
    known.pointer.update(repeating: 0, count: count)
    best = -.infinity
    for onset in stride(from: 0, to: count, by: Self.coarseStep) { evaluate(onset, gaps: RiceTables.coarseGaps) }
    guard best.isFinite else { return nil }
    // The highest first: what it reaches beyond the half taps leaves less for others to count.
    var highest = 0
    for onset in stride(from: 0, to: count, by: Self.coarseStep) where onsetTops.pointer[onset] == best {
      highest = onset
    }
    var found = 0
    var isWide = true
    if let crest = refine(highest) {
      crests.pointer[0] = crest
      found = 1
      isWide = crest.variance > Self.wide * Self.wide
    }
    if !isWide {
      for onset in stride(from: 0, to: count, by: Self.coarseStep) where onset != highest && isCrest(onset) {
        guard let crest = refine(onset) else { continue }
        crests.pointer[found] = crest
        found += 1
      }
    }
    let top = (0..<count).max { onsetTops.pointer[$0] < onsetTops.pointer[$1] } ?? highest
    let posterior = isWide ? integrate() : combine(found)
    return Outcome(
      delay: posterior.mean, deviation: posterior.variance.squareRoot(), crest: RiceTables.onset(top),
      logMass: posterior.logMass)
  }

  /// Whether an onset at a half tap is a maximum that may count.
  private func isCrest(_ onset: Int) -> Bool {
    let step = Self.coarseStep
    let own = onsetTops.pointer[onset]
    let before = onset >= step ? onsetTops.pointer[onset - step] : -.infinity
    let after = onset + step < RiceTables.onsetCount ? onsetTops.pointer[onset + step] : -.infinity
    guard own > before && own >= after else { return false }
    let bend = before.isFinite && after.isFinite ? 2 * own - before - after : 0
    return own + bend / 2 > best - Self.negligible
  }

  /// The maximum near an onset at a half tap, by a quartic through five eighths; `nil` where that has none.
  private func refine(_ onset: Int) -> Crest? {
    var centre = onset
    var step = Self.coarseStep / 2
    while step > 0 {
      let (before, after) = (centre - step, centre + step)
      evaluate(before)
      evaluate(after)
      if top(before) > top(centre) {
        centre = before
      } else if top(after) > top(centre) {
        centre = after
      }
      step /= 2
    }
    centre = min(max(2, centre), RiceTables.onsetCount - 3)
    let (a, b, c, d, e) = (
      logSum(centre - 2), logSum(centre - 1), logSum(centre), logSum(centre + 1), logSum(centre + 2)
    )
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
    return Crest(
      delay: RiceTables.onset(centre) + place / steps, variance: variance,
      logMass: height + 0.5 * log(2 * .pi * variance))
  }

  private func combine(_ count: Int) -> Moments {
    let highest = (0..<count).reduce(-Double.infinity) { max($0, crests.pointer[$1].logMass) }
    var moments = Moments(reference: highest)
    for index in 0..<count {
      let crest = crests.pointer[index]
      moments.add(exp(crest.logMass - highest), at: crest.delay, variance: crest.variance)
    }
    return moments
  }

  /// The posterior's moments from every second onset, narrow enough for what is wide; from all where the likeliest lies between them
  /// and these are negligible.
  private func integrate() -> Moments {
    var onsets = stride(from: 0, to: RiceTables.onsetCount, by: 2)
    var step = 2 / Double(RiceTables.stepsPerTap)
    if highest(onsets) < best - Self.negligible {
      onsets = stride(from: 0, to: RiceTables.onsetCount, by: 1)
      step /= 2
      _ = highest(onsets)
    }
    var moments = Moments(reference: Double(best) + log(step), leastVariance: step * step / 12)
    for onset in onsets where onsetTops.pointer[onset] >= best - Self.negligible {
      moments.add(exp(logSum(onset) - Double(best)), at: RiceTables.onset(onset), variance: 0)
    }
    return moments
  }

  /// The largest ln L of these onsets, which are evaluated.
  private func highest(_ onsets: StrideTo<Int>) -> Float {
    var top = -Float.infinity
    for onset in onsets {
      evaluate(onset)
      top = max(top, onsetTops.pointer[onset])
    }
    return top
  }

  private struct Moments {
    /// ln of the mass that weights are relative to.
    let reference: Double
    private var weight = 0.0
    private var first = 0.0
    private var second = 0.0

    /// What is not known inside a step of a grid.
    private let leastVariance: Double

    init(reference: Double, leastVariance: Double = 0) {
      self.reference = reference
      self.leastVariance = leastVariance
    }

    var logMass: Double { reference + log(weight) }

    mutating func add(_ weight: Double, at delay: Double, variance: Double) {
      self.weight += weight
      first += weight * delay
      second += weight * (variance + delay * delay)
    }

    var mean: Double { first / weight }
    var variance: Double { max(leastVariance, second / weight - mean * mean) }
  }

  private func top(_ onset: Int) -> Float {
    (0..<RiceTables.onsetCount).contains(onset) ? onsetTops.pointer[onset] : -.infinity
  }

  /// ln Σ exp(ln L) over gaps and ρ at an onset.
  private func logSum(_ onset: Int) -> Double {
    evaluate(onset)
    let start = onset * Self.gapCount
    let reference = onsetTops.pointer[onset]
    var total = 0.0
    if usesVectorUnits {
      uwb_exponential_sums(
        UnsafeRawPointer(terms.pointer + start).assumingMemoryBound(to: Float.self), tops.pointer + start,
        Self.gapCount,
        1, reference, Self.negligible, sums.pointer)
      for gap in 0..<Self.gapCount { total += sums.pointer[gap] }
    } else {
      for gap in 0..<Self.gapCount {
        let term = terms.pointer[start + gap] - reference
        for lane in 0..<8 where term[lane] > -Self.negligible { total += Double(expf(term[lane])) }
      }
    }
    return Double(reference) + log(total)
  }

  /// ln L at an onset for as many gaps, where it is not known yet.
  private func evaluate(_ onset: Int, gaps: Int = gapCount) {
    guard (0..<RiceTables.onsetCount).contains(onset), known.pointer[onset] < gaps else { return }
    let first = known.pointer[onset]
    let start = onset * Self.gapCount + first
    let cells = cells(onset) + first &* RiceTables.cellSize
    let pulse = pulse(onset)
    if usesVectorUnits {
      uwb_rice_likelihoods(
        cells, gaps - first, pulse, real.pointer, imaginary.pointer, RiceTables.windowTaps,
        UnsafeMutableRawPointer(terms.pointer + start).assumingMemoryBound(to: Float.self), tops.pointer + start)
    } else {
      for index in 0..<gaps - first {
        let cell = RiceCell(cells + index * RiceTables.cellSize)
        let term = RiceMatch(cell, pulse, real.pointer, imaginary.pointer).likelihood
        terms.pointer[start + index] = term
        tops.pointer[start + index] = term.max()
      }
    }
    var top = onsetTops.pointer[onset]
    for gap in start..<start + gaps - first { top = max(top, tops.pointer[gap]) }
    onsetTops.pointer[onset] = top
    known.pointer[onset] = gaps
    best = max(best, top)
  }

  private func cells(_ onset: Int) -> UnsafePointer<Float> {
    UnsafePointer(tables.cells.pointer) + onset &* Self.gapCount &* RiceTables.cellSize
  }

  private func pulse(_ onset: Int) -> UnsafePointer<Float> {
    UnsafePointer(tables.pulses.pointer) + onset &* RiceTables.windowTaps
  }

  /// Amplitude of the first path at `delay`, taps from the window's start, the variance of its real and of its imaginary part, and the
  /// scattering's power behind it, ρ·v; with the likeliest gap and ρ at the nearest onset.
  ///
  /// a = pᵀC⁻¹y/q, of variance v/q.
  func amplitude(delay: Double) -> (amplitude: Complex<Double>, variance: Double, scattering: Double) {
    let position = (delay - RiceTables.firstOnset) * Double(RiceTables.stepsPerTap)
    let lower = Int(position, rounded: .down, within: 0...RiceTables.onsetCount - 2)
    let share = min(max(position - Double(lower), 0), 1)
    let (gap, lane) = likeliest(share < 0.5 ? lower : lower + 1)
    let before = amplitude(onset: lower, gap, lane)
    let after = amplitude(onset: lower + 1, gap, lane)
    return (
      before.amplitude * Complex(1 - share) + after.amplitude * Complex(share),
      before.variance * (1 - share) + after.variance * share,
      variance * pow(10, Double(OnsetTables.ratiosdB[lane]) / 10)
    )
  }

  private func amplitude(onset: Int, _ gap: Int, _ lane: Int) -> (amplitude: Complex<Double>, variance: Double) {
    let cell = RiceCell(cells(onset) + gap * RiceTables.cellSize)
    let seen = RiceMatch(cell, pulse(onset), real.pointer, imaginary.pointer)
    let inverse = Double(cell.inverse[lane])
    let scale = inverse * variance.squareRoot()
    return (
      Complex(scale * Double(seen.real[lane]), scale * Double(seen.imaginary[lane])), inverse * variance / 2
    )
  }

  /// What the likeliest scattering and first path leave at an onset over what noise alone leaves on average.
  func excess(delay: Double) -> Double {
    let position = (delay - RiceTables.firstOnset) * Double(RiceTables.stepsPerTap)
    let onset = Int(position, rounded: .toNearestOrAwayFromZero, within: 0...RiceTables.onsetCount - 1)
    let (gap, lane) = likeliest(onset)
    let constant = Double(RiceCell(cells(onset) + gap * RiceTables.cellSize).constant[lane])
    let explained = Double(terms.pointer[onset * Self.gapCount + gap][lane]) - constant
    return (energy - explained) / Double(RiceTables.windowTaps - 1)
  }

  /// ln L at an onset for a gap, its place in `RiceTables.gaps`, and each ρ.
  func terms(onset: Int, gap: Int) -> SIMD8<Float> {
    evaluate(onset)
    return terms.pointer[onset * Self.gapCount + gap]
  }

  private func likeliest(_ onset: Int) -> (gap: Int, lane: Int) {
    var found = (gap: 0, lane: 0)
    var most = -Float.infinity
    for gap in 0..<Self.gapCount {
      let term = terms(onset: onset, gap: gap)
      for lane in 0..<8 where term[lane] > most {
        most = term[lane]
        found = (gap, lane)
      }
    }
    return found
  }
}
