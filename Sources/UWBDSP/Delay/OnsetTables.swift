import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What `OnsetLikelihood` needs of each profile and onset, and what depends on no data: made once for a pulse, then
/// shared by all threads.
///
/// With R_τ = ∫ w(t)·p(k − τ − t)·p(l − τ − t) dt = U·Λ·Uᵀ over the window's taps, the whitening of σ²·(I + ρ·R_τ) is
/// diagonal in the same U for every ρ. So for each profile and τ the table holds the 16 leading eigenvectors (beyond
/// them ρ·λ is below the noise: the pulse fills three quarters of the band at most), and for each ρ the gains
/// ρλ/(1 + ρλ) and Σ ln(1 + ρλ).
///
/// Where the taps' noise is correlated, L·Lᵀ, R_τ is whitened on both sides, L⁻¹·R_τ·L⁻ᵀ, and so are pulses and taps.
///
/// R_{τ+1} is R_τ shifted by a tap, so the integrals are done for eight fractions of a tap only. Some tens of milliseconds and 0.9 MB.
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
  /// The profiles with a first path: what a list of paths is weighed against.
  static let deciding = 0..<3

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

  private struct Key: Hashable {
    var pulse: PulseShape
    var tapSpacing: Double
    var noise: NoiseCorrelation
  }
  /// Pulses whose tables are kept, the latest: a process that runs through many must not keep them all.
  private static let mostKept = 4
  private static let cache = Mutex<[(key: Key, tables: OnsetTables)]>([])

  /// The tables for this pulse, made where they are not kept.
  static func shared(pulse: PulseShape, tapSpacing: Double, noise: NoiseCorrelation = .white) -> OnsetTables {
    let key = Key(pulse: pulse, tapSpacing: tapSpacing, noise: noise)
    return cache.withLock { kept in
      if let known = kept.first(where: { $0.key == key }) { return known.tables }
      let tables = OnsetTables(pulse: pulse, tapSpacing: tapSpacing, noise: noise)
      if kept.count == mostKept { kept.removeFirst() }
      kept.append((key, tables))
      return tables
    }
  }

  private init(pulse: PulseShape, tapSpacing: Double, noise: NoiseCorrelation) {
    let table = PulseTable(pulse, tapSpacing: tapSpacing)
    let window = Self.windowTaps
    let whitening = Whitening(noise, tapCount: window)
    self.whitening = whitening
    let eigen = SymmetricEigenvectors(capacity: window)
    let extended = window + Self.lastOnset - Self.firstOnset
    let cells = Self.profiles.count * Self.onsetCount
    var vectors = [SIMD16<Float>](repeating: .zero, count: cells * window)
    var gains = [SIMD8<Float>](repeating: .zero, count: cells * Self.rank)
    var logDeterminants = [SIMD8<Float>](repeating: .zero, count: cells)
    for (profileIndex, profile) in Self.profiles.enumerated() {
      for fraction in 0..<Self.stepsPerTap {
        let latest = Double(Self.lastOnset) + Double(fraction) / Double(Self.stepsPerTap)
        let covariance = Self.covariance(profile, table, onset: latest, count: extended)
        for whole in Self.firstOnset...Self.lastOnset {
          let onset = (whole - Self.firstOnset) * Self.stepsPerTap + fraction
          guard onset < Self.onsetCount else { continue }
          // Tap k of a window with the onset at `whole` is tap k + shift of one with it at `lastOnset`.
          let shift = Self.lastOnset - whole
          for column in 0..<window {
            for row in 0..<window {
              eigen.matrix.pointer[column * window + row] = covariance[(column + shift) * extended + row + shift]
            }
          }
          whitening?.applyToBothSides(eigen.matrix.pointer)
          guard eigen.decompose(order: window) else { continue }
          let cell = profileIndex * Self.onsetCount + onset
          for index in 0..<Self.rank {
            let column = window - 1 - index
            let value = Float(max(0, eigen.values.pointer[column]))
            for tap in 0..<window {
              vectors[cell * window + tap][index] = Float(eigen.matrix.pointer[column * window + tap])
            }
            for lane in 0..<8 {
              let scaled = powf(10, Self.ratiosdB[lane] / 10) * value
              gains[cell * Self.rank + index][lane] = scaled / (1 + scaled)
              logDeterminants[cell][lane] += log1pf(scaled)
            }
          }
        }
      }
    }
    self.vectors = vectors
    self.gains = gains
    self.logDeterminants = logDeterminants
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

  /// R_τ over `count` taps by the midpoint rule in quarter taps: twice what the pulse's band asks for.
  private static func covariance(
    _ profile: OnsetProfile, _ table: PulseTable, onset: Double, count: Int
  ) -> [Double] {
    let step = 0.25
    let column = AlignedBuffer<Double>(count: count, zero: 0)
    var matrix = [Double](repeating: 0, count: count * count)
    func add(at delay: Double, power: Double) {
      guard power > 0 else { return }
      table.evaluate(delay: delay, firstTap: 0, count: count, into: column.pointer)
      for row in 0..<count {
        let scaled = power * column.pointer[row]
        for index in 0..<count { matrix[row * count + index] += scaled * column.pointer[index] }
      }
    }
    add(at: onset, power: profile.firstPath)
    // Scattering whose pulse peaks 8 taps and more behind the window leaves nothing in it.
    for index in 0..<Int((Double(count) + 8 - onset) / step) {
      let time = (Double(index) + 0.5) * step
      add(at: onset + time, power: step * profile.scattering(time))
    }
    return matrix
  }
}
