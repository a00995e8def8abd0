import Numerics
import UWBPlatform

/// Measures a radio's pulse from captures of ordinary traffic, without a reference channel.
///
/// A CIR is the pulse convolved with the channel, H(f) = P(f)·C(f) + noise. Over many places the channel's own power
/// spectrum averages out flat, so the mean of |H(f)|² (each CIR scaled to unit energy) is |P(f)|² plus a noise floor,
/// which the band's empty edges show. The power spectrum says nothing of the phase. The minimum phase φ, as of a causal
/// receive filter, follows from the folded cepstrum (Oppenheim & Schafer, "Discrete-Time Signal Processing", 1989,
/// section 12.3):
///
///     c = IFFT(ln|P|),   ĉ[0] = c[0],  ĉ[n] = 2·c[n] for 0 < n < N/2,  ĉ[N/2] = c[N/2],  0 beyond,   ln|P| + jφ = FFT(ĉ)
///
/// A matched receiver's pulse is symmetric and has phase 0. Candidates with phase s·φ, s = 0 … 1, are compared by what
/// they leave of the rise of first paths (`PulseRise`), in a quarter of the CIRs and with the spectrum of the others.
///
/// Needs CIRs from many places: a hundred from one place show that place's channel. Cost: a transform of 256 points a CIR.
public struct PulseEstimation: Sendable {
  /// Taps of a CIR that are looked at, and how many of them come before the first path.
  static let windowTaps = 256
  static let tapsBefore = 16
  static let pointsPerTap = 8
  /// Taps of the pulse that are kept before and after its peak.
  static let keptBefore = 8
  static let keptAfter = 16

  private var powers = [Double](repeating: 0, count: windowTaps)
  /// The same of the CIRs that are held out.
  private var heldOutPowers = [Double](repeating: 0, count: windowTaps)
  private var rises: [PulseRise] = []
  /// CIRs that were taken.
  public private(set) var count = 0

  /// One CIR in so many is held out of the spectrum, to compare phases on and to see the model error.
  private static let heldOutPeriod = 4
  private let holdsOut: Bool
  /// Phases that are compared, as shares of the minimum phase.
  private static let phaseShares = [0, 0.25, 0.5, 0.75, 1]

  /// A measured pulse and how well it is known.
  public struct Estimate: Sendable, Hashable {
    /// The pulse.
    public var pulse: MeasuredPulse
    /// Share of the minimum phase in the pulse's phase: 0 for a symmetric pulse, 1 for a causal filter's.
    public var phaseShare: Double
    /// What the pulse leaves of the rise of a first path in CIRs held out, relative to its amplitude, without noise.
    ///
    /// It is the lower quartile over these CIRs: in many of the others paths overlap. `nil` where there were none.
    public var modelError: Double?
  }

  /// No CIRs taken yet.
  public init() { self.init(holdsOut: true) }

  /// - Parameter holdsOut: whether phases are compared on CIRs that the spectrum does not hold. It says nothing of phases: where CIRs are few,
  ///   all are compared on.
  init(holdsOut: Bool) { self.holdsOut = holdsOut }

  /// Takes one antenna of a CIR whose first path is near `firstPathTaps`; CIRs without energy there count for nothing.
  public mutating func add(
    _ response: ChannelImpulseResponse, antenna: Int = 0, firstPathTaps: Double, backgroundPeriodTaps: Int? = nil
  ) {
    let taps = PreparedTaps(tapCount: response.tapCount)
    taps.load(response, antenna: antenna, backgroundPeriodTaps: backgroundPeriodTaps)
    guard abs(firstPathTaps) < 1e6, let whole = Int(checked: firstPathTaps, rounded: .towardZero) else { return }
    add(taps, firstPathTap: whole)
  }

  /// Takes a CIR whose first path begins near `whole`.
  ///
  /// - Parameter power: by which its spectrum is scaled; its energy where `nil`.
  mutating func add(_ taps: PreparedTaps, firstPathTap whole: Int, power: Double? = nil) {
    guard taps.isUsable else { return }
    let start = whole - Self.tapsBefore
    let window = (start..<start + Self.windowTaps).map { tap -> Complex<Float> in
      (0..<taps.count).contains(tap) ? Complex(taps.taps[2 * tap], taps.taps[2 * tap + 1]) : .zero
    }
    let spectrum = FourierTransform.forward(window).map {
      Double($0.rawStorage.x * $0.rawStorage.x + $0.rawStorage.y * $0.rawStorage.y)
    }
    let energy = power ?? spectrum.reduce(0, +)
    guard energy > 0 else { return }
    defer { count += 1 }
    let normalised = spectrum.map { $0 / energy }
    let isHeldOut = count % Self.heldOutPeriod == Self.heldOutPeriod - 1
    if isHeldOut || !holdsOut, rises.count < PulseRise.mostCount { rises.append(PulseRise(taps, index: whole)) }
    for index in 0..<Self.windowTaps {
      if isHeldOut && holdsOut { heldOutPowers[index] += normalised[index] } else { powers[index] += normalised[index] }
    }
  }

  /// The pulse, 1/8 tap apart; `nil` before any CIR was taken.
  public func estimate(tapSpacing: Double = UWB.tap) -> Estimate? {
    estimate(tapSpacing: tapSpacing, phaseShares: Self.phaseShares)
  }

  /// The pulse, its phase one of these shares of the minimum phase; ascending.
  ///
  /// - Parameters:
  ///   - usual: the share that others have to beat.
  ///   - margin: what they may leave at most, over what the usual one leaves.
  func estimate(
    tapSpacing: Double, phaseShares: [Double], usual: Double? = nil, margin: Double = 1
  ) -> Estimate? {
    guard count > 0 else { return nil }
    let judged = logarithmOfMinimumPhase(powers)
    let candidates = phaseShares.reversed().compactMap { share -> (share: Double, left: PulseRise.Residual)? in
      guard let pulse = pulse(judged, phaseShare: share, tapSpacing: tapSpacing) else { return nil }
      return PulseRise.residual(of: rises, pulse: .measured(pulse), tapSpacing: tapSpacing).map { (share, $0) }
    }
    let usualLeft = candidates.first { $0.share == usual }?.left.whole ?? .infinity
    let best = candidates.filter { $0.share == usual || $0.left.whole < margin * usualLeft }
      .min { $0.left.whole < $1.left.whole }
    // All CIRs make the pulse; without one to compare on, its phase is the minimum phase.
    let logarithm = logarithmOfMinimumPhase(zip(powers, heldOutPowers).map { $0 + $1 })
    let share = best?.share ?? 1
    return pulse(logarithm, phaseShare: share, tapSpacing: tapSpacing).map { pulse in
      Estimate(pulse: pulse, phaseShare: share, modelError: best.map { max($0.left.withoutNoise, 0).squareRoot() })
    }
  }

  /// What `pulse` leaves of the rise of first paths in CIRs held out, noise included; `nil` where there are none.
  func residual(of pulse: PulseShape, tapSpacing: Double) -> Double? {
    PulseRise.residual(of: rises, pulse: pulse, tapSpacing: tapSpacing)?.whole
  }

  private func pulse(_ logarithm: [Complex<Float>], phaseShare: Double, tapSpacing: Double) -> MeasuredPulse? {
    let spectrum = logarithm.map { value in
      let raw = value.rawStorage
      return Complex.exp(Complex(raw.x, Float(phaseShare) * raw.y))
    }
    let fine = interpolated(spectrum)
    guard let peak = fine.indices.max(by: { fine[$0].lengthSquared < fine[$1].lengthSquared }), fine[peak] != .zero
    else { return nil }
    let points = Self.pointsPerTap
    let span = -Self.keptBefore * points...Self.keptAfter * points
    let samples = span.map { offset -> Double in
      let value = fine[(peak + offset + fine.count) % fine.count] / fine[peak]
      let taps = Double(offset) / Double(points)
      // The ends fade to zero over 2 and 4 taps: what is there is noise.
      let fade = min(1, (taps + Double(Self.keptBefore)) / 2, (Double(Self.keptAfter) - taps) / 4)
      return value.real * max(0, fade)
    }
    return MeasuredPulse(
      samples: samples, spacing: tapSpacing / Double(points), peakPosition: Double(Self.keptBefore * points))
  }

  /// The mean spectrum less the floor at the band's edges (the tenth of the bins that is farthest from its centre).
  private func withoutNoise(_ powers: [Double]) -> [Double] {
    let half = Self.windowTaps / 2
    let edge = Self.windowTaps / 20
    let floor = powers[(half - edge)..<(half + edge)].reduce(0, +) / Double(2 * edge)
    var clean = powers.map { max($0 - floor, 1e-5 * (powers.max() ?? 0)) }
    // The receiver's own offset is no part of the pulse.
    clean[0] = (clean[1] + clean[Self.windowTaps - 1]) / 2
    return clean
  }

  /// Averaged in decibels over 13 bins, 5 % of the band, with a raised-cosine weight.
  private func smoothed(_ spectrum: [Double]) -> [Double] {
    let reach = 6
    let weights = (-reach...reach).map { 1 + cos(.pi * Double($0) / Double(reach + 1)) }
    let total = weights.reduce(0, +)
    let count = spectrum.count
    return (0..<count).map { bin in
      let sum = (-reach...reach).reduce(0.0) { sum, offset in
        sum + weights[offset + reach] * log(spectrum[(bin + offset + count) % count])
      }
      return exp(sum / total)
    }
  }

  /// ln|P| + jφ with the minimum phase φ, from the sum of power spectra.
  private func logarithmOfMinimumPhase(_ powers: [Double]) -> [Complex<Float>] {
    let power = smoothed(withoutNoise(powers))
    let count = power.count
    let largest = power.max() ?? 1
    let logarithm = power.map { Complex<Float>(Float(0.5 * log($0 / largest))) }
    let cepstrum = FourierTransform.inverse(logarithm)
    let folded = cepstrum.enumerated().map { index, value -> Complex<Float> in
      let weight: Float = index == 0 || index == count / 2 ? 1 : index < count / 2 ? 2 : 0
      return value * Complex(weight / Float(count))
    }
    return FourierTransform.forward(folded)
  }

  /// Back in time, with `pointsPerTap` points a tap.
  private func interpolated(_ spectrum: [Complex<Float>]) -> [Complex<Double>] {
    let half = spectrum.count / 2
    var padded = [Complex<Float>](repeating: .zero, count: spectrum.count * Self.pointsPerTap)
    for index in 0..<half {
      padded[index] = spectrum[index]
      padded[padded.count - half + index] = spectrum[half + index]
    }
    return FourierTransform.inverse(padded).map { Complex(Double($0.rawStorage.x), Double($0.rawStorage.y)) }
  }
}
