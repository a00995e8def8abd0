/// A least-squares problem that `LevenbergMarquardt` takes to its nearest minimum, amplitudes eliminated.
protocol FitProblem: AnyObject {
  associatedtype Position: BitwiseCopyable
  /// Cost; `nil` where paths coincide.
  func solve(_ positions: UnsafePointer<Position>, count: Int) -> Double?
  /// Leaves gradient and matrix, where `solve` was last, in the `descent` that it was made with.
  func linearise(_ positions: UnsafePointer<Position>, count: Int)
  /// Writes where a step leads, no further than the model is to be trusted.
  func move(
    _ positions: UnsafePointer<Position>, count: Int, by step: UnsafePointer<Double>,
    into moved: UnsafeMutablePointer<Position>)
  /// Undoes what the last `move` changed beside the positions.
  func undoMove()
}

extension FitProblem {
  func undoMove() {}
}

/// Levenberg–Marquardt (Levenberg 1944; Marquardt 1963) for the path fits: matrices of a few unknowns, and the steps on them.
///
/// Each step solves (H + λ·diag H)·δ = g, where the cost falls by g·δ for small λ. An accepted step lowers λ, a refused one raises
/// it. Cost: an order³/6 factor a step beside the model's own work.
final class LevenbergMarquardt<Position: BitwiseCopyable> {
  /// Of the cost: what single precision leaves uncertain of it.
  private static var rounding: Double { 1e-6 }

  let order: Int
  /// H by rows, its lower triangle; then g.
  let hessian: AlignedBuffer<Double>
  let gradient: AlignedBuffer<Double>
  private let step: AlignedBuffer<Double>
  private let factor: SmallCholesky
  private let candidate: AlignedBuffer<Position>

  init(order: Int, origin: Position) {
    self.order = order
    hessian = AlignedBuffer(count: order * order, zero: 0)
    gradient = AlignedBuffer(count: order, zero: 0)
    step = AlignedBuffer(count: order, zero: 0)
    factor = SmallCholesky(order: order)
    candidate = AlignedBuffer(count: PathFit.mostPaths, zero: origin)
  }

  /// Zero gradient and matrix.
  func clear(_ unknowns: Int) {
    for row in 0..<unknowns {
      gradient.pointer[row] = 0
      for column in 0..<unknowns { hessian.pointer[row * order + column] = 0 }
    }
  }

  /// Takes an unknown out that can't go where it is drawn to, so that the others move as if it was known.
  func hold(_ unknown: Int, of unknowns: Int) {
    gradient.pointer[unknown] = 0
    for column in 0..<unknown { hessian.pointer[unknown * order + column] = 0 }
    for row in unknown + 1..<max(unknowns, unknown + 1) { hessian.pointer[row * order + unknown] = 0 }
  }

  /// Holds a delay that is drawn out of the window's reach.
  func hold(delay: Double, _ unknown: Int, of unknowns: Int, windowTaps: Int) {
    let pull = gradient.pointer[unknown]
    let range = FitStep.range(windowTaps)
    if delay <= range.lowerBound && pull < 0 || delay >= range.upperBound && pull > 0 { hold(unknown, of: unknowns) }
  }

  /// `false` where the matrix is singular.
  func factorise(_ unknowns: Int, damping: Double = 0) -> Bool {
    for row in 0..<unknowns {
      for column in 0..<row { factor[row, column] = hessian.pointer[row * order + column] }
      factor[row, row] = hessian.pointer[row * order + row] * (1 + damping)
    }
    return factor.factorise(order: unknowns)
  }

  /// Replaces b in H·x = b by x; `factorise` has to have succeeded.
  func solve(_ vector: UnsafeMutablePointer<Double>, _ unknowns: Int) { factor.solve(vector, order: unknowns) }

  /// Moves `positions` until the next step could lower the cost by less than `least`, or by less than a `share` of what the cost has above
  /// `floor`: far from what noise leaves nobody asks for the last of it. It ends unsettled after `most` steps.
  func run<Model: FitProblem>(
    _ model: Model, _ positions: UnsafeMutablePointer<Position>, count: Int, unknowns: Int, least: Double,
    share: Double = 0, floor: Double = 0, most: Int = FitStep.most
  ) -> FitEnd where Model.Position == Position {
    guard var cost = model.solve(positions, count: count) else {
      return FitEnd(cost: .infinity, settled: false, isStale: true, steps: 0)
    }
    model.linearise(positions, count: count)
    var damping = FitDamping()
    var isStale = false
    let most = min(max(most, 0), FitStep.most)
    for taken in 1..<most + 1 {
      var reached: Double?
      if factorise(unknowns, damping: damping.value) {
        step.pointer.update(from: gradient.pointer, count: unknowns)
        factor.solve(step.pointer, order: unknowns)
        var expected = 0.0
        for index in 0..<unknowns { expected += step.pointer[index] * gradient.pointer[index] }
        if expected < max(least, Self.rounding * cost, share * (cost - floor)) {
          return FitEnd(cost: cost, settled: true, isStale: isStale, steps: taken)
        }
        model.move(positions, count: count, by: step.pointer, into: candidate.pointer)
        reached = model.solve(candidate.pointer, count: count)
        isStale = true
        if reached ?? .infinity >= cost { model.undoMove() }
      }
      if let reached, reached < cost {
        positions.update(from: candidate.pointer, count: count)
        cost = reached
        isStale = false
        damping.accept()
        model.linearise(positions, count: count)
      } else if !damping.refuse() {
        return FitEnd(cost: cost, settled: true, isStale: isStale, steps: taken)
      }
    }
    return FitEnd(cost: cost, settled: false, isStale: isStale, steps: most)
  }
}
