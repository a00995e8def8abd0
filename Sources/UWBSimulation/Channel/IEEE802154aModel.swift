/// The standard channel models for UWB ranging and low-rate links, 2–10 GHz.
///
/// A. F. Molisch et al., "IEEE 802.15.4a channel model – final report", document IEEE 802.15-04-0662-02-004a, 2004; in
/// short in Molisch et al., IEEE Trans. Antennas Propag. 54(11), 2006. `IEEE802154aParameters` holds the figures,
/// `paths(using:)` draws.
public enum IEEE802154aModel: Int, Sendable, Hashable, CaseIterable {
  /// Residential, line of sight.
  case cm1 = 1
  /// Residential, no line of sight.
  case cm2
  /// Office, line of sight.
  case cm3
  /// Office, no line of sight: one dense cluster that rises softly.
  case cm4
  /// Outdoor, line of sight.
  case cm5
  /// Outdoor, no line of sight.
  case cm6
  /// Industrial, line of sight: dense clusters.
  case cm7
  /// Industrial, no line of sight: one dense cluster that rises softly.
  case cm8

  /// "cm1" … "cm8"
  public var name: String { "cm\(rawValue)" }

  /// Whether the model is one of line of sight.
  public var isLineOfSight: Bool { rawValue % 2 == 1 }
}

/// One column of the report's parameter tables, in SI units; its symbols are in brackets.
///
/// The Nakagami m-factor of a ray is lognormal; the report's tables give the mean and deviation of its logarithm **in
/// decibels**, 10·log₁₀ m ~ N(m₀, m̂₀), and so do we. (The program printed with the report feeds the same figures to a natural
/// lognormal: then m is near 1.9 instead of 1.2. `fadingUnit` chooses; delay statistics hardly change.)
public struct IEEE802154aParameters: Sendable, Hashable {
  /// How rays follow each other inside a cluster.
  public enum Rays: Sendable, Hashable {
    /// A mixture of two Poisson processes: the gap to the next ray is exponential with rate `first` (λ₁) with probability
    /// `probability` (β), else with rate `second` (λ₂), 1/s.
    case mixture(first: Double, second: Double, probability: Double)
    /// So many that only a regular grid makes sense.
    case dense
  }

  /// How mean power falls over delay.
  public enum Profile: Sendable, Hashable {
    /// Clusters: their number Poisson with mean `count` (L̄), at least one; Poisson in time with `rate` (Λ, 1/s);
    /// energies falling with `decay` (Γ, s) and scattered by a lognormal of `shadowingdB` (σ_cluster). Rays inside fall
    /// with γ = `rayDecay` (γ₀, s) + `rayDecaySlope` (k_γ) · cluster delay.
    case clusters(
      count: Double, rate: Double, decay: Double, shadowingdB: Double, rays: Rays, rayDecay: Double,
      rayDecaySlope: Double)
    /// One dense cluster: (1 − χ·exp(−τ/γ_rise))·exp(−τ/γ₁), times in s.
    case softOnset(rise: Double, decay: Double, attenuation: Double)
  }

  /// Unit in which the logarithm of the m-factor is given.
  public enum LogarithmUnit: Sendable, Hashable {
    /// Decibel, or the natural logarithm.
    case decibel, natural
  }

  /// Mean power over delay.
  public var profile: Profile
  /// Mean of the logarithm of the Nakagami m-factor (m₀).
  public var fadingMean: Double
  /// Standard deviation of the same (m̂₀).
  public var fadingDeviation: Double
  /// Unit of `fadingMean` and `fadingDeviation`.
  public var fadingUnit = LogarithmUnit.decibel
  /// The m-factor of each cluster's first ray where it is not random (m̃₀), dB.
  public var firstRayFadingdB: Double?
  /// Standard deviation of the whole channel's power (σ_S), dB.
  public var shadowingdB: Double
  /// Amplitude over frequency goes as f^(−κ).
  public var frequencyExponent: Double

  init(
    profile: Profile, fadingMean: Double, fadingDeviation: Double, firstRayFadingdB: Double? = nil,
    shadowingdB: Double, frequencyExponent: Double
  ) {
    self.profile = profile
    self.fadingMean = fadingMean
    self.fadingDeviation = fadingDeviation
    self.firstRayFadingdB = firstRayFadingdB
    self.shadowingdB = shadowingdB
    self.frequencyExponent = frequencyExponent
  }
}

extension IEEE802154aModel {
  /// The report's figures.
  ///
  /// σ_cluster of CM3, CM5 and CM6 is not in the tables: 3 dB is what the report's program assumes. For the rays and
  /// clusters of CM5 sources differ (Λ 0.0048 or 0.0448, λ₁ 0.27 or 0.13, β 0.062 or 0.0078 per ns); the program's are taken,
  /// which give the delay spread of some 29 ns that is known of the model.
  public var parameters: IEEE802154aParameters {
    switch self {
    case .cm1:
      IEEE802154aParameters(
        profile: .clusters(
          count: 3, rate: 0.047e9, decay: 22.61e-9, shadowingdB: 2.75,
          rays: .mixture(first: 1.54e9, second: 0.15e9, probability: 0.095), rayDecay: 12.53e-9, rayDecaySlope: 0),
        fadingMean: 0.67, fadingDeviation: 0.28, shadowingdB: 2.22, frequencyExponent: 1.12)
    case .cm2:
      IEEE802154aParameters(
        profile: .clusters(
          count: 3.5, rate: 0.12e9, decay: 26.27e-9, shadowingdB: 2.93,
          rays: .mixture(first: 1.77e9, second: 0.15e9, probability: 0.045), rayDecay: 17.5e-9, rayDecaySlope: 0),
        fadingMean: 0.69, fadingDeviation: 0.32, shadowingdB: 3.51, frequencyExponent: 1.53)
    case .cm3:
      IEEE802154aParameters(
        profile: .clusters(
          count: 5.4, rate: 0.016e9, decay: 14.6e-9, shadowingdB: 3,
          rays: .mixture(first: 0.19e9, second: 2.97e9, probability: 0.0184), rayDecay: 6.4e-9, rayDecaySlope: 0),
        fadingMean: 0.42, fadingDeviation: 0.31, shadowingdB: 1.9, frequencyExponent: 0.03)
    case .cm4:
      IEEE802154aParameters(
        profile: .softOnset(rise: 15.21e-9, decay: 11.84e-9, attenuation: 0.86),
        fadingMean: 0.50, fadingDeviation: 0.25, shadowingdB: 3.9, frequencyExponent: 0.71)
    case .cm5:
      IEEE802154aParameters(
        profile: .clusters(
          count: 13.6, rate: 0.0448e9, decay: 31.7e-9, shadowingdB: 3,
          rays: .mixture(first: 0.13e9, second: 2.41e9, probability: 0.0078), rayDecay: 3.7e-9, rayDecaySlope: 0),
        fadingMean: 0.77, fadingDeviation: 0.78, shadowingdB: 0.83, frequencyExponent: 0.12)
    case .cm6:
      IEEE802154aParameters(
        profile: .clusters(
          count: 10.5, rate: 0.0243e9, decay: 104.7e-9, shadowingdB: 3,
          rays: .mixture(first: 0.15e9, second: 1.13e9, probability: 0.062), rayDecay: 9.3e-9, rayDecaySlope: 0),
        fadingMean: 0.56, fadingDeviation: 0.25, shadowingdB: 2, frequencyExponent: 0.13)
    case .cm7:
      IEEE802154aParameters(
        profile: .clusters(
          count: 4.75, rate: 0.0709e9, decay: 13.47e-9, shadowingdB: 4.32, rays: .dense, rayDecay: 0.651e-9,
          rayDecaySlope: 0.926),
        fadingMean: 0.36, fadingDeviation: 1.13, firstRayFadingdB: 12.99, shadowingdB: 6, frequencyExponent: -1.103)
    case .cm8:
      IEEE802154aParameters(
        profile: .softOnset(rise: 17.35e-9, decay: 85.36e-9, attenuation: 1),
        fadingMean: 0.30, fadingDeviation: 1.15, shadowingdB: 6, frequencyExponent: -1.427)
    }
  }
}
