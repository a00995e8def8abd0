import UWBDSP
import UWBPlatform

extension LinearCarrier {
  /// Fits the points' mean phases φ.
  ///
  /// A grid over (x, y), a wavelength each way, gives the largest |Σ w·exp(j(φ − x·u − y·v))|. The weight w falls off from boresight. Reweighted
  /// least squares of the wrapped residuals follow (P. J. Huber, "Robust Statistics", 1981, section 7.8), with Cauchy's weights.
  /// Cost: points × 1681 for the grid.
  init(azimuths: [Double], elevations: [Double], phases: [Double]) {
    let count = phases.count
    let u = (0..<count).map { sin(azimuths[$0]) * cos(elevations[$0]) }
    let v = elevations.map { sin($0) }
    let weights = (0..<count).map { exp(-2 * (u[$0] * u[$0] + v[$0] * v[$0])) }
    func spread(_ values: [Double]) -> Double { (values.max() ?? 0) - (values.min() ?? 0) }
    let hasRight = spread(u) > 1e-3
    let hasUp = spread(v) > 1e-3
    let cells = (-20...20).map { 2 * Double.pi * Double($0) / 20 }
    var best = (score: -1.0, right: 0.0, up: 0.0, offset: 0.0)
    for right in hasRight ? cells : [0] {
      let turned = (0..<count).map { phases[$0] - right * u[$0] }
      for up in hasUp ? cells : [0] {
        var (x, y) = (0.0, 0.0)
        for index in 0..<count {
          let phase = turned[index] - up * v[index]
          x += weights[index] * cos(phase)
          y += weights[index] * sin(phase)
        }
        let score = x * x + y * y
        if score > best.score { best = (score, right, up, atan2(y, x)) }
      }
    }
    self.init(offset: best.offset, right: best.right, up: best.up)
    let columns = 1 + (hasRight ? 1 : 0) + (hasUp ? 1 : 0)
    guard count > columns else { return }
    let problem = LeastSquares(rows: count, columns: columns)
    let workspace = problem.makeWorkspace()
    var solution = Array(repeating: 0.0, count: columns)
    for _ in 0..<8 {
      var matrix = Array(repeating: 0.0, count: count * columns)
      var side = Array(repeating: 0.0, count: count)
      for index in 0..<count {
        let residual = Phase.wrapped(phases[index] - phase(azimuth: azimuths[index], elevation: elevations[index]))
        let weight = (weights[index] / (1 + residual * residual / 0.5)).squareRoot()
        side[index] = weight * residual
        matrix[index] = weight
        if hasRight { matrix[count + index] = weight * u[index] }
        if hasUp { matrix[(columns - 1) * count + index] = weight * v[index] }
      }
      guard problem.solve(matrix, side, into: &solution, using: workspace) != nil else { return }
      offset += solution[0]
      if hasRight { right += solution[1] }
      if hasUp { up += solution[columns - 1] }
    }
    offset = Phase.wrapped(offset)
  }
}
