import Numerics
import UWBPlatform

/// Measures a radio's pulse from captures of ordinary traffic, without a reference channel.
///
/// A CIR is the pulse convolved with the channel, H(f) = P(f)·C(f) + noise. Over many places the channel's own power
/// spectrum averages out flat, so the mean of |H(f)|² (each CIR scaled to unit energy) is |P(f)|² plus a noise floor,
/// which the band's empty edges show. The phase that goes with it is the minimum phase, as of a causal receive filter,
/// from the folded cepstrum (Oppenheim & Schafer, "Discrete-Time Signal Processing", 1989, section 12.3):
///
///     c = IFFT(ln|P|),   ĉ[0] = c[0],  ĉ[n] = 2·c[n] for 0 < n < N/2,  ĉ[N/2] = c[N/2],  0 beyond,   P = exp(FFT(ĉ))
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
  /// CIRs that were taken.
  public private(set) var count = 0

  public init() {}

  /// Takes one antenna of a CIR whose first path is near `firstPathTaps`; CIRs without energy there count for nothing.
  public mutating func add(
    _ response: ChannelImpulseResponse, antenna: Int = 0, firstPathTaps: Double, backgroundPeriodTaps: Int? = nil
  ) {
    let taps = PreparedTaps(tapCount: response.tapCount)
    taps.load(response, antenna: antenna, backgroundPeriodTaps: backgroundPeriodTaps)
    guard taps.isUsable, abs(firstPathTaps) < 1e6, let whole = Int(checked: firstPathTaps, rounded: .towardZero) else {
      return
    }
    let start = whole - Self.tapsBefore
    let window = (start..<start + Self.windowTaps).map { tap -> Complex<Float> in
      (0..<taps.count).contains(tap) ? Complex(taps.taps[2 * tap], taps.taps[2 * tap + 1]) : .zero
    }
    let spectrum = FourierTransform.forward(window).map {
      Double($0.rawStorage.x * $0.rawStorage.x + $0.rawStorage.y * $0.rawStorage.y)
    }
    let energy = spectrum.reduce(0, +)
    guard energy > 0 else { return }
    for index in 0..<Self.windowTaps { powers[index] += spectrum[index] / energy }
    count += 1
  }

  /// The pulse, 1/8 tap apart; `nil` before any CIR was taken.
  public func pulse(tapSpacing: Double = UWB.tap) -> MeasuredPulse? {
    guard count > 0 else { return nil }
    let spectrum = minimumPhase(smoothed(withoutNoise()))
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
  private func withoutNoise() -> [Double] {
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

  private func minimumPhase(_ power: [Double]) -> [Complex<Float>] {
    let count = power.count
    let largest = power.max() ?? 1
    let logarithm = power.map { Complex<Float>(Float(0.5 * log($0 / largest))) }
    let cepstrum = FourierTransform.inverse(logarithm)
    let folded = cepstrum.enumerated().map { index, value -> Complex<Float> in
      let weight: Float = index == 0 || index == count / 2 ? 1 : index < count / 2 ? 2 : 0
      return value * Complex(weight / Float(count))
    }
    return FourierTransform.forward(folded).map { Complex.exp($0) }
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
