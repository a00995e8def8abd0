import UWBPlatform

/// The pulse that one propagation path leaves in a CIR: real, with its peak of 1 at time 0.
///
/// A path's delay is where its pulse peaks (`NOTATION.md`).
public enum PulseShape: Sendable, Hashable {
  /// The autocorrelation of the root-raised cosine: what a matched receiver sees of the reference pulse.
  ///
  /// p(t) = sinc(t/T) · cos(πβt/T) / (1 − (2βt/T)²), with sinc(x) = sin(πx)/(πx). IEEE 802.15.4-2020, 15.4.4, sets
  /// β = 0.5 and T = 1/499.2 MHz for the reference pulse of the mandatory bands.
  case raisedCosine(rolloff: Double, period: Double)

  /// The reference pulse itself, as a receiver with a flat filter sees it.
  ///
  /// r(t) = 4β/(π√T) · [cos((1+β)πt/T) + T/(4βt)·sin((1−β)πt/T)] / (1 − (4βt/T)²), scaled to r(0) = 1
  /// (IEEE 802.15.4-2020, 15.4.4, equation 15-12).
  case rootRaisedCosine(rolloff: Double, period: Double)

  /// A pulse that was measured on a device.
  case measured(MeasuredPulse)

  /// The raised cosine of the standard's reference pulse: β = 0.5, T = 1/499.2 MHz ≈ 2.003 ns.
  public static let standard = PulseShape.raisedCosine(rolloff: 0.5, period: 1 / UWB.chipRate)

  /// The pulse at `time` seconds from its peak.
  public func callAsFunction(_ time: Double) -> Double {
    switch self {
    case .raisedCosine(let rolloff, let period): Self.raisedCosine(time / period, rolloff)
    case .rootRaisedCosine(let rolloff, let period): Self.rootRaisedCosine(time / period, rolloff)
    case .measured(let pulse): pulse(time)
    }
  }

  private static func raisedCosine(_ x: Double, _ rolloff: Double) -> Double {
    let denominator = 1 - (2 * rolloff * x) * (2 * rolloff * x)
    // The limit at x = ±1/(2β) by l'Hôpital's rule.
    guard abs(denominator) > 1e-9 else { return .pi / 4 * sinc(1 / (2 * rolloff)) }
    return sinc(x) * cos(.pi * rolloff * x) / denominator
  }

  private static func rootRaisedCosine(_ x: Double, _ rolloff: Double) -> Double {
    let peak = 1 - rolloff + 4 * rolloff / .pi
    if abs(x) < 1e-9 { return 1 }
    let denominator = 1 - (4 * rolloff * x) * (4 * rolloff * x)
    guard abs(denominator) > 1e-9 else {
      let angle = .pi / (4 * rolloff)
      return rolloff / 2.0.squareRoot() * ((1 + 2 / .pi) * sin(angle) + (1 - 2 / .pi) * cos(angle)) / peak
    }
    let numerator = sin(.pi * x * (1 - rolloff)) + 4 * rolloff * x * cos(.pi * x * (1 + rolloff))
    return numerator / (.pi * x * denominator) / peak
  }

  private static func sinc(_ x: Double) -> Double {
    abs(x) < 1e-9 ? 1 : sin(.pi * x) / (.pi * x)
  }
}

/// A pulse given by equally spaced samples, zero outside them, cubic (Catmull–Rom) between them.
public struct MeasuredPulse: Sendable, Hashable {
  /// Samples, scaled so that the pulse's peak is 1.
  public let samples: [Double]
  /// Seconds from one sample to the next.
  public let spacing: Double
  /// Position of the peak (time 0) in `samples`; fractional.
  public let peakPosition: Double

  /// - Precondition: at least four samples, a positive spacing.
  public init(samples: [Double], spacing: Double, peakPosition: Double) {
    precondition(samples.count >= 4 && spacing > 0, "\(samples.count) samples, \(spacing) s apart, are no pulse")
    self.samples = samples
    self.spacing = spacing
    self.peakPosition = peakPosition
  }

  /// The pulse at `time` seconds from its peak.
  public func callAsFunction(_ time: Double) -> Double {
    let position = time / spacing + peakPosition
    guard position >= 0, position <= Double(samples.count - 1) else { return 0 }
    let index = Int(position, within: 0...samples.count - 2)
    let t = position - Double(index)
    let y1 = samples[index]
    let y2 = samples[index + 1]
    let y0 = index > 0 ? samples[index - 1] : 0
    let y3 = index + 2 < samples.count ? samples[index + 2] : 0
    return y1 + 0.5 * t * (y2 - y0 + t * (2 * y0 - 5 * y1 + 4 * y2 - y3 + t * (3 * (y1 - y2) + y3 - y0)))
  }
}
