import UWBDSP

/// A channel whose amplitude falls with frequency, f^(−κ), as a receiver at one carrier sees it.
///
/// Over a receiver's band the factor (1 + f/f_c)^(−κ), f from the carrier, is 1 − κ·x + κ(κ+1)/2·x² with x = f/f_c. In time
/// x is (1/(j·2π·f_c))·d/dt, so the pulse p becomes p − κ(κ+1)/(8π²f_c²)·p″ + j·κ/(2π·f_c)·p′. What is left out is below
/// 2·10⁻⁴ for |κ| ≤ 1.6 and 250 MHz at 6.5 GHz. All paths of the channel share the factor; at the carrier it is 1.
public struct FrequencyDependence: Sendable, Hashable {
  /// κ
  public var exponent: Double
  /// Hz
  public var carrier: Double

  /// - Precondition: a positive carrier.
  public init(exponent: Double, carrier: Double) {
    precondition(carrier > 0, "\(carrier) Hz is not a carrier")
    self.exponent = exponent
    self.carrier = carrier
  }

  /// The distorted pulse at `time` seconds from its peak.
  func apply(to pulse: PulseShape, at time: Double) -> (real: Double, imaginary: Double) {
    // Central differences over a 64th of a tap: their error is 10⁻⁴ of a correction of a few per cent.
    let step = UWB.tap / 64
    let (before, here, after) = (pulse(time - step), pulse(time), pulse(time + step))
    let first = (after - before) / (2 * step)
    let second = (after - 2 * here + before) / (step * step)
    let scale = 1 / (2 * .pi * carrier)
    return (here - exponent * (exponent + 1) / 2 * scale * scale * second, exponent * scale * first)
  }
}
