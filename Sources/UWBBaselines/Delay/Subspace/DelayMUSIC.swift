import Numerics
import UWBDSP

/// MUSIC on the channel's frequency response: delays where a path's exponential has least power outside the signal
/// subspace.
///
/// The estimates are the K deepest minima of D(τ) (`NullSpectrum`; the pseudo-spectrum of Schmidt 1986 is 1/D), found
/// on a grid of an eighth of a tap and refined by Newton's method. Super-resolution of times of arrival by it: Li &
/// Pahlavan 2004.
///
/// Two paths a tap apart may leave one minimum, more often than they pass for one with `DelayRootMUSIC` and `DelayESPRIT`; then the
/// stated deviation is far too small.
///
/// Cost: the search over all taps, an eigenproblem of L = 12, a transform of 256 points and some Newton steps. Don't use it in a channel
/// with more paths in the window than `mostPaths`: a weak first path before a dense cluster is mostly lost.
public struct DelayMUSIC: DelayEstimator {
  /// The part of the spectrum that is used.
  public var window: FrequencyWindow

  /// Creates one with the given values.
  public init(_ window: FrequencyWindow = FrequencyWindow()) {
    self.window = window
  }

  fileprivate static let pointsPerTap = 8
  private static let mostSteps = 8

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let stage: SubspaceStage
    fileprivate let subspace: SignalSubspace
    fileprivate let spectrum: NullSpectrum
    fileprivate let plan: FourierPlan
    fileprivate let input: AlignedBuffer<Float>
    fileprivate let grid: AlignedBuffer<Float>
    /// D at the minima kept, ascending, beside their delays in `stage.delays`.
    fileprivate let depths = AlignedBuffer<Double>(count: PathFit.mostPaths, zero: 0)

    fileprivate init(_ estimator: DelayMUSIC, tapCount: Int) {
      stage = SubspaceStage(estimator.window, tapCount: tapCount)
      subspace = SignalSubspace(stage.response)
      spectrum = NullSpectrum(subspace)
      let points = estimator.window.windowTaps * pointsPerTap
      plan = FourierRecipe(count: points, direction: .forward).makePlan()
      input = AlignedBuffer(count: 2 * points, zero: 0)
      grid = AlignedBuffer(count: 2 * points, zero: 0)
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    workspace.stage.estimate(
      taps, into: &estimate, order: { workspace.subspace.order($0) }, locate: { minima($0, workspace) })
  }

  /// The `order` deepest minima, fewer where there are fewer.
  private func minima(_ order: Int, _ workspace: Workspace) -> Int {
    let spectrum = workspace.spectrum
    guard spectrum.make(order: order) else { return 0 }
    let points = workspace.plan.recipe.count
    // D = n_0 + 2·Re Σ n_d·exp(jμd): the transform of the conjugates has the same real part. FFTW may use its input as
    // scratch, so all of it is written each time.
    let input = workspace.input.pointer
    input.update(repeating: 0, count: 2 * points)
    for lag in 0..<spectrum.count {
      input[2 * lag] = Float((lag == 0 ? 0.5 : 1) * spectrum.coefficients.pointer[2 * lag])
      input[2 * lag + 1] = Float(-spectrum.coefficients.pointer[2 * lag + 1])
    }
    workspace.plan.execute(input, into: workspace.grid.pointer)
    let grid = workspace.grid.pointer
    var found = 0
    for point in 0..<points {
      let value = grid[2 * point]
      // Angles run round a circle.
      let before = grid[2 * ((point + points - 1) % points)]
      let after = grid[2 * ((point + 1) % points)]
      guard value < before, value <= after else { continue }
      let (angle, depth) = refine(2 * .pi * Double(point) / Double(points), step: 2 * .pi / Double(points), spectrum)
      insert(angle: angle, depth: depth, order, &found, workspace)
    }
    return found
  }

  private func refine(_ start: Double, step: Double, _ spectrum: NullSpectrum) -> (angle: Double, depth: Double) {
    var angle = start
    var at = spectrum.evaluate(angle)
    for _ in 0..<Self.mostSteps {
      guard at.bend > 0 else { break }
      let move = min(max(-at.slope / at.bend, -step), step)
      guard abs(angle + move - start) <= 2 * step else { break }
      angle += move
      at = spectrum.evaluate(angle)
      if abs(move) < 1e-9 { break }
    }
    return (angle, at.value)
  }

  /// Keeps the deepest `order` minima.
  private func insert(
    angle: Double, depth: Double, _ order: Int, _ found: inout Int, _ workspace: Workspace
  ) {
    let depths = workspace.depths.pointer
    let delays = workspace.stage.delays.pointer
    if found == order {
      guard depth < depths[found - 1] else { return }
    } else {
      found += 1
    }
    var position = found - 1
    while position > 0, depths[position - 1] > depth {
      depths[position] = depths[position - 1]
      delays[position] = delays[position - 1]
      position -= 1
    }
    depths[position] = depth
    delays[position] = workspace.stage.response.delay(angle: angle <= .pi ? angle : angle - 2 * .pi)
  }
}
