import Numerics
import UWBDSP
import UWBPlatform

/// Matrix pencil on the channel's frequency response: delays from the singular vectors of its Hankel matrix, without a
/// covariance.
///
/// The weighted Hankel matrix (`FrequencyResponse`) is cut to its K strongest left singular vectors U; with U₁ and U₂
/// the rows but the last and but the first, weights taken off, the pencil U₂ − z·U₁ loses rank at z_i = exp(jμ_i),
/// μ_i = −2π·τ_i/N: the eigenvalues of U₁⁺·U₂ (after Hua & Sarkar 1990). The pencil parameter is L − 1 for L = 5/8 of the
/// band.
///
/// It sees each snapshot once where ESPRIT sees it forwards and backwards, so close paths cost it more.
/// Its stated deviations are too small by as much.
///
/// Cost: the search over all taps, the space of the strongest of 8 eigenvectors (`SnapshotGram`) and an eigenproblem of K. Don't use it
/// where paths lie closer than some 3 taps (`DelayESPRIT`), nor with more paths in the window than `mostPaths`, though of the family it
/// loses a weak first path before a dense cluster least often.
public struct DelayMatrixPencil: DelayEstimator {
  /// The part of the spectrum that is used.
  public var window: FrequencyWindow

  /// Creates one with the given values.
  public init(_ window: FrequencyWindow = FrequencyWindow()) {
    self.window = window
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let stage: SubspaceStage
    fileprivate let gram: SnapshotGram
    fileprivate let shift: ShiftInvariance
    fileprivate let rowWeights: [Double]
    fileprivate let weights: [Double]

    fileprivate init(_ estimator: DelayMatrixPencil, tapCount: Int) {
      stage = SubspaceStage(estimator.window, tapCount: tapCount)
      let response = stage.response
      gram = SnapshotGram(response)
      shift = ShiftInvariance(rows: response.rows - 1, limit: PathFit.mostPaths, isComplex: true)
      rowWeights = response.rowWeights
      weights = response.neighbourWeights
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    workspace.stage.estimate(
      taps, into: &estimate, order: { workspace.gram.order($0) }, locate: { delays($0, workspace) })
  }

  private func delays(_ order: Int, _ workspace: Workspace) -> Int? {
    guard workspace.gram.makeVectors(count: order) else { return nil }
    let rows = workspace.stage.response.rows
    for column in 0..<order {
      let source = workspace.gram.vectors.pointer + 2 * column * rows
      let upper = workspace.shift.first(column, count: order)
      let lower = workspace.shift.second(column, count: order)
      let behind = workspace.shift.stride
      for row in 0..<rows - 1 {
        let above = workspace.weights[row] / workspace.rowWeights[row]
        let below = workspace.weights[row] / workspace.rowWeights[row + 1]
        upper[row] = above * source[row]
        upper[behind + row] = above * source[rows + row]
        lower[row] = below * source[row + 1]
        lower[behind + row] = below * source[rows + row + 1]
      }
    }
    guard workspace.shift.leastSquares(count: order) else { return nil }
    for index in 0..<order {
      let z = workspace.shift.values.pointer[index]
      workspace.stage.delays.pointer[index] = workspace.stage.response.delay(angle: atan2(z.y, z.x))
    }
    return order
  }
}
