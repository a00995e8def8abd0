import Numerics
import UWBDSP

/// Gradient of the cross-entropy over a network's parameters, summed over CIRs.
struct FirstPathGradient {
  private typealias Net = FirstPathNetwork

  let network: FirstPathNetwork
  private(set) var sums: [SIMD8<Float>]

  init(_ network: FirstPathNetwork) {
    self.network = network
    sums = Array(repeating: .zero, count: Net.eightCount)
  }

  mutating func add(_ sample: FirstPathTraining.Sample, _ scaling: InputScaling) {
    let inputs = sample.peaks.map(scaling.applied)
    let units = inputs.map(network.units)
    var scores = [Float](repeating: 0, count: inputs.count)
    network.score(inputs, into: &scores)
    let highest = scores.max() ?? 0
    let likelihoods = scores.map { Float.exp($0 - highest) }
    let total = likelihoods.reduce(0, +)
    for index in inputs.indices {
      let chance = likelihoods[index] / total
      add(sample.weight * (index == sample.first ? chance - 1 : chance), units[index], inputs[index])
    }
  }

  /// - Parameter slope: of the cost over the score.
  private mutating func add(_ slope: Float, _ units: Net.Units, _ input: SIMD32<Float>) {
    let p = network.parameters
    sums[Net.lastWeights] += slope * units.second.0
    sums[Net.lastWeights + 1] += slope * units.second.1
    let d = Self.passed(slope * p[Net.lastWeights], units.second.0)
    let e = Self.passed(slope * p[Net.lastWeights + 1], units.second.1)
    sums[Net.secondBiases] += d
    sums[Net.secondBiases + 1] += e
    for (number, own) in [units.first.0, units.first.1, units.first.2].enumerated() {
      var slopes = SIMD8<Float>()
      for index in 0..<8 {
        let place = Net.secondWeights + 16 * number + 2 * index
        slopes[index] = (p[place] * d + p[place + 1] * e).sum()
        sums[place] += own[index] * d
        sums[place + 1] += own[index] * e
      }
      slopes = Self.passed(slopes, own)
      sums[Net.firstBiases + number] += slopes
      for index in 0..<Net.inputCount { sums[3 * index + number] += input[index] * slopes }
    }
  }

  /// What units that are not silent pass on.
  private static func passed(_ slopes: SIMD8<Float>, _ units: SIMD8<Float>) -> SIMD8<Float> {
    slopes.replacing(with: 0, where: units .== 0)
  }
}

extension FirstPathNetwork {
  /// What the units put out, zero for those that are silent: what a gradient needs besides the score.
  fileprivate struct Units {
    var first: (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>)
    var second: (SIMD8<Float>, SIMD8<Float>)
  }

  fileprivate func units(_ input: SIMD32<Float>) -> Units {
    let p = parameters
    var (a, b, c) = (p[Self.firstBiases], p[Self.firstBiases + 1], p[Self.firstBiases + 2])
    for index in 0..<Self.inputCount {
      a += input[index] * p[3 * index]
      b += input[index] * p[3 * index + 1]
      c += input[index] * p[3 * index + 2]
    }
    (a, b, c) = (Self.rectified(a), Self.rectified(b), Self.rectified(c))
    var (d, e) = (p[Self.secondBiases], p[Self.secondBiases + 1])
    func pass(_ units: SIMD8<Float>, _ start: Int) {
      for index in 0..<8 {
        d += units[index] * p[start + 2 * index]
        e += units[index] * p[start + 2 * index + 1]
      }
    }
    pass(a, Self.secondWeights)
    pass(b, Self.secondWeights + 16)
    pass(c, Self.secondWeights + 32)
    return Units(first: (a, b, c), second: (Self.rectified(d), Self.rectified(e)))
  }

  private static func rectified(_ units: SIMD8<Float>) -> SIMD8<Float> {
    units.replacing(with: 0, where: units .< 0)
  }
}
