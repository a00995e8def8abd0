import Numerics
import UWBDSP
import UWBPlatform

/// A pulse's spectrum: its magnitude is that of many CIRs' mean power spectrum, its phase a candidate's (`PulseEstimation`).
struct PulseSpectrum {
  /// |P|
  private let own: MinimumPhaseFilter
  /// R, and |P|/|R|.
  private let known: (spectrum: [Complex<Float>], filter: MinimumPhaseFilter)?

  /// Powers below these shares of the largest count as these: noise is left there, or the known pulse has nothing to be compared with.
  private static let leastPower = 1e-5
  private static let leastCompared = 3e-3

  /// - Parameters:
  ///   - powers: the sum of many CIRs' power spectra, noise included.
  ///   - known: the pulse of radios of this kind, if any.
  init(_ powers: [Double], near known: PulseShape?, tapSpacing: Double) {
    let clean = Self.withoutNoise(powers)
    own = MinimumPhaseFilter(powers: clean.map { max($0, Self.leastPower) })
    self.known = known.map { known in
      let spectrum = Self.spectrum(of: known, count: powers.count, tapSpacing: tapSpacing)
      let largest = spectrum.map(\.lengthSquared).max() ?? 1
      let ratios = zip(clean, spectrum).map { power, value in
        max(power, Self.leastCompared) / max(Double(value.lengthSquared / largest), Self.leastCompared)
      }
      return (spectrum, MinimumPhaseFilter(powers: ratios))
    }
  }

  /// The spectrum with this phase.
  func callAsFunction(_ phase: PulseEstimation.Phase) -> [Complex<Float>] {
    switch phase {
    case .minimum(let share): own.response(share: share)
    case .known(let share):
      known.map { known in zip(known.spectrum, known.filter.response(share: share)).map { $0 * $1 } } ?? []
    }
  }

  private static func spectrum(of pulse: PulseShape, count: Int, tapSpacing: Double) -> [Complex<Float>] {
    FourierTransform.forward(
      (0..<count).map { tap in
        Complex<Float>(Float(pulse(Double(tap < count / 2 ? tap : tap - count) * tapSpacing)))
      })
  }

  /// The mean spectrum over its largest, less the floor at the band's edges (the tenth of the bins that is farthest from its centre).
  private static func withoutNoise(_ powers: [Double]) -> [Double] {
    let (half, edge) = (powers.count / 2, powers.count / 20)
    let floor = powers[(half - edge)..<(half + edge)].reduce(0, +) / Double(2 * edge)
    var clean = powers.map { max($0 - floor, 0) }
    // The receiver's own offset is no part of the pulse.
    clean[0] = (clean[1] + clean[powers.count - 1]) / 2
    let largest = clean.max() ?? 0
    return clean.map { largest > 0 ? $0 / largest : 1 }
  }
}

/// A filter of given power, smoothed, and of minimum phase.
private struct MinimumPhaseFilter {
  /// Bins to either side that a power is averaged over in decibels, with a raised-cosine weight: 5 % of the band.
  private static let reach = 6

  /// ln of the magnitude, and the phase.
  private let logarithm: [Complex<Float>]

  init(powers: [Double]) {
    let magnitudes = Self.smoothed(powers.map { 0.5 * log($0) })
    let count = magnitudes.count
    let cepstrum = FourierTransform.inverse(magnitudes.map { Complex<Float>(Float($0)) })
    let folded = cepstrum.enumerated().map { index, value -> Complex<Float> in
      let weight: Float = index == 0 || index == count / 2 ? 1 : index < count / 2 ? 2 : 0
      return value * Complex(weight / Float(count))
    }
    logarithm = FourierTransform.forward(folded)
  }

  /// The frequency response, its phase this share of the minimum phase.
  func response(share: Double) -> [Complex<Float>] {
    logarithm.map { Complex.exp(Complex($0.rawStorage.x, Float(share) * $0.rawStorage.y)) }
  }

  private static func smoothed(_ values: [Double]) -> [Double] {
    let weights = (-reach...reach).map { 1 + cos(.pi * Double($0) / Double(reach + 1)) }
    let total = weights.reduce(0, +)
    let count = values.count
    return (0..<count).map { bin in
      (-reach...reach).reduce(0.0) { $0 + weights[$1 + reach] * values[(bin + $1 + count) % count] } / total
    }
  }
}
