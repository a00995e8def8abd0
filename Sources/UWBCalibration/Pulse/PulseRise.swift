import Numerics
import UWBDSP
import UWBPlatform

/// The rise of a first path, to judge pulses by: taps up to little after the peak, where later paths matter least.
struct PulseRise: Sendable {
  /// Rises that are worth keeping.
  static let mostCount = 512
  /// Taps before and after the chip's first path, which lies about a tap before the peak.
  private static let before = 5
  private static let after = 2
  /// Where the peak is searched, taps from the chip's first path.
  private static let peaks = stride(from: -0.5, through: 3.5, by: 0.0625)
  /// Least energy of the pulse inside the taps, in squares of its peak.
  private static let leastEnergy = 0.3
  private static let leastResidual = 1e-6

  /// Energy that one path leaves, over |a|²·Σp²; and the same less the noise's share.
  struct Residual {
    var whole: Double
    var withoutNoise: Double
  }

  private let taps: [Complex<Double>]
  private let noiseVariance: Double

  /// - Parameter index: the tap of the chip's first path.
  init(_ prepared: PreparedTaps, index: Int) {
    taps = (index - Self.before...index + Self.after).map { tap in
      guard (0..<prepared.count).contains(tap) else { return .zero }
      return Complex(Double(prepared.taps[2 * tap]), Double(prepared.taps[2 * tap + 1]))
    }
    noiseVariance = prepared.noiseVariance
  }

  /// What one path of this pulse leaves at its best delay and amplitude; `nil` where nothing fits.
  func residual(_ pulse: PulseShape, tapSpacing: Double) -> Residual? {
    let energy = taps.reduce(0) { $0 + $1.lengthSquared }
    var best = (product: 0.0, pulseEnergy: 1.0)
    for peak in Self.peaks {
      var product = Complex<Double>.zero
      var pulseEnergy = 0.0
      for (index, tap) in taps.enumerated() {
        let value = pulse((Double(index - Self.before) - peak) * tapSpacing)
        product += Complex(tap.rawStorage.x * value, tap.rawStorage.y * value)
        pulseEnergy += value * value
      }
      guard pulseEnergy >= Self.leastEnergy else { continue }
      let explained = product.lengthSquared
      if explained * best.pulseEnergy > best.product * pulseEnergy { best = (explained, pulseEnergy) }
    }
    // |a|²·Σp²
    let explained = best.product / best.pulseEnergy
    guard explained > 0 else { return nil }
    // Delay and amplitude take 1.5 of the complex taps.
    let noise = noiseVariance * (Double(taps.count) - 1.5)
    return Residual(
      whole: (energy - explained) / explained, withoutNoise: (energy - explained - noise) / explained)
  }

  /// Over many rises; `nil` where none fits. The whole is a geometric mean: a rise that holds a second path leaves much of any pulse, and so
  /// favours none. Without noise, it is the lower quartile: what the rises of a single path leave.
  static func residual(of rises: [PulseRise], pulse: PulseShape, tapSpacing: Double) -> Residual? {
    let all = rises.compactMap { $0.residual(pulse, tapSpacing: tapSpacing) }
    guard !all.isEmpty else { return nil }
    let logarithms = all.reduce(0) { $0 + log(max($1.whole, leastResidual)) }
    return Residual(
      whole: exp(logarithms / Double(all.count)),
      withoutNoise: all.map(\.withoutNoise).sorted()[all.count / 4])
  }
}
