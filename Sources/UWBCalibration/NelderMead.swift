import UWBDSP

/// The minimum of a function of a few variables, without derivatives: the downhill simplex.
///
/// Source: J. A. Nelder, R. Mead, "A simplex method for function minimization", The Computer Journal 7, 1965; the
/// coefficients are theirs (1, 2, ½, ½). Deterministic. Each step costs one or two calls. For up to some ten variables
/// in calibration; where residuals and derivatives are at hand, least squares is faster by far.
struct NelderMead {
  /// Calls of the function after which it stops.
  var mostCalls = 250
  /// It stops where the simplex's values differ by less.
  var tolerance = 0.02

  /// - Parameters:
  ///   - start: one corner of the first simplex; the others lie `step` away along each variable.
  ///   - function: must not return NaN.
  /// - Returns: the best corner and its value.
  func minimum(
    from start: [Double], step: Double, _ function: ([Double]) -> Double
  ) -> (point: [Double], value: Double) {
    var simplex = [(point: start, value: function(start))]
    for index in start.indices {
      var point = start
      point[index] += step
      simplex.append((point, function(point)))
    }
    var calls = simplex.count
    func ordered() { simplex.sort { $0.value < $1.value } }
    ordered()
    while calls < mostCalls, simplex[start.count].value - simplex[0].value > tolerance {
      let worst = simplex[start.count]
      let centre = start.indices.map { index in
        simplex.dropLast().reduce(0) { $0 + $1.point[index] } / Double(start.count)
      }
      func along(_ factor: Double) -> (point: [Double], value: Double) {
        let point = start.indices.map { centre[$0] + factor * (worst.point[$0] - centre[$0]) }
        calls += 1
        return (point, function(point))
      }
      let reflected = along(-1)
      if reflected.value < simplex[0].value {
        let expanded = along(-2)
        simplex[start.count] = expanded.value < reflected.value ? expanded : reflected
      } else if reflected.value < simplex[start.count - 1].value {
        simplex[start.count] = reflected
      } else {
        let contracted = reflected.value < worst.value ? along(-0.5) : along(0.5)
        if contracted.value < min(reflected.value, worst.value) {
          simplex[start.count] = contracted
        } else {
          for corner in 1...start.count {
            let point = start.indices.map {
              simplex[0].point[$0] + 0.5 * (simplex[corner].point[$0] - simplex[0].point[$0])
            }
            simplex[corner] = (point, function(point))
          }
          calls += start.count
        }
      }
      ordered()
    }
    return simplex[0]
  }
}
