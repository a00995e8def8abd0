import CUWBKernels
import UWBPlatform

/// What `RiceLikelihood` needs of each alternative and onset, and what depends on no data: made once for a pulse, then shared by all
/// threads.
///
/// R_τ, the covariance of the scattering behind a first path at τ, is U·Λ·Uᵀ over the window's taps. A cell holds its eight leading
/// eigenvectors u; what the others hold is below the noise. For each u it holds the gain g = ρλ/(1 + ρλ) for each ρ, and uᵀp of the path's
/// pulse p. Where the taps' noise is correlated, R_τ is whitened on both sides, and so are pulses and taps. 0.3 MB.
final class RiceTables: Sendable {
  /// Taps of the window and the rough first path's place in it. Before it lies more than the rise of its pulse, behind it enough to
  /// estimate the power of the scattering.
  static let windowTaps = uwb_rice_taps
  static let roughTap = 8
  /// Onsets, from the earliest on, that may belong to a rough first path.
  static let firstOnset = Double(roughTap) - 4.5
  static let stepsPerTap = 8
  static let onsetCount = 57
  static let rank = uwb_rice_rank

  // Written before they are shared, and never after.

  /// Cells: for each onset and alternative.
  nonisolated(unsafe) let cells: AlignedBuffer<Float>
  /// The pulse for each onset and tap.
  nonisolated(unsafe) let pulses: AlignedBuffer<Float>
  /// For the window's taps; `nil` for white noise.
  let whitening: Whitening?

  /// |h|² of the strongest tap of the window that begins at a tap.
  static func strongestPower(_ taps: PreparedTaps, firstTap: Int) -> Double {
    var peak: Float = 0
    let last = min(taps.count, firstTap + windowTaps)
    for tap in max(0, firstTap)..<max(0, firstTap, last) { peak = max(peak, taps.powers.pointer[tap]) }
    return Double(peak)
  }

  static func onset(_ index: Int) -> Double { firstOnset + Double(index) / Double(stepsPerTap) }

  private static let kept = LatestFew<ReceiverModel, RiceTables>(most: 4)

  /// The tables for this pulse, made where they are not kept.
  static func shared(_ receiver: ReceiverModel) -> RiceTables {
    kept.value(for: receiver.waveform) {
      RiceTables(PulseTable(receiver), receiver.noise)
    }
  }

  private init(_ table: PulseTable, _ noise: NoiseCorrelation) {
    let window = Self.windowTaps
    let whitening = Whitening(noise, tapCount: window)
    self.whitening = whitening
    let alternatives = RiceAlternative.all
    cells = AlignedBuffer(count: Self.onsetCount * alternatives.count * uwb_rice_cell, zero: 0)
    pulses = AlignedBuffer(count: Self.onsetCount * window, zero: 0)
    var scatterings: [OnsetProfile: [Scattering]] = [:]
    for (profile, own) in Dictionary(grouping: alternatives, by: \.profile) {
      let furthest = own.map(\.gapSteps).max() ?? 0
      scatterings[profile] = profile.scatterings(
        table, whitening, windowTaps: window, first: Self.firstOnset, stepsPerTap: Self.stepsPerTap,
        count: Self.onsetCount + furthest, rank: Self.rank)
    }
    let pulse = AlignedBuffer<Double>(count: window, zero: 0)
    for onset in 0..<Self.onsetCount {
      table.evaluate(delay: Self.onset(onset), firstTap: 0, count: window, into: pulse.pointer)
      whitening?.apply(pulse.pointer)
      for tap in 0..<window { pulses.pointer[onset * window + tap] = Float(pulse.pointer[tap]) }
      for (index, alternative) in alternatives.enumerated() {
        guard let scattering = scatterings[alternative.profile]?[onset + alternative.gapSteps] else { continue }
        let cell = cells.pointer + (onset * alternatives.count + index) * uwb_rice_cell
        Self.fill(cell, alternative.hasPath ? pulse.pointer : nil, scattering)
      }
    }
  }

  /// ρ
  private static let ratios = (0..<8).map { pow(10, Double(OnsetProfile.ratiosdB[$0]) / 10) }

  /// - Parameter pulse: of the path before the scattering; `nil` where there is none.
  private static func fill(
    _ cell: UnsafeMutablePointer<Float>, _ pulse: UnsafePointer<Double>?, _ scattering: Scattering
  ) {
    var determinants = SIMD8<Double>()
    var information = SIMD8<Double>(repeating: pulse.map { dotProduct($0, $0, count: windowTaps) } ?? 0)
    for component in 0..<rank {
      var seen = 0.0
      for tap in 0..<windowTaps {
        let element = scattering.vectors[component * windowTaps + tap]
        cell[tap * rank + component] = Float(element)
        seen += element * (pulse?[tap] ?? 0)
      }
      cell[uwb_rice_seen + component] = Float(seen)
      for lane in 0..<8 {
        let scaled = Self.ratios[lane] * scattering.values[component]
        let gain = scaled / (1 + scaled)
        cell[uwb_rice_gains + component * 8 + lane] = Float(gain)
        determinants[lane] += log1p(scaled)
        information[lane] -= gain * seen * seen
      }
    }
    for lane in 0..<8 {
      let left = max(information[lane], 1e-12)
      cell[uwb_rice_constants + lane] = Float(-determinants[lane] - (pulse == nil ? 0 : log(left)))
      cell[uwb_rice_inverses + lane] = pulse == nil ? 0 : Float(1 / left)
    }
  }
}
