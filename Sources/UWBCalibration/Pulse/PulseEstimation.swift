import Numerics
import UWBDSP
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
/// A board's pulse is mostly that of its kind, R, through a filter of its own: it has the phase of R, and a share of the minimum phase of
/// |P|/|R|. Where no pulse of its kind is known, it has a share of the minimum phase of |P|: none if the receiver is matched, for its pulse
/// is symmetric. Phases are compared by what they leave of the rise of first paths (`PulseRise`), in a quarter of the CIRs and with the
/// spectrum of the others.
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
  private let known: PulseShape?
  /// Shares of a minimum phase that are compared.
  private static let shares = [1, 0.75, 0.5, 0.25, 0]
  /// What a phase unlike the known pulse's may leave of first paths' rises at most, over what the best one near it leaves.
  private static let otherPhaseMargin = 0.7

  /// A few hundred CIRs know their pulse no better than the lower one. Beyond the upper one, what is left of rises is other paths. Set on rooms and
  /// pulses of other draws than the arena's.
  private static let leastModelError = 0.01
  private static let mostModelError = 0.03

  /// Where a pulse's phase comes from.
  public enum Phase: Sendable, Hashable {
    /// This share of the minimum phase: 0 for a symmetric pulse, 1 for a causal filter's.
    case minimum(share: Double)
    /// The known pulse's phase, and this share of the minimum phase of the filter between the two.
    case known(share: Double)
  }

  /// A measured pulse and how well it is known.
  public struct Estimate: Sendable, Hashable {
    /// The pulse.
    public var pulse: MeasuredPulse
    /// Where its phase comes from.
    public var phase: Phase
    /// What the pulse leaves of the rise of a first path in CIRs held out, relative to its amplitude, without noise.
    ///
    /// It is the lower quartile over these CIRs, for in many of the others paths overlap; within 0.01 … 0.03. `nil` where there were none.
    public var modelError: Double?
  }

  /// No CIRs taken yet.
  ///
  /// - Parameter known: the pulse of radios of this kind, where there is one: this radio's is looked for near it first.
  public init(near known: PulseShape? = nil) { self.init(near: known, holdsOut: true) }

  /// - Parameter holdsOut: whether phases are compared on CIRs that the spectrum does not hold. It says nothing of phases: where CIRs are few,
  ///   all are compared on.
  init(near known: PulseShape?, holdsOut: Bool) { (self.known, self.holdsOut) = (known, holdsOut) }

  /// Takes one antenna of a CIR whose first path is near `firstPathTaps`; CIRs without energy there count for nothing.
  public mutating func add(
    _ response: ChannelImpulseResponse, antenna: Int = 0, firstPathTaps: Double
  ) {
    let taps = PreparedTaps(tapCount: response.tapCount)
    taps.load(response, antenna: antenna)
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
    guard count > 0 else { return nil }
    let judged = PulseSpectrum(powers, near: known, tapSpacing: tapSpacing)
    func best(_ phases: [Phase]) -> Candidate? {
      phases.compactMap { phase -> Candidate? in
        guard let pulse = pulse(judged(phase), tapSpacing: tapSpacing) else { return nil }
        return PulseRise.residual(of: rises, pulse: .measured(pulse), tapSpacing: tapSpacing).map { (phase, $0) }
      }.min { $0.left.whole < $1.left.whole }
    }
    var chosen = best(Self.shares.map { .minimum(share: $0) })
    if known != nil, let near = best(Self.shares.map { .known(share: $0) }),
      Self.otherPhaseMargin * near.left.whole <= chosen?.left.whole ?? .infinity
    {
      chosen = near
    }
    // All CIRs make the pulse; without one to compare on, its phase is the minimum phase.
    let whole = PulseSpectrum(zip(powers, heldOutPowers).map { $0 + $1 }, near: known, tapSpacing: tapSpacing)
    let phase = chosen?.phase ?? (known == nil ? .minimum(share: 1) : .known(share: 1))
    return pulse(whole(phase), tapSpacing: tapSpacing).map { pulse in
      Estimate(
        pulse: pulse, phase: phase,
        modelError: chosen.map {
          min(max(max($0.left.withoutNoise, 0).squareRoot(), Self.leastModelError), Self.mostModelError)
        })
    }
  }

  private typealias Candidate = (phase: Phase, left: PulseRise.Residual)

  /// What `pulse` leaves of the rise of first paths in CIRs held out, noise included; `nil` where there are none.
  func residual(of pulse: PulseShape, tapSpacing: Double) -> Double? {
    PulseRise.residual(of: rises, pulse: pulse, tapSpacing: tapSpacing)?.whole
  }

  private func pulse(_ spectrum: [Complex<Float>], tapSpacing: Double) -> MeasuredPulse? {
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
