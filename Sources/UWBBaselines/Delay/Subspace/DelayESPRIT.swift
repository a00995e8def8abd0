import Numerics
import UWBDSP
import UWBPlatform

/// ESPRIT on the channel's frequency response: delays from how the signal subspace turns from one frequency to the next.
///
/// A subspace A of exponentials obeys J₂·A = J₁·A·Φ with Φ = diag(exp(jμ_i)), μ_i = −2π·τ_i/N, whatever the
/// amplitudes (Roy & Kailath 1989). In the real coordinates of `SignalSubspace` this reads K₁·E·Ψ = K₂·E with real
/// matrices, and the eigenvalues of Ψ are tan(μ_i/2) (unitary ESPRIT: Haardt & Nossek 1995). Both sides are noisy, so Ψ
/// is the total least-squares solution (Roy & Kailath 1989; `ShiftInvariance`).
///
/// Two paths a tap apart sometimes pass for one; then the stated deviation is far too small.
///
/// Cost: the search over all taps, an eigenproblem of L = 12, one of 2K and one of K. It needs no starts and no grid, but `PulseFit` is more
/// accurate. Don't use it in a channel with more paths in the window than `mostPaths`: a weak first path before a dense cluster is mostly lost.
public struct DelayESPRIT: DelayEstimator {
  /// The part of the spectrum that is used.
  public var window: FrequencyWindow

  /// Creates one with the given values.
  public init(_ window: FrequencyWindow = FrequencyWindow()) {
    self.window = window
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let stage: SubspaceStage
    fileprivate let subspace: SignalSubspace
    /// K₁·E and K₂·E.
    fileprivate let shift: ShiftInvariance
    fileprivate let trimmed: AlignedBuffer<Double>
    fileprivate let rotated: AlignedBuffer<Double>
    /// Weights of the rows that neighbours share.
    fileprivate let weights: [Double]

    fileprivate init(_ estimator: DelayESPRIT, tapCount: Int) {
      stage = SubspaceStage(estimator.window, tapCount: tapCount)
      subspace = SignalSubspace(stage.response)
      let rows = stage.response.rows
      shift = ShiftInvariance(rows: rows - 1, limit: PathFit.mostPaths, isComplex: false)
      trimmed = AlignedBuffer(count: 2 * rows, zero: 0)
      rotated = AlignedBuffer(count: 2 * rows, zero: 0)
      weights = stage.response.neighbourWeights
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    workspace.stage.estimate(
      taps, into: &estimate, order: { workspace.subspace.order($0) }, locate: { delays($0, workspace) })
  }

  private func delays(_ order: Int, _ workspace: Workspace) -> Int? {
    guard makeShifted(order, workspace), workspace.shift.totalLeastSquares(count: order) else { return nil }
    let values = workspace.shift.values.pointer
    for index in 0..<order {
      workspace.stage.delays.pointer[index] = workspace.stage.response.delay(angle: 2 * atan(values[index].x))
    }
    return order
  }

  /// K₁·E = Re(Qᴴ·J₂·Q·E) and K₂·E = Im(Qᴴ·J₂·Q·E).
  private func makeShifted(_ order: Int, _ workspace: Workspace) -> Bool {
    let rows = workspace.stage.response.rows
    guard workspace.subspace.makeExponentials(count: order) else { return false }
    let trimmed = workspace.trimmed.pointer
    for column in 0..<order {
      let source = workspace.subspace.exponentials.pointer + 2 * (column * rows + 1)
      for row in 0..<rows - 1 {
        trimmed[2 * row] = workspace.weights[row] * source[2 * row]
        trimmed[2 * row + 1] = workspace.weights[row] * source[2 * row + 1]
      }
      SignalSubspace.rotate(trimmed, count: rows - 1, into: workspace.rotated.pointer)
      let real = workspace.shift.first(column, count: order)
      let imaginary = workspace.shift.second(column, count: order)
      for row in 0..<rows - 1 {
        real[row] = workspace.rotated.pointer[2 * row]
        imaginary[row] = workspace.rotated.pointer[2 * row + 1]
      }
    }
    return true
  }
}
