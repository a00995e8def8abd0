import CUWBKernels
import Numerics
import UWBDSP
import UWBPlatform

/// How well each profile and onset explains the taps of one window, and what follows for the onset.
///
/// For taps y ~ CN(0, v·(I + ρR_τ)) and R_τ's eigenvectors u_i with eigenvalues λ_i, against noise alone:
///
///     ln L(τ, ρ) = Σ_i |u_iᵀy|²/v · ρλ_i/(1 + ρλ_i) − Σ_i ln(1 + ρλ_i)
///
/// Cost: 32 vectors of eight multiplied and added for each tap, onset and profile.
final class OnsetLikelihood {
  /// Made, or taken from where they are kept, for the first window: most CIRs of a capture may ask for none.
  private lazy var tables = OnsetTables.shared(receiver)
  private let receiver: ReceiverModel
  /// The window's taps over √v, real parts and then imaginary ones.
  private let window = AlignedBuffer<Float>(count: 2 * OnsetTables.windowTaps, zero: 0)
  /// Room for taps that are whitened.
  private let coloured = AlignedBuffer<Double>(count: OnsetTables.windowTaps, zero: 0)
  /// ln L for each profile and onset, a lane for each ρ.
  private let terms: AlignedBuffer<SIMD8<Float>>
  /// Weights of onsets: where the onset is located, and where its deviation is taken.
  private let located = AlignedBuffer<Double>(count: OnsetTables.onsetCount, zero: 0)
  private let spread = AlignedBuffer<Double>(count: OnsetTables.onsetCount, zero: 0)
  /// The largest of each; −∞ where ln L was not evaluated.
  private let tops: AlignedBuffer<Float>
  /// What `tops` hold at most.
  private var best = -Float.infinity
  /// For each profile the onsets to evaluate next. `chosen` says how many they are.
  private let onsets: AlignedBuffer<Int>
  private let chosen = AlignedBuffer<Int>(count: OnsetTables.profiles.count, zero: 0)
  /// Of likelihoods of one profile, for each onset.
  private let sums = AlignedBuffer<Double>(count: OnsetTables.onsetCount, zero: 0)
  private(set) var firstTap = 0
  private var variance = 0.0

  /// What is less likely than the best by a factor e^(−16) is left out: not worth its exponential.
  private static let negligible: Float = 16

  /// How much a bend may change, times the weight there over the best, before ln L is not interpolated any more.
  private static let smoothness: Float = 0.02
  /// The same without the weight: deviations hang on what is unlikely, too.
  private static let smoothest: Float = 0.5

  init(_ receiver: ReceiverModel) {
    self.receiver = receiver
    let cells = OnsetTables.profiles.count * OnsetTables.onsetCount
    terms = AlignedBuffer(count: cells, zero: .zero)
    tops = AlignedBuffer(count: cells, zero: -.infinity)
    onsets = AlignedBuffer(count: cells, zero: 0)
  }

  /// Takes the window's taps from `firstTap` on; taps outside the CIR are zero.
  func load(_ taps: PreparedTaps, firstTap: Int, variance: Double) {
    self.firstTap = firstTap
    self.variance = variance
    let scale = Float(1 / variance.squareRoot())
    let count = OnsetTables.windowTaps
    for index in 0..<count {
      let tap = firstTap + index
      let inside = tap >= 0 && tap < taps.count
      let real = inside ? taps.taps[2 * tap] * scale : 0
      let imaginary = inside ? taps.taps[2 * tap + 1] * scale : 0
      window.pointer[index] = real
      window.pointer[count + index] = imaginary
    }
    tables.whitening?.apply(window.pointer, room: coloured)
    tables.whitening?.apply(window.pointer + count, room: coloured)
  }

  /// ln L at all onsets that are worth it, at every half tap first. Others are interpolated. What is negligible beside the best is left out.
  func evaluate() {
    best = -.infinity
    for index in 0..<OnsetTables.profiles.count * OnsetTables.onsetCount { tops.pointer[index] = -.infinity }
    var step = OnsetTables.coarsestStep
    while step > 0 {
      for profile in OnsetTables.profiles.indices {
        if step == OnsetTables.coarsestStep {
          chooseAll(profile, step: step)
        } else {
          chooseBetween(profile, step: step)
        }
      }
      for profile in OnsetTables.profiles.indices { evaluate(profile) }
      step /= 2
    }
  }

  private func chooseAll(_ profile: Int, step: Int) {
    let onsets = onsets.pointer + profile * OnsetTables.onsetCount
    chosen.pointer[profile] = (OnsetTables.onsetCount + step - 1) / step
    for index in 0..<chosen.pointer[profile] { onsets[index] = index * step }
  }

  /// Chooses between onsets that are known.
  ///
  /// A pulse fills three quarters of the band at most, and ln L is quadratic in the taps. So it has no peak narrower than two of the
  /// coarsest steps. Between two known onsets it rises over the larger only where that is higher than both its neighbours. A parabola
  /// rises by an eighth of its bend there; half the bend is allowed for. Where bends hardly change from one onset to the next, Lagrange's
  /// cubic through four of them stands for ln L. The error is about a thousandth of the whole posterior's weight.
  private func chooseBetween(_ profile: Int, step: Int) {
    let count = OnsetTables.onsetCount
    let known = 2 * step
    let tops = tops.pointer + profile * count
    let terms = terms.pointer + profile * count
    let onsets = onsets.pointer + profile * count
    var number = 0
    var bendBefore: Float = 0
    var riseBefore: Float = 0
    var onset = step
    while onset + step < count {
      let (before, after) = (tops[onset - step], tops[onset + step])
      var (bend, rise) = (Float(), Float())
      if onset + 3 * step < count {
        let next = tops[onset + 3 * step]
        bend = 2 * after - before - next
        rise = after >= before && after >= next ? bend / 2 : 0
      }
      let most = max(before + riseBefore, after + rise)
      if most > best - Self.negligible {
        let change = bend - bendBefore
        let isInside = onset >= 3 * step && onset + 3 * step < count
        if isInside, abs(change) < Self.smoothest, abs(change) * expf(min(most - best, 0)) < Self.smoothness {
          let outer = terms[onset - 3 * step] + terms[onset + 3 * step]
          let value = (9 * (terms[onset - step] + terms[onset + step]) - outer) * (1 / 16)
          terms[onset] = value
          tops[onset] = (9 * (before + after) - tops[onset - 3 * step] - tops[onset + 3 * step]) * (1 / 16)
        } else {
          onsets[number] = onset
          number += 1
        }
      }
      (bendBefore, riseBefore) = (bend, rise)
      onset += known
    }
    chosen.pointer[profile] = number
  }

  /// ln L at the chosen onsets.
  private func evaluate(_ profile: Int) {
    let taps = OnsetTables.windowTaps
    let cell = OnsetTables.cell(profile: profile, onset: 0)
    let first = profile * OnsetTables.onsetCount
    let (onsets, terms, tops) = (onsets.pointer + first, terms.pointer + first, tops.pointer + first)
    let count = chosen.pointer[profile]
    tables.vectors.withUnsafeBufferPointer { vectors in
      tables.gains.withUnsafeBufferPointer { gains in
        tables.logDeterminants.withUnsafeBufferPointer { determinants in
          guard let vectors = vectors.baseAddress, let gains = gains.baseAddress,
            let determinants = determinants.baseAddress
          else { return }
          uwb_onset_likelihoods(
            floats(vectors + cell * taps), floats(gains + cell * OnsetTables.rank), floats(determinants + cell), onsets,
            count, window.pointer, window.pointer + taps, taps, floats(terms), tops)
        }
      }
    }
    for index in 0..<count { best = max(best, tops[onsets[index]]) }
  }

  /// Leaves in `sums` Σ over ρ of exp(ln L − `best`) at each onset of a profile.
  private func exponentiate(_ profile: Int) {
    let first = profile * OnsetTables.onsetCount
    uwb_exponential_sums(
      floats(terms.pointer + first), tops.pointer + first, OnsetTables.onsetCount, best, Self.negligible, sums.pointer)
  }

  /// The onset: the posterior's median, and the root mean square of what all profiles alike say of its error; taps from
  /// the start of the accumulator. `nil` where the taps are not finite.
  ///
  /// The median is taken with the profiles' priors, which suit a first path. The deviation gives all profiles equal
  /// weight, since on a dense channel it is the choice of profile that errs most.
  func locate() -> (delay: Double, deviation: Double)? {
    guard best.isFinite else { return nil }
    let count = OnsetTables.onsetCount
    for onset in 0..<count {
      located.pointer[onset] = 0
      spread.pointer[onset] = 0
    }
    for profile in OnsetTables.profiles.indices {
      let weight = OnsetTables.priors[profile]
      exponentiate(profile)
      for onset in 0..<count {
        let own = sums.pointer[onset]
        located.pointer[onset] += weight * own
        spread.pointer[onset] += own
      }
    }
    let median = Self.median(located.pointer, count)
    var total = 0.0
    var squares = 0.0
    for onset in 0..<count {
      let error = OnsetTables.onset(onset) - median
      total += spread.pointer[onset]
      squares += spread.pointer[onset] * error * error
    }
    // Inside a step of the grid nothing is known of the onset.
    let step = 1 / Double(OnsetTables.stepsPerTap)
    return (Double(firstTap) + median, (squares / total + step * step / 12).squareRoot())
  }

  /// The onset that halves the weights, each spread evenly over its step.
  private static func median(_ weights: UnsafePointer<Double>, _ count: Int) -> Double {
    var total = 0.0
    for index in 0..<count { total += weights[index] }
    var below = 0.0
    for index in 0..<count {
      if below + weights[index] >= total / 2, weights[index] > 0 {
        let part = (total / 2 - below) / weights[index]
        return OnsetTables.onset(index) + (part - 0.5) / Double(OnsetTables.stepsPerTap)
      }
      below += weights[index]
    }
    return OnsetTables.onset(count / 2)
  }

  /// Amplitude of a first path at `delay` over scattering, and the deviation of its phase.
  ///
  /// With C the covariance at the nearest onset, for the likelier of weak and strong scattering and the likeliest ρ:
  /// a = pᵀC⁻¹y/pᵀC⁻¹p, the best linear unbiased estimate, whose variance is 1/pᵀC⁻¹p − ρ.
  func amplitude(delay: Double) -> (amplitude: Complex<Double>, phaseDeviation: Double) {
    let count = OnsetTables.windowTaps
    let position = (delay - Double(firstTap + OnsetTables.firstOnset)) * Double(OnsetTables.stepsPerTap)
    let onset = Int(position, rounded: .toNearestOrAwayFromZero, within: 0...OnsetTables.onsetCount - 1)
    let weak = OnsetTables.onsetCount + onset
    var cell = tops.pointer[weak] > tops.pointer[onset] ? weak : onset
    // A median between two peaks may lie where nothing was evaluated.
    if !tops.pointer[cell].isFinite { cell = nearest(to: onset) }
    let term = terms.pointer[cell]
    var lane = 0
    for index in 1..<8 where term[index] > term[lane] { lane = index }
    var pulse = SIMD16<Float>()
    var real = SIMD16<Float>()
    var imaginary = SIMD16<Float>()
    let taps = window.pointer
    tables.vectors.withUnsafeBufferPointer { vectors in
      tables.pulses.withUnsafeBufferPointer { pulses in
        for tap in 0..<count {
          let vector = vectors[cell * count + tap]
          pulse += vector * pulses[onset * count + tap]
          real += vector * taps[tap]
          imaginary += vector * taps[count + tap]
        }
      }
    }
    var information = 0.0
    var realSum = 0.0
    var imaginarySum = 0.0
    for index in 0..<OnsetTables.rank {
      let kept = Double(1 - tables.gains[cell * OnsetTables.rank + index][lane]) * Double(pulse[index])
      information += kept * Double(pulse[index])
      realSum += kept * Double(real[index])
      imaginarySum += kept * Double(imaginary[index])
    }
    guard information > 0 else { return (.zero, Self.anyPhase) }
    let scale = variance.squareRoot() / information
    let amplitude = Complex(realSum * scale, imaginarySum * scale)
    let ratio = pow(10, Double(OnsetProfile.ratiosdB[lane]) / 10)
    // Rounding may leave less than the variance without any scattering, 1/‖p‖².
    let left = max(1 / information - ratio, 1 / Double((pulse * pulse).sum())) * variance
    let phase = (left / 2 / max(amplitude.lengthSquared, .leastNormalMagnitude)).squareRoot()
    return (amplitude, min(phase, Self.anyPhase))
  }

  /// The onset nearest to `onset` at which weak or strong scattering was evaluated.
  private func nearest(to onset: Int) -> Int {
    let count = OnsetTables.onsetCount
    for away in 0..<count {
      for other in [onset - away, onset + away] where (0..<count).contains(other) {
        let weak = count + other
        let likelier = tops.pointer[weak] > tops.pointer[other] ? weak : other
        if tops.pointer[likelier].isFinite { return likelier }
      }
    }
    return onset
  }

  /// Deviation of a phase that may be anything, rad.
  private static let anyPhase = Double.pi / 3.squareRoot()
}
