import Numerics

/// Where the magnitude first passes a level, by straight lines between taps: a leading-edge detector at several thresholds.
///
/// How the edges at low and high thresholds lie to each other tells a clean first path from one that climbs out of the
/// noise. One scan from the window's start for the shares of the peak, one for the multiples of the noise, each going on
/// where the level below was passed: O(taps before the edges).
enum EdgeFeatures {
  static func measure(_ window: FeatureWindow, into features: inout QualityFeatures) {
    let peak = window.peakPower.squareRoot()
    let noise = window.noiseVariance.squareRoot()
    var tap = 0
    features[.edgeAt5Percent] = edge(window, level: 0.05 * peak, from: &tap)
    features[.edgeAt10Percent] = edge(window, level: 0.1 * peak, from: &tap)
    features[.edgeAt20Percent] = edge(window, level: 0.2 * peak, from: &tap)
    features[.edgeAt30Percent] = edge(window, level: 0.3 * peak, from: &tap)
    features[.edgeAt50Percent] = edge(window, level: 0.5 * peak, from: &tap)
    features[.riseTime] = edge(window, level: 0.9 * peak, from: &tap) - features[.edgeAt10Percent]
    tap = 0
    features[.edgeAt5Noise] = edge(window, level: 5 * noise, from: &tap)
    features[.edgeAt7Noise] = edge(window, level: 7 * noise, from: &tap)
    features[.edgeAt10Noise] = edge(window, level: 10 * noise, from: &tap)
    features[.edgeAt14Noise] = edge(window, level: 14 * noise, from: &tap)
  }

  /// Taps from the first path; `tap` is where the level below was passed, and then where this one is.
  private static func edge(_ window: FeatureWindow, level: Double, from tap: inout Int) -> Double {
    let power = Float(level * level)
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
