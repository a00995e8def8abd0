import Numerics

/// What one pulse at the first path leaves of the energy around it: 1 − |Σ p h|² / (Σ p² · Σ|h|²) over the taps within 3 of it.
///
/// Zero for one path in no noise; near one where several overlap. O(7 taps).
enum PulseResidual {
  static let reach = 3.0
  static let mostTaps = 8

  static func measure(_ taps: PreparedTaps, delayTaps: Double, _ workspace: FeatureExtraction.Workspace) -> Double {
    let first = Int(delayTaps - reach, rounded: .up, within: 0...taps.count)
    let count = min(Int(delayTaps + reach, rounded: .down, within: -1...taps.count - 1) - first + 1, mostTaps)
    guard count > 0 else { return 1 }
    let pulse = workspace.values.pointer
    workspace.pulse.evaluate(delay: delayTaps, firstTap: first, count: count, into: pulse)
    let samples = taps.taps(in: first..<first + count)
    var (real, imaginary, pulseEnergy, energy) = (0.0, 0.0, 0.0, 0.0)
    for index in 0..<count {
      let sampleReal = Double(samples[2 * (first + index)])
      let sampleImaginary = Double(samples[2 * (first + index) + 1])
      real += pulse[index] * sampleReal
      imaginary += pulse[index] * sampleImaginary
      pulseEnergy += pulse[index] * pulse[index]
      energy += sampleReal * sampleReal + sampleImaginary * sampleImaginary
    }
    guard pulseEnergy > 0, energy > 0 else { return 1 }
    return min(max(1 - (real * real + imaginary * imaginary) / (pulseEnergy * energy), 0), 1)
  }
}
