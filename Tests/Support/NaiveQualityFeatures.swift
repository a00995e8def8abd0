import Numerics
import UWBDSP

/// `QualityFeatures` by their definitions, in double precision, one sum at a time.
public enum NaiveQualityFeatures {
  public static func features(
    _ samples: [Complex<Float>], firstPath path: PathEstimate, noiseVariance: Double, pulse: PulseShape
  ) -> [QualityFeature: Double] {
    let all = samples.map { Double($0.real) * Double($0.real) + Double($0.imaginary) * Double($0.imaginary) }
    let peak = all.max() ?? 0
    let peakTap = all.firstIndex(of: peak) ?? 0
    let tau = path.delayTaps
    let first = min(max(Int(tau), 0), samples.count - 1)
    let window = Array(max(0, first - 16)..<min(samples.count, first + 160))
    let net = window.map { max(0, all[$0] - noiseVariance) }
    let energy = net.reduce(0, +)
    func dB(_ power: Double) -> Double { 10 * Double.log10(max(power, 1e-15)) }
    func time(_ index: Int) -> Double { Double(window[index]) - tau }

    var result: [QualityFeature: Double] = [
      .peak: dB(peak), .noise: dB(noiseVariance), .energy: dB(energy), .freeSpacePeak: dB(peak),
      .signalToNoise: dB(peak) - dB(noiseVariance), .firstPathPower: dB(path.amplitude.lengthSquared),
      .firstPathToPeak: dB(path.amplitude.lengthSquared) - dB(peak),
      .peakLag: min(max(Double(peakTap) - tau, -20), 100),
    ]
    let near = window.indices.filter { time($0) >= -1.5 && time($0) <= 2 }.reduce(0) { $0 + net[$1] }
    result[.firstPathShare] = max(dB(near) - dB(energy), -60)
    let mean = window.indices.reduce(0) { $0 + net[$1] * time($1) } / energy
    result[.meanExcessDelay] = mean
    result[.delaySpread] =
      (window.indices.reduce(0) { $0 + net[$1] * (time($1) - mean) * (time($1) - mean) } / energy).squareRoot()
    let power = window.reduce(0) { $0 + all[$1] }
    let fourth = window.reduce(0) { $0 + all[$1] * all[$1] }
    result[.kurtosis] = Double.log(Double(window.count) * fourth / (power * power))
    let least = max(0.3 * peak.squareRoot(), 3 * noiseVariance.squareRoot())
    result[.pathCount] = Double(
      window.dropFirst().dropLast().count {
        all[$0].squareRoot() > least && all[$0] > all[$0 - 1] && all[$0] >= all[$0 + 1]
      })

    func edge(_ level: Double) -> Double {
      guard let index = window.firstIndex(where: { all[$0].squareRoot() >= level }) else { return 30 }
      var place = time(index)
      if index > 0 {
        let (below, above) = (all[window[index - 1]].squareRoot(), all[window[index]].squareRoot())
        if above > below { place -= (above - level) / (above - below) }
      }
      return min(place, 30)
    }
    let (top, noise) = (peak.squareRoot(), noiseVariance.squareRoot())
    result[.edgeAt5Percent] = edge(0.05 * top)
    result[.edgeAt10Percent] = edge(0.1 * top)
    result[.edgeAt20Percent] = edge(0.2 * top)
    result[.edgeAt30Percent] = edge(0.3 * top)
    result[.edgeAt50Percent] = edge(0.5 * top)
    result[.edgeAt5Noise] = edge(5 * noise)
    result[.edgeAt7Noise] = edge(7 * noise)
    result[.edgeAt10Noise] = edge(10 * noise)
    result[.edgeAt14Noise] = edge(14 * noise)
    result[.riseTime] = edge(0.9 * top) - edge(0.1 * top)

    let around = samples.indices.filter { abs(Double($0) - tau) <= 3 }
    var (overlap, pulseEnergy, local) = (Complex<Double>.zero, 0.0, 0.0)
    for tap in around {
      let value = pulse((Double(tap) - tau) * UWB.tap)
      overlap += Complex(value) * Complex(Double(samples[tap].real), Double(samples[tap].imaginary))
      pulseEnergy += value * value
      local += all[tap]
    }
    result[.fitResidual] = min(max(1 - overlap.lengthSquared / (pulseEnergy * local), 0), 1)
    return result
  }
}
