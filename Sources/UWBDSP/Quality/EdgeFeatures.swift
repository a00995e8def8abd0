import Numerics

/// Where the magnitude first passes a level, by straight lines between taps: a leading-edge detector at several thresholds.
///
/// How the edges at low and high thresholds lie to each other tells a clean first path from one that climbs out of the
/// noise. Each level is one scan from the window's start to its edge: O(taps before the edge).
enum EdgeFeatures {
  static func measure(_ window: FeatureWindow, into features: inout QualityFeatures) {
    let peak = window.peakPower.squareRoot()
    let noise = window.noiseVariance.squareRoot()
    features[.edgeAt5Percent] = edge(window, level: 0.05 * peak)
    features[.edgeAt10Percent] = edge(window, level: 0.1 * peak)
    features[.edgeAt20Percent] = edge(window, level: 0.2 * peak)
    features[.edgeAt30Percent] = edge(window, level: 0.3 * peak)
    features[.edgeAt50Percent] = edge(window, level: 0.5 * peak)
    features[.edgeAt5Noise] = edge(window, level: 5 * noise)
    features[.edgeAt7Noise] = edge(window, level: 7 * noise)
    features[.edgeAt10Noise] = edge(window, level: 10 * noise)
    features[.edgeAt14Noise] = edge(window, level: 14 * noise)
    features[.riseTime] = edge(window, level: 0.9 * peak) - features[.edgeAt10Percent]
  }

  /// Taps from the first path.
  private static func edge(_ window: FeatureWindow, level: Double) -> Double {
    let power = Float(level * level)
    var tap = 0
    while tap < window.count, window.powers[tap] < power { tap += 1 }
    guard tap < window.count else { return FeatureExtraction.latestEdge }
    var place = Double(tap) - window.origin
    if tap > 0 {
      let below = Double(window.powers[tap - 1]).squareRoot()
      let above = Double(window.powers[tap]).squareRoot()
      if above > below { place -= min(max((above - level) / (above - below), 0), 1) }
    }
    return min(place, FeatureExtraction.latestEdge)
  }
}
