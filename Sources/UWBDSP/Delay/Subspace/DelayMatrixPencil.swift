import Numerics
import UWBPlatform

/// Matrix pencil on the channel's frequency response: delays from the singular vectors of its Hankel matrix, without a
/// covariance.
///
/// The weighted Hankel matrix (`FrequencyResponse`) is cut to its K strongest left singular vectors U; with U₁ and U₂
/// the rows but the last and but the first, weights taken off, the pencil U₂ − z·U₁ loses rank at z_i = exp(jμ_i),
/// μ_i = −2π·τ_i/N: the eigenvalues of U₁⁺·U₂ (after Hua & Sarkar 1990). The pencil parameter is L − 1 for L = 5/8 of the
/// band.
///
/// It sees each snapshot once where ESPRIT sees it forwards and backwards, so close paths cost it more. Measured
/// over the bound, paths uncounted (4,000 CIRs a case, settings chosen on other draws): one path 1.17 at 12 dB, 1.06 at 20 dB;
/// two equal ones at 25 dB 1.05 if 4 taps apart, but 1.45 if 2; three 1.55. Its stated deviations are as much too small.
///
/// Cost: the search over all taps, singular vectors of 12 × 8 complex numbers and an eigenproblem of K: 19 µs with one
/// path, 26 µs with three. Don't use it where paths lie closer than some 3 taps (`DelayESPRIT`), nor with more paths in
/// the window than `mostPaths`, though of the family it loses a weak first path under a dense cluster least often (16 %).
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
    fileprivate let singular: LeftSingularVectors
    /// Squares of the singular values, ascending.
    fileprivate let powers: AlignedBuffer<Double>
    fileprivate let equations: ComplexLeastSquares
    fileprivate let eigenvalues = GeneralEigenvalues(capacity: PathFit.mostPaths)
    fileprivate let rowWeights: [Double]
    fileprivate let weights: [Double]

    fileprivate init(_ estimator: DelayMatrixPencil, tapCount: Int) {
      stage = SubspaceStage(estimator.window, tapCount: tapCount)
      let response = stage.response
      singular = LeftSingularVectors(rows: response.rows, columns: response.columns)
      powers = AlignedBuffer(count: singular.values.count, zero: 0)
      equations = ComplexLeastSquares(
        rows: response.rows - 1, mostColumns: PathFit.mostPaths, mostSides: PathFit.mostPaths)
      rowWeights = response.rowWeights
      weights = response.neighbourWeights
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    let stage = workspace.stage
    guard stage.load(taps, into: &estimate) else { return }
    let singular = workspace.singular
    singular.matrix.pointer.update(from: stage.response.matrix.pointer, count: singular.matrix.count)
    guard singular.decompose() else { return }
    stage.report(order: order(workspace), into: &estimate) { delays($0, workspace) }
  }

  private func order(_ workspace: Workspace) -> Int {
    let singular = workspace.singular
    let rank = singular.values.count
    let most = window.mostPaths(rank: rank)
    if window.order != nil { return most }
    for index in 0..<rank {
      let value = singular.values.pointer[rank - 1 - index]
      workspace.powers.pointer[index] = value * value
    }
    return MinimumDescriptionLength.order(
      workspace.powers.pointer, count: rank, snapshots: max(singular.rows, singular.columns), most: most)
  }

  private func delays(_ order: Int, _ workspace: Workspace) -> Int? {
    let rows = workspace.singular.rows
    let equations = workspace.equations
    for column in 0..<order {
      let vector = workspace.singular.vectors.pointer + 2 * column * rows
      let upper = equations.matrix.pointer + 2 * column * (rows - 1)
      let lower = equations.sides.pointer + 2 * column * (rows - 1)
      for row in 0..<rows - 1 {
        let above = workspace.weights[row] / workspace.rowWeights[row]
        let below = workspace.weights[row] / workspace.rowWeights[row + 1]
        for part in 0..<2 {
          upper[2 * row + part] = above * vector[2 * row + part]
          lower[2 * row + part] = below * vector[2 * (row + 1) + part]
        }
      }
    }
    guard equations.solve(columns: order, sideCount: order) else { return nil }
    let eigenvalues = workspace.eigenvalues
    for column in 0..<order {
      (eigenvalues.matrix.pointer + 2 * column * order).update(
        from: equations.sides.pointer + 2 * column * (rows - 1), count: 2 * order)
    }
    guard eigenvalues.runComplex(order: order) else { return nil }
    for index in 0..<order {
      let x = eigenvalues.values.pointer[2 * index]
      let y = eigenvalues.values.pointer[2 * index + 1]
      workspace.stage.delays.pointer[index] = workspace.stage.response.delay(angle: atan2(y, x))
    }
    return order
  }
}
