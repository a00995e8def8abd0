import CUWBKernels
import Numerics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How well each profile and onset explains the taps of one window, and what follows for the onset.
///
/// For taps y ~ CN(0, v·(I + ρR_τ)) and R_τ's eigenvectors u_i with eigenvalues λ_i, against noise alone:
///
///     ln L(τ, ρ) = Σ_i |u_iᵀy|²/v · ρλ_i/(1 + ρλ_i) − Σ_i ln(1 + ρλ_i)
///
/// Cost: some 25 ns for each onset and profile where the machine has AVX2, else 60.
final class OnsetLikelihood {
  /// Made, or taken from where they are kept, for the first window: most CIRs of a capture may ask for none.
  private lazy var tables = OnsetTables.shared(pulse: pulse, tapSpacing: tapSpacing, noise: noise)
  private lazy var all = tables.all
  private let pulse: PulseShape
  private let tapSpacing: Double
  private let noise: NoiseCorrelation
  /// The window's taps over √v, real parts and then imaginary ones.
  private let window = AlignedBuffer<Float>(count: 2 * OnsetTables.windowTaps, zero: 0)
  /// The same before it is whitened, in the precision that whitening takes.
  private let coloured = AlignedBuffer<Double>(count: OnsetTables.windowTaps, zero: 0)
  /// ln L for each profile and onset, a lane for each ρ.
  private let terms: AlignedBuffer<SIMD8<Float>>
  /// Weights of onsets: where the onset is located, and where its deviation is taken.
  private let located = AlignedBuffer<Double>(count: OnsetTables.onsetCount, zero: 0)
  private let spread = AlignedBuffer<Double>(count: OnsetTables.onsetCount, zero: 0)
  /// Of likelihoods of one profile, for each onset.
  private let sums = AlignedBuffer<Double>(count: OnsetTables.onsetCount, zero: 0)
  private let usesVectorUnits: Bool
  private(set) var firstTap = 0
  /// Σ|y|²/v
  private(set) var energy = 0.0
  private var variance = 0.0

  /// What is less likely than the best by a factor e^(−20) is left out: not worth its exponential.
  private static let negligible: Float = 20

  /// - Parameter usesVectorUnits: whether `CUWBKernels` is to do the work, where the machine can.
  init(
    pulse: PulseShape, tapSpacing: Double, noise: NoiseCorrelation = .white,
    usesVectorUnits: Bool = VectorUnits.areThere
  ) {
    self.usesVectorUnits = usesVectorUnits && VectorUnits.areThere
    self.pulse = pulse
    self.tapSpacing = tapSpacing
    self.noise = noise
    terms = AlignedBuffer(count: OnsetTables.profiles.count * OnsetTables.onsetCount, zero: .zero)
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
    whiten(window.pointer)
    whiten(window.pointer + count)
    var sum: Float = 0
    for index in 0..<2 * count { sum += window.pointer[index] * window.pointer[index] }
    energy = Double(sum)
  }

  private func whiten(_ taps: UnsafeMutablePointer<Float>) {
    guard let whitening = tables.whitening else { return }
    for tap in 0..<OnsetTables.windowTaps { coloured.pointer[tap] = Double(taps[tap]) }
    whitening.apply(coloured.pointer)
    for tap in 0..<OnsetTables.windowTaps { taps[tap] = Float(coloured.pointer[tap]) }
  }

  /// ln L of what lists of paths are weighed against; `adding` to what was there, for antennas whose scattering is independent.
  func evaluateDeciding(adding: Bool = false) {
    for profile in OnsetTables.deciding {
      evaluate(tables.coarse, profile, from: 0, step: OnsetTables.decidingStep, adding)
    }
  }

  /// ln L of all other profiles and onsets.
  func evaluateRest(adding: Bool = false) {
    for profile in OnsetTables.profiles.indices {
      if OnsetTables.deciding.contains(profile) {
        for first in 1..<OnsetTables.decidingStep {
          evaluate(all, profile, from: first, step: OnsetTables.decidingStep, adding)
        }
      } else {
        evaluate(all, profile, from: 0, step: 1, adding)
      }
    }
  }

  private func evaluate(_ cells: OnsetCells, _ profile: Int, from first: Int, step: Int, _ adding: Bool) {
    let taps = OnsetTables.windowTaps
    let run = Run(
      cell: cells.cell(profile: profile, onset: first), cellStep: step / cells.step,
      term: profile * OnsetTables.onsetCount + first, termStep: step,
      count: (OnsetTables.onsetCount - first + step - 1) / step)
    cells.vectors.withUnsafeBufferPointer { vectors in
      cells.gains.withUnsafeBufferPointer { gains in
        cells.logDeterminants.withUnsafeBufferPointer { determinants in
          guard let vectors = vectors.baseAddress, let gains = gains.baseAddress,
            let determinants = determinants.baseAddress
          else { return }
          let vector = vectors + run.cell * taps
          let gain = gains + run.cell * OnsetTables.rank
          let determinant = determinants + run.cell
          if usesVectorUnits {
            uwb_onset_likelihoods(
              floats(vector), floats(gain), floats(determinant), run.cellStep, window.pointer, window.pointer + taps,
              taps, run.count, floats(terms.pointer + run.term), run.termStep, adding)
          } else {
            evaluate(run, vector, gain, determinant, adding)
          }
        }
      }
    }
  }

  /// Onsets of one profile, and where they are.
  private struct Run {
    var cell: Int
    var cellStep: Int
    var term: Int
    var termStep: Int
    var count: Int
  }

  /// `uwb_onset_likelihoods` on any machine.
  private func evaluate(
    _ run: Run, _ vectors: UnsafePointer<SIMD16<Float>>, _ gains: UnsafePointer<SIMD8<Float>>,
    _ determinants: UnsafePointer<SIMD8<Float>>, _ adding: Bool
  ) {
    let taps = OnsetTables.windowTaps
    let rank = OnsetTables.rank
    let real = window.pointer
    let imaginary = window.pointer + taps
    for index in 0..<run.count {
      let cell = index * run.cellStep
      let vector = vectors + cell * taps
      var realSums = SIMD16<Float>()
      var imaginarySums = SIMD16<Float>()
      for tap in 0..<taps {
        realSums += vector[tap] * real[tap]
        imaginarySums += vector[tap] * imaginary[tap]
      }
      let powers = realSums * realSums + imaginarySums * imaginarySums
      let gain = gains + cell * rank
      var sum = -determinants[cell]
      for component in 0..<rank { sum += gain[component] * powers[component] }
      let term = terms.pointer + (run.term + index * run.termStep)
      term.pointee = adding ? term.pointee + sum : sum
    }
  }

  private func largest(_ profiles: Range<Int>, step: Int) -> Float {
    var best = SIMD8<Float>(repeating: -.infinity)
    var largest = -Float.infinity
    let count = (OnsetTables.onsetCount + step - 1) / step
    for profile in profiles {
      let own = terms.pointer + profile * OnsetTables.onsetCount
      if usesVectorUnits {
        largest = max(largest, uwb_largest(floats(own), step, count))
      } else {
        for index in 0..<count {
          let term = own[index * step]
          best.replace(with: term, where: term .> best)
        }
      }
    }
    return max(largest, best.max())
  }

  /// Leaves in `sums` Σ over ρ of exp(ln L − `reference`) at every `step`-th onset of a profile; returns how many these are.
  private func exponentiate(_ profile: Int, step: Int, over reference: Float) -> Int {
    let count = (OnsetTables.onsetCount + step - 1) / step
    let own = terms.pointer + profile * OnsetTables.onsetCount
    if usesVectorUnits {
      uwb_exponential_sums(floats(own), step, count, reference, Self.negligible, sums.pointer)
      return count
    }
    for index in 0..<count {
      let term = own[index * step] - reference
      var sum = 0.0
      if any(term .> -Self.negligible) {
        for lane in 0..<8 where term[lane] > -Self.negligible { sum += Double(expf(term[lane])) }
      }
      sums.pointer[index] = sum
    }
    return count
  }

  /// ln of the mean likelihood over the deciding profiles (by their priors), onsets and ρ; `evaluateDeciding` has to have run.
  func evidence() -> Double {
    let (profiles, step) = (OnsetTables.deciding, OnsetTables.decidingStep)
    let reference = largest(profiles, step: step)
    guard reference.isFinite else { return -.infinity }
    var total = 0.0
    var weights = 0.0
    for profile in profiles {
      let count = exponentiate(profile, step: step, over: reference)
      var own = 0.0
      for index in 0..<count { own += sums.pointer[index] }
      total += OnsetTables.priors[profile] * own
      weights += OnsetTables.priors[profile] * Double(8 * count)
    }
    return Double(reference) + log(total / weights)
  }

  /// The onset: the posterior's median, and the root mean square of what all profiles alike say of its error; taps from
  /// the start of the accumulator. `nil` where the taps are not finite.
  ///
  /// The median is taken with the profiles' priors, which suit a first path. The deviation gives all profiles equal
  /// weight, since on a dense channel it is the choice of profile that errs most.
  func locate() -> (delay: Double, deviation: Double)? {
    let all = 0..<OnsetTables.profiles.count
    let reference = largest(all, step: 1)
    guard reference.isFinite else { return nil }
    let count = OnsetTables.onsetCount
    for onset in 0..<count {
      located.pointer[onset] = 0
      spread.pointer[onset] = 0
    }
    for profile in all {
      let weight = OnsetTables.priors[profile]
      _ = exponentiate(profile, step: 1, over: reference)
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
    let onset = min(max(0, Int(position.rounded())), OnsetTables.onsetCount - 1)
    let weak = OnsetTables.onsetCount + onset
    let cell = terms.pointer[weak].max() > terms.pointer[onset].max() ? weak : onset
    let term = terms.pointer[cell]
    var lane = 0
    for index in 1..<8 where term[index] > term[lane] { lane = index }
    var pulse = SIMD16<Float>()
    var real = SIMD16<Float>()
    var imaginary = SIMD16<Float>()
    let taps = window.pointer
    all.vectors.withUnsafeBufferPointer { vectors in
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
      let kept = Double(1 - all.gains[cell * OnsetTables.rank + index][lane]) * Double(pulse[index])
      information += kept * Double(pulse[index])
      realSum += kept * Double(real[index])
      imaginarySum += kept * Double(imaginary[index])
    }
    guard information > 0 else { return (.zero, Self.anyPhase) }
    let scale = variance.squareRoot() / information
    let amplitude = Complex(realSum * scale, imaginarySum * scale)
    let ratio = pow(10, Double(OnsetTables.ratiosdB[lane]) / 10)
    // Rounding may leave less than the variance without any scattering, 1/‖p‖².
    let left = max(1 / information - ratio, 1 / Double((pulse * pulse).sum())) * variance
    let phase = (left / 2 / max(amplitude.lengthSquared, .leastNormalMagnitude)).squareRoot()
    return (amplitude, min(phase, Self.anyPhase))
  }

  /// Deviation of a phase that may be anything, rad.
  private static let anyPhase = Double.pi / 3.squareRoot()
}
