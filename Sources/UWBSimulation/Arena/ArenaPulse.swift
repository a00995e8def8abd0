import UWBDSP
import UWBPlatform

/// The pulses that the radios of an arena family have.
public enum ArenaPulse: Sendable, Hashable {
  /// All radios have this pulse.
  case exact(PulseShape)
  /// Each radio has its own variant of this pulse: the bandwidth is off by up to 3 %, and a random causal filter follows.
  case misfit(PulseShape)
  /// Each radio has a root-raised cosine of its own roll-off: the transmitter's pulse before a flat receive filter.
  case rootRaisedCosine
  /// Each radio has a Gaussian of its own width.
  case gaussian

  /// Residual of the best fit of the nominal pulse to a variant, relative to the variant's norm.
  static let misfit = 0.05...0.10
  /// Relative change of a variant's bandwidth.
  static let bandwidth = -0.03...0.03
  static let rolloff = 0.3...0.6
  /// Standard deviation of the Gaussian, taps. One of 0.97 taps is as wide as the standard's pulse at half its height.
  static let gaussianTaps = 0.9...1.2

  /// How many different radios a family has.
  var radioCount: Int {
    switch self {
    case .exact: 1
    case .misfit, .rootRaisedCosine, .gaussian: 16
    }
  }

  /// The pulse of one radio.
  func draw(using generator: inout SeededGenerator) -> PulseShape {
    switch self {
    case .exact(let pulse): pulse
    case .misfit(let pulse): PulseVariant(of: pulse, using: &generator).pulse
    case .rootRaisedCosine: .rootRaisedCosine(rolloff: generator.uniform(in: Self.rolloff), period: 1 / UWB.chipRate)
    case .gaussian: .measured(Self.gaussian(taps: generator.uniform(in: Self.gaussianTaps)))
    }
  }
}

extension ArenaPulse {
  private static func gaussian(taps: Double) -> MeasuredPulse {
    let samples = (-128...128).map { point -> Double in
      let deviations = Double(point) / 16 / taps
      return exp(-deviations * deviations / 2)
    }
    return MeasuredPulse(samples: samples, spacing: UWB.tap / 16, peakPosition: 128)
  }
}

/// A pulse of another bandwidth after a random causal filter, p(t·(1 + b)) ∗ (δ(t) + s·Σ c_k·δ(t − k/2 tap)).
///
/// The c_k are normal and fall exponentially; s is such that the misfit is as drawn.
struct PulseVariant {
  /// Grid points a tap.
  private static let points = 16
  private static let before = 24
  private static let after = 40
  private static let filterTaps = 10

  let pulse: PulseShape
  /// What the nominal pulse leaves of the variant.
  let misfit: Double

  init(of nominal: PulseShape, using generator: inout SeededGenerator) {
    let target = generator.uniform(in: ArenaPulse.misfit)
    let stretch = 1 + generator.uniform(in: ArenaPulse.bandwidth)
    let fall = generator.uniform(in: 1.5...5)
    let filter = (1...Self.filterTaps).map { generator.normal() * exp(-Double($0) / fall) }
    let reference = Self.samples(nominal, stretch: 1)
    let stretched = Self.samples(nominal, stretch: stretch)
    var (low, high) = (0.0, 1.0 / 16)
    while high < 16, Self.misfit(Self.filtered(stretched, filter, high), reference) < target { high *= 2 }
    for _ in 0..<14 {
      let middle = (low + high) / 2
      if Self.misfit(Self.filtered(stretched, filter, middle), reference) < target {
        low = middle
      } else {
        high = middle
      }
    }
    let samples = Self.filtered(stretched, filter, high)
    misfit = Self.misfit(samples, reference)
    pulse = .measured(Self.normalised(samples))
  }

  private static func samples(_ pulse: PulseShape, stretch: Double) -> [Double] {
    (-before * points...after * points).map { pulse(Double($0) / Double(points) * UWB.tap * stretch) }
  }

  private static func filtered(_ samples: [Double], _ filter: [Double], _ strength: Double) -> [Double] {
    var result = samples
    for (index, weight) in filter.enumerated() {
      let delay = (index + 1) * points / 2
      for point in delay..<samples.count { result[point] += strength * weight * samples[point - delay] }
    }
    return result
  }

  /// √(1 − ρ²), with ρ the largest normalised correlation over shifts from −1 to +3 taps; every fourth point of the grid
  /// is enough for what has no power beyond one cycle a tap.
  private static func misfit(_ samples: [Double], _ reference: [Double]) -> Double {
    func product(_ shift: Int, _ one: [Double], _ other: [Double]) -> Double {
      stride(from: max(0, shift), to: min(one.count, other.count + shift), by: 4).reduce(0) {
        $0 + one[$1] * other[$1 - shift]
      }
    }
    let best = extremum((-points...3 * points).map { product($0, samples, reference) }).value
    let energies = product(0, samples, samples) * product(0, reference, reference)
    return max(0, 1 - best * best / energies).squareRoot()
  }

  /// Peak 1.
  private static func normalised(_ samples: [Double]) -> MeasuredPulse {
    let peak = extremum(samples)
    return MeasuredPulse(
      samples: samples.map { $0 / peak.value }, spacing: UWB.tap / Double(points), peakPosition: peak.position)
  }

  /// The value of largest magnitude and its position, by the parabola through the three samples round it.
  private static func extremum(_ samples: [Double]) -> (position: Double, value: Double) {
    let peak = samples.indices.dropFirst().dropLast().max { abs(samples[$0]) < abs(samples[$1]) } ?? 1
    let (left, here, right) = (samples[peak - 1], samples[peak], samples[peak + 1])
    let offset = (left - right) / (2 * (left - 2 * here + right))
    return (Double(peak) + offset, here - (left - right) * offset / 4)
  }
}
