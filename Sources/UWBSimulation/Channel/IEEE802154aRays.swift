import Numerics
import UWBDSP
import UWBPlatform

extension IEEE802154aModel {
  /// One channel: rays by delay, of total energy Σ|a|² = 1 (times a lognormal of σ_S where `shadowed`); see
  /// `IEEE802154aParameters.paths(using:shadowed:)`.
  public func paths(using generator: inout SeededGenerator, shadowed: Bool = false) -> [Path] {
    parameters.paths(using: &generator, shadowed: shadowed)
  }
}

/// Draws channels of the modified Saleh–Valenzuela model (report, section II).
///
/// Delay 0 is the onset of the first cluster, also without line of sight (where the report's program adds a random delay
/// before it). A ray's mean power is Ω_l/γ_l · exp(−τ/γ_l) inside cluster l (equation 19; its constant divisor falls out
/// with the normalisation), Ω_l = exp(−T_l/Γ)·10^(M/10) (equation 21); its amplitude is Nakagami with a lognormal m
/// (equations 26–29); its phase is uniform. Rays are drawn up to 10 γ after their cluster's first, −43 dB; dense ones every
/// quarter of a tap. The f^(−κ) of the model belongs to the pulse: `FrequencyDependence`.
extension IEEE802154aParameters {
  /// Seconds between the rays of dense clusters.
  public static let denseSpacing = UWB.tap / 4

  /// The decay times after which a cluster is cut.
  static let clusterLength = 10.0

  /// A ray before normalisation.
  struct Ray {
    var delay: Double
    /// What `power` is on average.
    var meanPower: Double
    var power: Double
  }

  /// One channel: rays by delay, of total energy Σ|a|² = 1, times a lognormal of deviation `shadowingdB` where `shadowed`.
  public func paths(using generator: inout SeededGenerator, shadowed: Bool = false) -> [Path] {
    let rays = rays(using: &generator)
    let energy = rays.reduce(0) { $0 + $1.power }
    // No energy at all needs every ray to fade to zero: not in this universe, but it must not divide by zero.
    var gain = energy > 0 ? (1 / energy).squareRoot() : 0
    if shadowed {
      gain *= generator.lognormalPower(meandB: 0, deviationdB: shadowingdB).squareRoot()
    }
    return rays.map { ray in
      let size = gain * ray.power.squareRoot()
      let angle = generator.phase()
      return Path(delay: ray.delay, amplitude: Complex(size * cos(angle), size * sin(angle)))
    }
  }

  /// Rays by delay, not normalised: the first cluster's mean energy is that of its rays.
  func rays(using generator: inout SeededGenerator) -> [Ray] {
    var rays: [Ray] = []
    switch profile {
    case .softOnset(let rise, let decay, let attenuation):
      for index in 0..<Int(Self.clusterLength * decay / Self.denseSpacing, within: 0...1 << 20) {
        let delay = Double(index) * Self.denseSpacing
        let power = (1 - attenuation * exp(-delay / rise)) * exp(-delay / decay)
        rays.append(ray(at: delay, meanPower: power, isFirst: false, using: &generator))
      }
    case .clusters(let count, let rate, let decay, let shadowingdB, let arrivals, let rayDecay, let slope):
      var start = 0.0
      for _ in 0..<max(1, generator.poisson(mean: count)) {
        let energy = exp(-start / decay) * generator.lognormalPower(meandB: 0, deviationdB: shadowingdB)
        let gamma = rayDecay + slope * start
        var delay = 0.0
        while delay < Self.clusterLength * gamma {
          rays.append(
            ray(
              at: start + delay, meanPower: energy / gamma * exp(-delay / gamma), isFirst: delay == 0,
              using: &generator))
          delay += Self.gap(arrivals, using: &generator)
        }
        start += generator.exponential(mean: 1 / rate)
      }
      rays.sort { $0.delay < $1.delay }
    }
    return rays
  }

  private func ray(
    at delay: Double, meanPower: Double, isFirst: Bool, using generator: inout SeededGenerator
  ) -> Ray {
    let m: Double
    if isFirst, let firstRayFadingdB {
      m = pow(10, firstRayFadingdB / 10)
    } else {
      let logarithm = fadingMean + fadingDeviation * generator.normal()
      m = fadingUnit == .decibel ? pow(10, logarithm / 10) : exp(logarithm)
    }
    return Ray(delay: delay, meanPower: meanPower, power: generator.gamma(shape: m, scale: meanPower / m))
  }

  private static func gap(_ arrivals: Rays, using generator: inout SeededGenerator) -> Double {
    switch arrivals {
    case .dense: denseSpacing
    case .mixture(let first, let second, let probability):
      generator.exponential(mean: 1 / (generator.uniform() < probability ? first : second))
    }
  }
}
