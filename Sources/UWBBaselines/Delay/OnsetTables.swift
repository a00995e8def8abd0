import UWBDSP
import UWBPlatform

/// What `OnsetLikelihood` needs of each profile and onset, and what depends on no data: made once for a pulse, where a CIR
/// first asks for it, then shared by all threads.
///
/// With R_τ = ∫ w(t)·p(k − τ − t)·p(l − τ − t) dt = U·Λ·Uᵀ over the window's taps, the whitening of σ²·(I + ρ·R_τ) is
/// diagonal in the same U for every ρ. So for each profile and τ the table holds the 16 leading eigenvectors (beyond
/// them ρ·λ is below the noise: the pulse fills three quarters of the band at most), and for each ρ the gains
/// ρλ/(1 + ρλ) and Σ ln(1 + ρλ).
///
/// Where the taps' noise is correlated, L·Lᵀ, R_τ is whitened on both sides, L⁻¹·R_τ·L⁻ᵀ, and so are pulses and taps.
///
/// R_{τ+1} is R_τ shifted by a tap, so the integrals are done for eight fractions of a tap only.
final class OnsetTables: Sendable {
  /// Taps of the window, the rough first path's place in it, and the range of onsets: `PulseFit`'s window, so that both
  /// explain the same taps.
  static let windowTaps = PulseFit.before + PulseFit.after + 1
  static let roughTap = PulseFit.before
  static let firstOnset = 4
  static let lastOnset = 15
  static let stepsPerTap = 8
  static let onsetCount = (lastOnset - firstOnset) * stepsPerTap + 1
  static let rank = 16
  /// What channels are weighed against each other.
  ///
  /// The last but one is a step, the last a soft onset (CM4 and CM8 of IEEE 802.15.4a). Both are rare beside a first path over scattering. Given
  /// even odds they would push the onset ahead of every first path that stands free, by the rise of its pulse. The third is a first path that
  /// stands free before the scattering.
  static let profiles = [
    OnsetProfile(level: 0.6, logPrior: 0),
    OnsetProfile(level: 0.03, logPrior: 0),
    OnsetProfile(level: 1, gapTaps: 5, logPrior: -5),
    OnsetProfile(firstPath: 0, level: 1, decayTaps: 8, logPrior: -2),
    OnsetProfile(firstPath: 0, level: 1, softness: 0.86, logPrior: -7),
  ]
  /// Of each profile, not normalised.
  static let priors = profiles.map { exp($0.logPrior) }
  /// Of the onsets that are looked at first: half a tap.
  static let coarsestStep = 4

  /// Eigenvectors: for each profile, onset and tap the 16 components.
  let vectors: [SIMD16<Float>]
  /// ρλ/(1 + ρλ): for each profile, onset and eigenvector the eight ratios.
  let gains: [SIMD8<Float>]
  /// Σ ln(1 + ρλ): for each profile and onset the eight ratios.
  let logDeterminants: [SIMD8<Float>]
  /// The pulse at each onset, for each onset and tap.
  let pulses: [Float]
  /// For the window's taps; `nil` for white noise.
  let whitening: Whitening?

  static func onset(_ index: Int) -> Double { Double(firstOnset) + Double(index) / Double(stepsPerTap) }

  private static let kept = LatestFew<ReceiverModel, OnsetTables>(most: 4)

  /// The tables for this pulse, made where they are not kept.
  static func shared(_ receiver: ReceiverModel) -> OnsetTables {
    kept.value(for: receiver.waveform) {
      OnsetTables(PulseTable(receiver), receiver.noise)
    }
  }

  private init(_ table: PulseTable, _ noise: NoiseCorrelation) {
    let window = Self.windowTaps
    let whitening = Whitening(noise, tapCount: window)
    self.whitening = whitening
    let cells = Self.cells(table, whitening)
    (vectors, gains, logDeterminants) = (cells.vectors, cells.gains, cells.logDeterminants)
    let column = AlignedBuffer<Double>(count: window, zero: 0)
    var pulses: [Float] = []
    pulses.reserveCapacity(Self.onsetCount * window)
    for index in 0..<Self.onsetCount {
      table.evaluate(delay: Self.onset(index), firstTap: 0, count: window, into: column.pointer)
      whitening?.apply(column.pointer)
      for tap in 0..<window { pulses.append(Float(column.pointer[tap])) }
    }
    self.pulses = pulses
  }

  /// Where a profile at an onset is found.
  static func cell(profile: Int, onset: Int) -> Int { profile * onsetCount + onset }

  private static func cells(
    _ table: PulseTable, _ whitening: Whitening?
  ) -> (vectors: [SIMD16<Float>], gains: [SIMD8<Float>], logDeterminants: [SIMD8<Float>]) {
    let window = windowTaps
    let count = profiles.count * onsetCount
    var vectors = [SIMD16<Float>](repeating: .zero, count: count * window)
    var gains = [SIMD8<Float>](repeating: .zero, count: count * rank)
    var logDeterminants = [SIMD8<Float>](repeating: .zero, count: count)
    for profile in profiles.indices {
      let scatterings = profiles[profile].scatterings(
        table, whitening, windowTaps: window, first: Double(firstOnset), stepsPerTap: stepsPerTap, count: onsetCount,
        rank: rank)
      for (onset, scattering) in scatterings.enumerated() {
        let cell = cell(profile: profile, onset: onset)
        for component in 0..<rank {
          for tap in 0..<window {
            vectors[cell * window + tap][component] = Float(scattering.vectors[component * window + tap])
          }
          let scaled = ratios * Float(scattering.values[component])
          gains[cell * rank + component] = scaled / (1 + scaled)
          for lane in 0..<8 { logDeterminants[cell][lane] += log1pf(scaled[lane]) }
        }
      }
    }
    return (vectors, gains, logDeterminants)
  }

  private static let ratios = {
    var ratios = SIMD8<Float>()
    for lane in 0..<8 { ratios[lane] = powf(10, OnsetProfile.ratiosdB[lane] / 10) }
    return ratios
  }()
}
