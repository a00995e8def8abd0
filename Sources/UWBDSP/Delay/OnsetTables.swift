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
/// R_{τ+1} is R_τ shifted by a tap, so the integrals are done for eight fractions of a tap only. What tells a list of paths from a
/// continuum, three profiles at every other onset, comes first (some 10 ms); the rest, where a CIR turns out to be dense (some 20 ms
/// more). 0.9 MB.
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
  /// ρ in dB, lane by lane.
  static let ratiosdB = SIMD8<Float>(0, 7, 14, 21, 28, 35, 42, 49)
  static let profiles = OnsetProfile.all
  /// Of each profile, not normalised.
  static let priors = profiles.map { exp($0.logPrior) }
  /// The profiles with a first path: what a list of paths is weighed against.
  static let deciding = 0..<3
  /// The others.
  static let onlyLocating = 3..<profiles.count

  /// From one onset to the next of those that are enough to choose by.
  static let decidingStep = 2
  /// Of the onsets that are looked at first: half a tap.
  static let coarsestStep = 4

  /// What lists of paths are weighed against: `deciding` at every `decidingStep`-th onset.
  let coarse: OnsetCells
  /// The pulse at each onset, for each onset and tap.
  let pulses: [Float]
  /// For the window's taps; `nil` for white noise.
  let whitening: Whitening?

  private let table: PulseTable
  private let whole = StateLock<OnsetCells?>(nil)

  /// All profiles at all onsets; made where they are first asked for.
  var all: OnsetCells {
    whole.withLock { known in
      if let known { return known }
      let made = OnsetCells(0..<Self.profiles.count, step: 1, table, whitening, known: coarse)
      known = made
      return made
    }
  }

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
    self.table = table
    self.whitening = whitening
    coarse = OnsetCells(Self.deciding, step: Self.decidingStep, table, whitening)
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
}

/// Eigenvectors and eigenvalues of some profiles' R_τ at every so many onsets.
struct OnsetCells: Sendable {
  let profiles: Range<Int>
  /// From one onset to the next, in steps of `OnsetTables.stepsPerTap`.
  let step: Int
  /// Eigenvectors: for each cell and tap the 16 components.
  private(set) var vectors: [SIMD16<Float>]
  /// ρλ/(1 + ρλ): for each cell and eigenvector the eight ratios.
  private(set) var gains: [SIMD8<Float>]
  /// Σ ln(1 + ρλ): for each cell the eight ratios.
  private(set) var logDeterminants: [SIMD8<Float>]

  /// - Parameter known: cells that needn't be made again.
  fileprivate init(
    _ profiles: Range<Int>, step: Int, _ table: PulseTable, _ whitening: Whitening?, known: OnsetCells? = nil
  ) {
    self.profiles = profiles
    self.step = step
    let window = OnsetTables.windowTaps
    let cells = profiles.count * Self.onsets(step)
    vectors = [SIMD16<Float>](repeating: .zero, count: cells * window)
    gains = [SIMD8<Float>](repeating: .zero, count: cells * OnsetTables.rank)
    logDeterminants = [SIMD8<Float>](repeating: .zero, count: cells)
    let eigen = SymmetricEigenvectors(capacity: window)
    let steps = OnsetTables.stepsPerTap
    let extended = window + OnsetTables.lastOnset - OnsetTables.firstOnset
    for profile in profiles {
      for fraction in stride(from: 0, to: steps, by: step) {
        let latest = Double(OnsetTables.lastOnset) + Double(fraction) / Double(steps)
        var covariance: [Double] = []
        for whole in OnsetTables.firstOnset...OnsetTables.lastOnset {
          let onset = (whole - OnsetTables.firstOnset) * steps + fraction
          guard onset < OnsetTables.onsetCount else { continue }
          if let known, let source = known.cell(profile, onset) {
            copy(source, of: known, to: cell(profile: profile, onset: onset))
            continue
          }
          if covariance.isEmpty {
            covariance = OnsetTables.profiles[profile].covariance(table, onset: latest, count: extended)
          }
          // Tap k of a window with the onset at `whole` is tap k + shift of one with it at `lastOnset`.
          let shift = OnsetTables.lastOnset - whole
          for column in 0..<window {
            for row in 0..<window {
              eigen.matrix.pointer[column * window + row] = covariance[(column + shift) * extended + row + shift]
            }
          }
          whitening?.applyToBothSides(eigen.matrix.pointer)
          guard eigen.decompose(order: window) else { continue }
          take(eigen, as: cell(profile: profile, onset: onset))
        }
      }
    }
  }

  private static func onsets(_ step: Int) -> Int { (OnsetTables.onsetCount + step - 1) / step }

  /// Where a profile at an onset is found.
  ///
  /// - Precondition: it is one of these cells.
  func cell(profile: Int, onset: Int) -> Int {
    (profile - profiles.lowerBound) * Self.onsets(step) + onset / step
  }

  /// The same, `nil` where it is not one of these.
  private func cell(_ profile: Int, _ onset: Int) -> Int? {
    profiles.contains(profile) && onset % step == 0 ? cell(profile: profile, onset: onset) : nil
  }

  private mutating func copy(_ source: Int, of other: OnsetCells, to target: Int) {
    let (window, rank) = (OnsetTables.windowTaps, OnsetTables.rank)
    for tap in 0..<window { vectors[target * window + tap] = other.vectors[source * window + tap] }
    for index in 0..<rank { gains[target * rank + index] = other.gains[source * rank + index] }
    logDeterminants[target] = other.logDeterminants[source]
  }

  private static let ratios = {
    var ratios = SIMD8<Float>()
    for lane in 0..<8 { ratios[lane] = powf(10, OnsetTables.ratiosdB[lane] / 10) }
    return ratios
  }()

  private mutating func take(_ eigen: SymmetricEigenvectors, as cell: Int) {
    let window = OnsetTables.windowTaps
    for index in 0..<OnsetTables.rank {
      let column = window - 1 - index
      let scaled = Self.ratios * Float(max(0, eigen.values.pointer[column]))
      for tap in 0..<window {
        vectors[cell * window + tap][index] = Float(eigen.matrix.pointer[column * window + tap])
      }
      gains[cell * OnsetTables.rank + index] = scaled / (1 + scaled)
      for lane in 0..<8 { logDeterminants[cell][lane] += log1pf(scaled[lane]) }
    }
  }
}
