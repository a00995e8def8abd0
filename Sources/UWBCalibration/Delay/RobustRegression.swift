import UWBDSP

/// Penalised linear least squares in groups that tolerates outliers: iteratively reweighted normal equations through LAPACK.
///
/// Minimises Σ_g 1/n_g·Σ_i w_i·(y_i − x_i·β)² + βᵀ·P·β. Each group (a capture) counts the same, however many rows it has.
/// Weights: first 1/max(|residual|, ε), Huber's with a limit ε near zero, which gives the least sum of magnitudes; from its
/// residuals the scale, 1.4826 × their weighted median, which then stays; then Tukey's bisquare, which gives no weight to what is far
/// off, with c = 3.44: 85 % efficient on Gaussian errors, less biased by outliers than the usual 4.685 (95 %). A start at least squares would not do: two places of six with wrong truths carry both the mean and any
/// scale about it away. (Maronna, Martin & Yohai, "Robust Statistics", 2006, sections 2.2.4, 4.4.2, 5.5.)
/// Cost O(rows·columns²) an iteration. For calibration, not for the engine's path: it allocates.
///
/// The normal equations square the condition number: columns are to be of like size, as a spline's are.
struct RobustRegression {
  /// Rows of one group.
  struct Group {
    /// Rows · columns numbers, by rows.
    var matrix: [Double] = []
    var side: [Double] = []
  }

  let columns: Int
  let groups: [Group]

  /// ε, of the unit of the residuals (m)
  private static let smallest = 1e-4
  private static let bisquare = 3.44
  private static let iterations = 30

  /// Weighted sums Xᵀ·W·X and Xᵀ·W·y of one group, over n_g.
  struct Normal {
    var matrix: [Double]
    var side: [Double]

    static func sum(_ parts: [Normal], columns: Int) -> Normal {
      var total = Normal(
        matrix: [Double](repeating: 0, count: columns * columns), side: [Double](repeating: 0, count: columns))
      for part in parts {
        for place in total.matrix.indices { total.matrix[place] += part.matrix[place] }
        for place in total.side.indices { total.side[place] += part.side[place] }
      }
      return total
    }
  }

  /// A fit, and what it was made of.
  struct Fit {
    var solution: [Double]
    /// Of a row's residual, from the median.
    var scale: Double
    /// Weights of the rows, group after group.
    var weights: [[Double]]
    var normals: [Normal]
  }

  func residuals(_ group: Group, _ solution: [Double]) -> [Double] {
    group.side.indices.map { row in
      var sum = group.side[row]
      for column in 0..<columns { sum -= group.matrix[row * columns + column] * solution[column] }
      return sum
    }
  }

  private func normal(_ group: Group, _ weights: [Double]) -> Normal {
    var result = Normal(
      matrix: [Double](repeating: 0, count: columns * columns), side: [Double](repeating: 0, count: columns))
    let share = 1 / Double(max(group.side.count, 1))
    group.matrix.withUnsafeBufferPointer { matrix in
      result.matrix.withUnsafeMutableBufferPointer { sums in
        for row in group.side.indices {
          let weight = weights[row] * share
          guard weight > 0 else { continue }
          for one in 0..<columns {
            let scaled = weight * matrix[row * columns + one]
            guard scaled != 0 else { continue }
            for other in 0..<columns { sums[one * columns + other] += scaled * matrix[row * columns + other] }
            result.side[one] += scaled * group.side[row]
          }
        }
      }
    }
    return result
  }

  /// Solves the normal equations with a penalty; `nil` where they are singular.
  static func solve(_ normal: Normal, penalty: [Double], columns: Int) -> [Double]? {
    let equations = LinearEquations(capacity: columns)
    for place in 0..<columns * columns { equations.matrix.pointer[place] = normal.matrix[place] + penalty[place] }
    for place in 0..<columns { equations.sides.pointer[place] = normal.side[place] }
    guard equations.solve(order: columns, sideCount: 1) else { return nil }
    let solution = (0..<columns).map { equations.sides.pointer[$0] }
    return solution.allSatisfy(\.isFinite) ? solution : nil
  }

  /// - Parameter penalty: P, by rows; it has to make the problem regular where the data don't.
  func fit(penalty: [Double]) -> Fit? {
    precondition(penalty.count == columns * columns, "a penalty of \(penalty.count) for \(columns) columns")
    guard groups.contains(where: { !$0.side.isEmpty }) else { return nil }
    var weights = groups.map { [Double](repeating: 1, count: $0.side.count) }
    var normals = zip(groups, weights).map { normal($0, $1) }
    guard var solution = Self.solve(.sum(normals, columns: columns), penalty: penalty, columns: columns) else {
      return nil
    }
    var scale = 0.0
    for iteration in 0..<2 * Self.iterations {
      let residuals = groups.map { self.residuals($0, solution) }
      let isFirstStage = iteration < Self.iterations
      if isFirstStage || iteration == Self.iterations { scale = max(Self.scale(residuals), 1e-9) }
      for index in groups.indices {
        for row in residuals[index].indices {
          let size = abs(residuals[index][row])
          if isFirstStage {
            // Of the order of 1 at the scale, so that the penalty counts as it does in the end.
            weights[index][row] = scale / max(size, Self.smallest)
          } else {
            let rest = 1 - (size / scale / Self.bisquare) * (size / scale / Self.bisquare)
            weights[index][row] = rest > 0 ? rest * rest : 0
          }
        }
      }
      normals = zip(groups, weights).map { normal($0, $1) }
      guard let next = Self.solve(.sum(normals, columns: columns), penalty: penalty, columns: columns) else { break }
      let change = zip(next, solution).reduce(0) { max($0, abs($1.0 - $1.1)) }
      solution = next
      // Nanometres don't matter.
      if change < 1e-9, !isFirstStage { break }
    }
    return Fit(solution: solution, scale: scale, weights: weights, normals: normals)
  }

  /// The median over groups' rows, each group with the same weight.
  private static func scale(_ residuals: [[Double]]) -> Double {
    var sizes: [(size: Double, weight: Double)] = []
    for group in residuals {
      let weight = 1 / Double(max(group.count, 1))
      for residual in group { sizes.append((abs(residual), weight)) }
    }
    sizes.sort { $0.size < $1.size }
    let half = sizes.reduce(0) { $0 + $1.weight } / 2
    var sum = 0.0
    for (size, weight) in sizes {
      sum += weight
      if sum >= half { return 1.4826 * size }
    }
    return 0
  }
}
