import CUWBKernels

/// A small network that scores a peak of the filtered taps by what stands before it and behind it (`FirstPathCandidates`).
///
/// Two layers of rectified linear units, 24 and 16, and a sum. The peak of the highest score is taken for the first path; the softmax of the
/// scores is the chance of each.
package struct FirstPathNetwork: Sendable, Hashable {
  package static let inputCount = uwb_network_inputs
  /// Of parameters in eights: weights of the first layer by input, its biases, the same of the second layer, the weights of the sum.
  package static let eightCount = lastWeights + uwb_network_second / 8
  package static let firstBiases = uwb_network_first / 8 * inputCount
  package static let secondWeights = firstBiases + uwb_network_first / 8
  package static let secondBiases = secondWeights + uwb_network_second / 8 * uwb_network_first
  package static let lastWeights = secondBiases + uwb_network_second / 8

  package let parameters: [SIMD8<Float>]

  /// - Precondition: `eightCount` parameters.
  package init(parameters: [SIMD8<Float>]) {
    precondition(parameters.count == Self.eightCount, "\(parameters.count) parameters, not \(Self.eightCount)")
    self.parameters = parameters
  }

  /// Writes the score of each peak.
  ///
  /// - Precondition: room for as many scores as there are peaks.
  package func score(_ peaks: [SIMD32<Float>], into scores: inout [Float]) {
    precondition(scores.count >= peaks.count, "\(peaks.count) peaks, room for \(scores.count)")
    parameters.withUnsafeBufferPointer { parameters in
      peaks.withUnsafeBufferPointer { peaks in
        scores.withUnsafeMutableBufferPointer { scores in
          guard let parameters = parameters.baseAddress, let first = peaks.baseAddress, let target = scores.baseAddress
          else { return }
          uwb_network_scores(floats(parameters), floats(first), peaks.count, target)
        }
      }
    }
  }
}
