import CUWBKernels
import Numerics
import UWBPlatform

/// How well a first path of any amplitude before scattering (`RiceAlternative`) of any power explains a window's taps, and what follows for the
/// path's delay.
///
/// For taps y = a·p_τ + x with x ~ CN(0, v·C), C = I + ρR_τ, and a eliminated, against noise alone:
///
///     ln L(τ, ρ) = (‖y‖² − yᴴC⁻¹y + |pᵀC⁻¹y|²/q)/v − ln det C − ln q,   q = pᵀC⁻¹p
///
/// the last term from an a priori complex Gaussian amplitude, but for its variance. C⁻¹ = I − U·diag(g)·Uᵀ with g and U of `RiceTables`.
/// Several antennas have amplitudes of their own, and scattering that begins at the same time and is as strong over the noise. Their ln L
/// add up, times N^−0.8 for N antennas. Reflections and a wrong pulse disturb the first path on neighbouring antennas alike.
/// Scattering without a path has no a: ln L = (‖y‖² − yᴴC⁻¹y)/v − ln det C, plus what an amplitude costs (`amplitudeCost`).
///
/// ln L is quadratic in taps whose band is limited, so it has no peak narrower than a tap. It is taken at every half tap, then by eighths
/// round each peak that counts. The half taps beside the peaks count as well: an earlier path that may have been missed is a shoulder there.
final class RiceLikelihood {
  /// Made, or taken from where they are kept, for the first window: most CIRs of a capture may ask for none.
  lazy var tables = RiceTables.shared(receiver)
  private let receiver: ReceiverModel
  /// The tables' cells and pulses since a window was loaded: each look at `tables` counts references.
  @exclusivity(unchecked) private var firstCell: UnsafePointer<Float>
  @exclusivity(unchecked) private var firstPulse: UnsafePointer<Float>
  /// Each antenna's taps of the window over √v.
  let real: AlignedBuffer<Float>
  let imaginary: AlignedBuffer<Float>
  /// v, and what it was when the taps were loaded: ln L is that of taps over √v for either.
  let variances: AlignedBuffer<Double>
  let loadedVariances: AlignedBuffer<Double>
  /// The loaded variances over v.
  private let scales: AlignedBuffer<Float>
  /// ‖y‖² and the largest |y|² of each antenna, over the loaded variance.
  private let energies: AlignedBuffer<Double>
  private let strongest: AlignedBuffer<Double>
  @exclusivity(unchecked) private var antennaCount = 0
  /// Of each antenna's ln L that counts.
  @exclusivity(unchecked) private(set) var share = 1.0
  @exclusivity(unchecked) private(set) var firstTap = 0
  /// Σ‖y‖²/v
  @exclusivity(unchecked) private(set) var energy = 0.0
  /// ln of what an amplitude on each antenna costs that may be as large as its window's strongest tap.
  @exclusivity(unchecked) private(set) var amplitudeCost = 0.0
  /// Room for taps that are whitened.
  private let coloured = AlignedBuffer<Double>(count: RiceTables.windowTaps, zero: 0)
  /// What each alternative explains of an antenna's taps as loaded, for each onset: ln L but for its constant.
  private let forms: AlignedBuffer<SIMD8<Float>>
  /// Alternatives of each onset whose forms are known, a bit for each.
  private let formed = AlignedBuffer<Int>(count: RiceTables.onsetCount, zero: 0)
  /// ln L for each onset and alternative, a lane for each ρ; their largest, −∞ where it was not evaluated.
  let terms = AlignedBuffer<SIMD8<Float>>(count: RiceTables.onsetCount * alternativeCount, zero: .zero)
  let tops = AlignedBuffer<Float>(count: RiceTables.onsetCount * alternativeCount, zero: 0)
  /// The largest of each onset; −∞ where it was not evaluated.
  let onsetTops = AlignedBuffer<Float>(count: RiceTables.onsetCount, zero: 0)
  /// Alternatives of each onset that were evaluated, a bit for each.
  private let known = AlignedBuffer<Int>(count: RiceTables.onsetCount, zero: 0)
  /// The largest ln L of the last run.
  @exclusivity(unchecked) private(set) var best = -Float.infinity
  let peaks = AlignedBuffer<Peak>(count: RiceTables.onsetCount / coarseStep + 1, zero: Peak())

  static let alternativeCount = RiceAlternative.count
  private static let formsStride = RiceTables.onsetCount * alternativeCount
  static let coarseStep = 4
  /// A bit for each alternative, and for each that is enough to see where ln L has its peaks.
  static let every = 1 << alternativeCount - 1
  static let coarseOnes = 1 << RiceAlternative.coarseCount - 1
  /// What is less likely than the best by a factor e^(−12) is left out: four taps away it is a hundredth of a tap in the deviation.
  static let negligible: Float = 12
  /// Exponent of the antennas' number.
  private static let likeness = -0.8

  init(_ receiver: ReceiverModel, mostAntennas: Int = 1) {
    self.receiver = receiver
    real = AlignedBuffer(count: mostAntennas * RiceTables.windowTaps, zero: 0)
    imaginary = AlignedBuffer(count: mostAntennas * RiceTables.windowTaps, zero: 0)
    variances = AlignedBuffer(count: mostAntennas, zero: 0)
    loadedVariances = AlignedBuffer(count: mostAntennas, zero: 0)
    scales = AlignedBuffer(count: mostAntennas, zero: 1)
    energies = AlignedBuffer(count: mostAntennas, zero: 0)
    strongest = AlignedBuffer(count: mostAntennas, zero: 0)
    forms = AlignedBuffer(count: mostAntennas * Self.formsStride, zero: .zero)
    (firstCell, firstPulse) = (UnsafePointer(real.pointer), UnsafePointer(real.pointer))
  }

  /// Takes the window's taps from `firstTap` on; taps outside the CIR are zero. The first antenna begins a window anew.
  func load(_ taps: PreparedTaps, firstTap: Int, variance: Double, antenna: Int = 0) {
    let tables = tables
    if antenna == 0 {
      self.firstTap = firstTap
      (firstCell, firstPulse) = (UnsafePointer(tables.cells.pointer), UnsafePointer(tables.pulses.pointer))
      formed.pointer.update(repeating: 0, count: RiceTables.onsetCount)
    }
    antennaCount = antenna + 1
    share = antenna == 0 ? 1 : pow(Double(antennaCount), Self.likeness)
    loadedVariances.pointer[antenna] = variance
    let (real, imaginary) = (window(self.real, antenna), window(self.imaginary, antenna))
    let scale = Float(1 / variance.squareRoot())
    let count = RiceTables.windowTaps
    let source = taps.taps(in: firstTap..<firstTap + count)
    for index in 0..<count {
      let tap = firstTap + index
      let inside = tap >= 0 && tap < taps.count
      real[index] = inside ? source[2 * tap] * scale : 0
      imaginary[index] = inside ? source[2 * tap + 1] * scale : 0
    }
    tables.whitening?.apply(real, room: coloured)
    tables.whitening?.apply(imaginary, room: coloured)
    var (sum, strongest) = (Float(), Float())
    for index in 0..<count {
      let (x, y) = (real[index], imaginary[index])
      let power = x * x + y * y
      sum += power
      strongest = max(strongest, power)
    }
    energies.pointer[antenna] = Double(sum)
    self.strongest.pointer[antenna] = Double(strongest)
    setVariances { loadedVariances.pointer[$0] }
  }

  /// Takes the loaded taps for ones of other variances: what alternatives explain of them is only scaled.
  func setVariances(_ variance: (Int) -> Double) {
    (energy, amplitudeCost, best) = (0, 0, -.infinity)
    for antenna in 0..<antennaCount {
      variances.pointer[antenna] = variance(antenna)
      let scale = loadedVariances.pointer[antenna] / variances.pointer[antenna]
      scales.pointer[antenna] = Float(scale)
      energy += energies.pointer[antenna] * scale
      amplitudeCost += PathEvidence.amplitudeCost(power: strongest.pointer[antenna] * scale)
    }
    onsetTops.pointer.update(repeating: -.infinity, count: RiceTables.onsetCount)
    tops.pointer.update(repeating: -.infinity, count: RiceTables.onsetCount * Self.alternativeCount)
    known.pointer.update(repeating: 0, count: RiceTables.onsetCount)
  }

  func window(_ buffer: AlignedBuffer<Float>, _ antenna: Int) -> UnsafeMutablePointer<Float> {
    buffer.pointer + antenna &* RiceTables.windowTaps
  }

  /// The largest ln L of those that were evaluated at an onset.
  func top(_ onset: Int) -> Float {
    (0..<RiceTables.onsetCount).contains(onset) ? onsetTops.pointer[onset] : -.infinity
  }

  /// ln Σ exp(ln L) over alternatives and ρ at an onset.
  func logSum(_ onset: Int) -> Double {
    let total = sum(onset)
    return Double(onsetTops.pointer[onset]) + log(total)
  }

  /// Σ exp(ln L) over alternatives and ρ at an onset, over its largest term.
  func sum(_ onset: Int, _ alternatives: Int = every) -> Double {
    evaluate(onset, alternatives)
    let start = onset * Self.alternativeCount
    return uwb_exponential_sum(
      floats(UnsafePointer(terms.pointer + start)), tops.pointer + start, Self.alternativeCount,
      onsetTops.pointer[onset], Self.negligible)
  }

  /// ln L at an onset for these alternatives, where it is not known yet.
  func evaluate(_ onset: Int, _ alternatives: Int = every) {
    guard (0..<RiceTables.onsetCount).contains(onset) else { return }
    let missing = alternatives & ~known.pointer[onset]
    guard missing != 0 else { return }
    evaluate(from: onset, by: 1, count: 1, missing, unformed: missing & ~formed.pointer[onset])
  }

  /// The same at `count` onsets, `step` apart: in one run where as much is missing at each, so that none waits for another.
  func evaluate(from first: Int, by step: Int, count: Int, _ alternatives: Int) {
    let onsets = stride(from: first, to: first + step * count, by: step)
    var areAlike = first >= 0 && first + step * (count - 1) < RiceTables.onsetCount
    if areAlike {
      let formedThere = formed.pointer[first] & alternatives
      for onset in onsets
      where known.pointer[onset] & alternatives != 0 || formed.pointer[onset] & alternatives != formedThere {
        areAlike = false
      }
    }
    guard areAlike else {
      for onset in onsets { evaluate(onset, alternatives) }
      return
    }
    evaluate(
      from: first, by: step, count: count, alternatives, unformed: alternatives & ~formed.pointer[first])
  }

  /// - Parameter unformed: those alternatives that what they explain is not known of.
  private func evaluate(from first: Int, by step: Int, count: Int, _ alternatives: Int, unformed: Int) {
    if unformed != 0 {
      for antenna in 0..<antennaCount {
        uwb_rice_forms(
          firstCell, unformed, Self.alternativeCount, first, step, count, firstPulse, window(real, antenna),
          window(imaginary, antenna), floats(forms.pointer + antenna &* Self.formsStride))
      }
    }
    let top = uwb_rice_terms(
      firstCell, alternatives, Self.alternativeCount, first, step, count, RiceAlternative.pathCount,
      floats(UnsafePointer(forms.pointer)), 8 * Self.formsStride, scales.pointer, antennaCount, Float(share),
      Float(share * amplitudeCost) + RiceAlternative.softPrior, floats(terms.pointer), tops.pointer,
      onsetTops.pointer)
    best = max(best, top)
    var onset = first
    for _ in 0..<count {
      formed.pointer[onset] |= unformed
      known.pointer[onset] |= alternatives
      onset &+= step
    }
  }

  func cells(_ onset: Int) -> UnsafePointer<Float> {
    firstCell + onset &* Self.alternativeCount &* uwb_rice_cell
  }

  func pulse(_ onset: Int) -> UnsafePointer<Float> {
    firstPulse + onset &* RiceTables.windowTaps
  }

  /// The largest ln L of an alternative at an onset.
  func top(_ onset: Int, _ alternative: Int) -> Float {
    evaluate(onset)
    return tops.pointer[onset &* Self.alternativeCount &+ alternative]
  }

  /// ln L at an onset for an alternative, its place in `RiceAlternative.all`, and each ρ.
  func terms(onset: Int, alternative: Int) -> SIMD8<Float> {
    evaluate(onset)
    return terms.pointer[onset * Self.alternativeCount + alternative]
  }
}
