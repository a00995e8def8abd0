/// One wave: delay at the antennas' mean position in the window of the reference axis, and direction cosines (x, y).
struct PlaneWave: BitwiseCopyable {
  var delay: Double
  var cosines: SIMD2<Double>
}

/// A least-squares problem over plane waves, amplitudes eliminated, as `JointDelayAngle` needs it.
protocol PlaneWaveModel: FitProblem where Position == PlaneWave {
  /// How many cosines are unknown, and their axes in the plane of the direction cosines.
  var dimensions: Int { get }
  var axes: (SIMD2<Double>, SIMD2<Double>) { get }
  /// What `linearise` fills.
  var solver: LevenbergMarquardt<PlaneWave> { get }
  /// Room for one number an unknown.
  var unit: AlignedBuffer<Double> { get }
  /// Leaves gradient and matrix where `solve` was last.
  func fillCurvature(count: Int)
}

extension PlaneWaveModel {
  /// A thirtieth of a deviation; the step before the last one has left far less.
  private static var settledTolerance: Double { 1e-3 }

  func unknowns(_ count: Int) -> Int { count * (1 + dimensions) }

  /// Gradient and Kaufman's matrix where `solve` was last; `false` where it is singular.
  func differentiate(count: Int) -> Bool {
    fillCurvature(count: count)
    return solver.factorise(unknowns(count))
  }

  /// Moves `waves` to the nearest minimum of the cost and returns it; infinite where two waves coincide. The last `solve`
  /// and `differentiate` are of the waves returned.
  func refine(_ waves: UnsafeMutablePointer<PlaneWave>, count: Int, variance: Double, settled: inout Bool) -> Double {
    let end = solver.run(
      self, waves, count: count, unknowns: unknowns(count), least: Self.settledTolerance * variance)
    settled = end.settled
    guard end.isStale else { return solver.factorise(unknowns(count)) ? end.cost : .infinity }
    guard let again = solve(waves, count: count), differentiate(count: count) else { return .infinity }
    return again
  }

  /// One column of a wave's own block of H⁻¹ (0: delay, then cosines along the axes); `differentiate` has to have succeeded.
  func covarianceColumn(_ unknown: Int, of path: Int, count: Int) -> SIMD3<Double> {
    let total = unknowns(count)
    let first = path * (1 + dimensions)
    for row in 0..<total { unit.pointer[row] = row == first + unknown ? 1 : 0 }
    solver.solve(unit.pointer, total)
    var column = SIMD3<Double>()
    for row in 0..<1 + dimensions { column[row] = unit.pointer[first + row] }
    return column
  }
}
