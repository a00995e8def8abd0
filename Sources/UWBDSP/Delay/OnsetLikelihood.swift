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
/// Cost: some 60 ns for each onset and profile.
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
  private(set) var firstTap = 0
  /// Σ|y|²/v
  private(set) var energy = 0.0
  private var variance = 0.0

  /// What is less likely than the best by a factor e^(−20) is left out: not worth its exponential.
  private static let negligible: Float = 20

  init(pulse: PulseShape, tapSpacing: Double, noise: NoiseCorrelation = .white) {
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

  /// ln L of `profiles` at every `step`-th onset; `adding` to what was there, for antennas whose scattering is independent.
  func evaluate(_ profiles: Range<Int>, step: Int, adding: Bool = false) {
    let count = OnsetTables.windowTaps
    let rank = OnsetTables.rank
    let real = window.pointer
    let imaginary = window.pointer + count
    let isCoarse = step == OnsetTables.decidingStep && profiles == OnsetTables.deciding
    let cells = isCoarse ? tables.coarse : all
    cells.vectors.withUnsafeBufferPointer { vectors in
      cells.gains.withUnsafeBufferPointer { gains in
        cells.logDeterminants.withUnsafeBufferPointer { determinants in
          guard let vectors = vectors.baseAddress, let gains = gains.baseAddress else { return }
          for profile in profiles {
            for onset in stride(from: 0, to: OnsetTables.onsetCount, by: step) {
              let cell = cells.cell(profile: profile, onset: onset)
              let term = terms.pointer + (profile * OnsetTables.onsetCount + onset)
              let vector = vectors + cell * count
              var realSums = SIMD16<Float>()
              var imaginarySums = SIMD16<Float>()
              for tap in 0..<count {
                realSums += vector[tap] * real[tap]
                imaginarySums += vector[tap] * imaginary[tap]
              }
              let powers = realSums * realSums + imaginarySums * imaginarySums
              let gain = gains + cell * rank
              var sum = -determinants[cell]
              for index in 0..<rank { sum += gain[index] * powers[index] }
              term.pointee = adding ? term.pointee + sum : sum
            }
          }
        }
      }
    }
  }

  private func largest(_ profiles: Range<Int>, step: Int) -> Float {
    var best = SIMD8<Float>(repeating: -.infinity)
    for profile in profiles {
      for onset in stride(from: 0, to: OnsetTables.onsetCount, by: step) {
        let term = terms.pointer[profile * OnsetTables.onsetCount + onset]
        best.replace(with: term, where: term .> best)
      }
    }
    return best.max()
  }

  /// Σ over ρ of exp(ln L − `reference`).
  private func sum(_ profile: Int, _ onset: Int, over reference: Float) -> Double {
    let term = terms.pointer[profile * OnsetTables.onsetCount + onset] - reference
    guard term.max() > -Self.negligible else { return 0 }
    var sum = 0.0
    for lane in 0..<8 where term[lane] > -Self.negligible { sum += Double(expf(term[lane])) }
    return sum
  }

  /// ln of the mean likelihood over `profiles` (by their priors), onsets and ρ; `evaluate` has to have run over them.
  func evidence(_ profiles: Range<Int>, step: Int) -> Double {
    let reference = largest(profiles, step: step)
    guard reference.isFinite else { return -.infinity }
    var total = 0.0
    var weights = 0.0
    var onsets = 0.0
    for profile in profiles {
      var own = 0.0
      onsets = 0
      for onset in stride(from: 0, to: OnsetTables.onsetCount, by: step) {
        own += sum(profile, onset, over: reference)
        onsets += 1
      }
      let weight = exp(OnsetTables.profiles[profile].logPrior)
      weights += weight
      total += weight * own
    }
    return Double(reference) + log(total / (weights * onsets * 8))
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
      let weight = exp(OnsetTables.profiles[profile].logPrior)
      for onset in 0..<count {
        let own = sum(profile, onset, over: reference)
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
    for tap in 0..<count {
      let vector = all.vectors[cell * count + tap]
      pulse += vector * tables.pulses[onset * count + tap]
      real += vector * window.pointer[tap]
      imaginary += vector * window.pointer[count + tap]
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
