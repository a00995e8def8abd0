import UWBDSP
import UWBPlatform

/// A diffuse tail: circular Gaussian rays every half tap, of mean power ∝ (1 − exp(−t/rise))·exp(−t/decay).
struct DiffuseTail {
  /// Start of the tail, s.
  var onset: Double
  /// s
  var rise: Double
  /// s
  var decay: Double
  /// Mean of Σ|a|² over the tail.
  var energy: Double

  /// Its rays, to five time constants.
  func paths(using generator: inout SeededGenerator) -> [Path] {
    let spacing = UWB.tap / 2
    let profile = (0..<Int((5 * decay + rise) / spacing)).map { index -> Double in
      let time = Double(index) * spacing
      return (1 - exp(-time / rise)) * exp(-time / decay)
    }
    let sum = profile.reduce(0, +)
    return profile.indices.map {
      Path(
        delay: onset + Double($0) * spacing, amplitude: generator.complexNormal(variance: energy * profile[$0] / sum))
    }
  }
}
