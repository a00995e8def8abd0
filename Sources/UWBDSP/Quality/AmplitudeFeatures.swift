import Numerics

/// `peak`, `noise`, `energy`, `signalToNoise`, `firstPathPower`, `firstPathToPeak`, `firstPathShare`: 10·log₁₀ of powers and
/// of their ratios. Sums over the window, O(taps).
enum AmplitudeFeatures {
  /// The first path's own taps, from and to, taps from its peak.
  static let firstPathTaps = -1.5...2.0

  static func measure(
    _ window: FeatureWindow, _ sums: ProfileSums, _ path: PathEstimate, into features: inout QualityFeatures
  ) {
    let noise = Float(window.noiseVariance)
    var first = 0.0
    let low = Int(window.origin + firstPathTaps.lowerBound, rounded: .up, within: 0...window.count)
    let high = Int(window.origin + firstPathTaps.upperBound, rounded: .down, within: -1...window.count - 1)
    for tap in low..<max(low, high + 1) { first += Double(max(0, window.powers[tap] - noise)) }

    features[.peak] = decibels(window.peakPower)
    features[.freeSpacePeak] = features[.peak]
    features[.noise] = decibels(window.noiseVariance)
    features[.energy] = decibels(sums.energy)
    features[.signalToNoise] = features[.peak] - features[.noise]
    features[.firstPathPower] = decibels(path.amplitude.lengthSquared)
    features[.firstPathToPeak] = features[.firstPathPower] - features[.peak]
    features[.firstPathShare] = max(decibels(first) - features[.energy], -60)
  }

  /// 10·log₁₀, of nothing as of 10⁻¹⁵.
  static func decibels(_ power: Double) -> Double { 10 * Double.log10(max(power, 1e-15)) }
}
