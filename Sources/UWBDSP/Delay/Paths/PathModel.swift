/// A separable least-squares problem over paths, as `OrderSelection` needs it: amplitudes are eliminated, positions move.
protocol PathModel: AnyObject {
  /// What has to be found of a path: its delay, and whatever goes with it.
  associatedtype Position: BitwiseCopyable
  /// A position to fill memory with.
  static var origin: Position { get }
  /// Complex samples that are explained.
  var sampleCount: Int { get }
  /// Complex amplitudes that each path has: one for each antenna.
  var amplitudesPerPath: Int { get }

  /// Taps from the window's start.
  func delay(_ position: Position) -> Double
  func moved(_ position: Position, by taps: Double) -> Position
  /// Moves `positions` to the nearest minimum of the cost and returns it. Where it is finite, the last `solve` was of them.
  ///
  /// - Parameters:
  ///   - tolerance: fall in cost that it may leave, noise variances.
  ///   - share: the same over the cost beyond noise.
  ///   - effort: steps that are left. Without any it ends unsettled.
  func refine(
    _ positions: UnsafeMutablePointer<Position>, count: Int, variance: Double, tolerance: Double, share: Double,
    effort: inout FitEffort
  ) -> Double
  /// Amplitudes, residual and cost; `nil` where two paths coincide.
  func solve(_ positions: UnsafePointer<Position>, count: Int) -> Double?
  /// Gradient and curvature at the point that `solve` was given last; `false` where the matrix is singular.
  func differentiate(_ positions: UnsafePointer<Position>, count: Int) -> Bool
  /// Makes the inverse of the curvature.
  func invertCurvature(count: Int)
  /// Covariance of two delays over σ²/2, taps².
  func delayCovariance(_ first: Int, _ second: Int) -> Double
  func strongestPath(count: Int) -> Int
  func hasCollapsed(count: Int) -> Bool
  /// Where one path more would explain most of what the last `solve` has left, and by how much.
  func start(count: Int) -> (position: Position, gain: Double)
  /// The fall in cost from widening the strongest path of the last `solve`, as if it stood for two that are close and in
  /// phase, at `positions`.
  func splitGain(_ positions: UnsafePointer<Position>, count: Int) -> Double
}

extension PathModel {
  func refine(
    _ positions: UnsafeMutablePointer<Position>, count: Int, variance: Double, tolerance: Double,
    effort: inout FitEffort
  ) -> Double {
    refine(positions, count: count, variance: variance, tolerance: tolerance, share: 0, effort: &effort)
  }

  /// Ascending delays; the amplitudes follow with the next `solve`.
  func sort(_ positions: UnsafeMutablePointer<Position>, count: Int) {
    for index in 1..<max(count, 1) {
      let value = positions[index]
      var place = index
      while place > 0, delay(positions[place - 1]) > delay(value) {
        positions[place] = positions[place - 1]
        place -= 1
      }
      positions[place] = value
    }
  }
}
