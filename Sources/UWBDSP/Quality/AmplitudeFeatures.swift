import Numerics

/// `peak`, `noise`, `energy`, `signalToNoise`, `firstPathPower`, `firstPathToPeak`, `firstPathShare`: 10·log₁₀ of powers and
/// of their ratios. Sums over the window, O(taps).
enum AmplitudeFeatures {
  /// The first path's own taps, from and to, taps from its peak.
  static let firstPathTaps = -1.5...2.0

  static func measure(_ window: FeatureWindow, _ path: PathEstimate, into features: inout QualityFeatures) {
    let noise = Float(window.noiseVariance)
    var lanes = SIMD8<Float>()
    var index = 0
    while index + 8 <= window.count {
      lanes += (window.load8(index) - noise).clamped(lowerBound: .zero, upperBound: SIMD8(repeating: .infinity))
      index += 8
    }
    var energy = Double(lanes.sum())
    while index < window.count {
      energy += Double(max(0, window.powers[index] - noise))
      index += 1
    }
    var first = 0.0
    let low = max(0, Int((window.origin + firstPathTaps.lowerBound).rounded(.up)))
    let high = min(window.count - 1, Int((window.origin + firstPathTaps.upperBound).rounded(.down)))
    for tap in low..<max(low, high + 1) { first += Double(max(0, window.powers[tap] - noise)) }

    features[.peak] = decibels(window.peakPower)
    features[.freeSpacePeak] = features[.peak]
    features[.noise] = decibels(window.noiseVariance)
    features[.energy] = decibels(energy)
    features[.signalToNoise] = features[.peak] - features[.noise]
    features[.firstPathPower] = decibels(path.amplitude.lengthSquared)
    features[.firstPathToPeak] = features[.firstPathPower] - features[.peak]
    features[.firstPathShare] = max(decibels(first) - features[.energy], -60)
  }

  /// 10·log₁₀, of nothing as of 10⁻¹⁵.
  static func decibels(_ power: Double) -> Double { 10 * Double.log10(max(power, 1e-15)) }
}

extension FeatureWindow {
  @inline(__always)
  func load8(_ index: Int) -> SIMD8<Float> {
    UnsafeRawPointer(powers + index).loadUnaligned(as: SIMD8<Float>.self)
  }
}
