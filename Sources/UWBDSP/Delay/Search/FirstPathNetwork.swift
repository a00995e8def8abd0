/// A small network that scores a peak of the filtered taps by what stands before it and behind it (`FirstPathCandidates`).
///
/// The peak of the highest score is taken for the first path.
///
/// Two layers of rectified linear units, 24 and 16, and a sum. The softmax of the scores is the chance of each peak.
package struct FirstPathNetwork: Sendable, Hashable {
  package static let inputCount = 32
  /// Of parameters in eights: weights of the first layer by input, its biases, the same of the second layer, the weights of the sum.
  package static let eightCount = secondBiases + 2 + 2
  package static let firstBiases = 3 * inputCount
  package static let secondWeights = firstBiases + 3
  package static let secondBiases = secondWeights + 2 * 24
  package static let lastWeights = secondBiases + 2

  package let parameters: [SIMD8<Float>]

  /// - Precondition: `eightCount` parameters.
  package init(parameters: [SIMD8<Float>]) {
    precondition(parameters.count == Self.eightCount, "\(parameters.count) parameters, not \(Self.eightCount)")
    self.parameters = parameters
  }

  /// What the units put out, zero for those that are silent.
  package struct Units {
    package var first: (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>)
    package var second: (SIMD8<Float>, SIMD8<Float>)
  }

  package func units(_ input: SIMD32<Float>) -> Units {
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

  package func score(_ units: Units) -> Float {
    (units.second.0 * parameters[Self.lastWeights] + units.second.1 * parameters[Self.lastWeights + 1]).sum()
  }

  private static func rectified(_ units: SIMD8<Float>) -> SIMD8<Float> {
    units.replacing(with: 0, where: units .< 0)
  }
}
