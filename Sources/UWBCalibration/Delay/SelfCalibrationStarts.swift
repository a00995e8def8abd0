import UWBDSP

/// Where `SelfCalibration` begins: places by classical multidimensional scaling of ranges from which a guess of the delays is taken.
///
/// No way over a third device is shorter than the direct one: d_ij ≤ d_ik + d_kj. So what device k's delay adds to a distance is at most
/// (r_ik + r_kj − r_ij)/2 for all i, j, which bounds delays of any size from above. Starts lie below the bound by parts of the mean distance that
/// it leaves; those after the first eight by parts of their own for each device. Distances of pairs that were not ranged are the
/// shortest way over others. (W. S. Torgerson, "Multidimensional scaling: I. Theory and method", Psychometrika 17, 1952.)
/// Cost O(n³) a start.
enum SelfCalibrationStarts {
  /// Of half the mean distance.
  private static let parts = [0.02, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5]

  /// Values for all unknowns of the problem, start after start; the same for the same problem.
  static func make(_ problem: SelfCalibrationProblem, count: Int) -> [[Double]] {
    let order = problem.devices.count
    let ranges = matrix(problem, .range)
    let known = matrix(problem, .distance)
    let bounds = bounds(ranges, order)
    var sum = 0.0
    var terms = 0.0
    for one in 0..<order {
      for other in 0..<one where ranges[one * order + other].isFinite {
        sum += max(0, ranges[one * order + other] - bounds[one] - bounds[other])
        terms += 1
      }
    }
    let mean = terms > 0 && sum > 0 ? sum / terms : 1
    // Numbers without pattern, the same every time (Weyl's sequence).
    var phase = 0.0
    func next() -> Double {
      phase += 0.618_033_988_749_895
      phase -= phase.rounded(.down)
      return phase
    }
    return (0..<count).map { start in
      let part = parts[start % parts.count] * mean / 2
      let isFirst = start < parts.count
      var biases = bounds.map { $0 - part * (isFirst ? 1 : 0.3 + 1.4 * next()) }
      for row in problem.rows where row.kind == .delay && row.weight > 0 { biases[row.one] = row.value }
      var distances = [Double](repeating: 0, count: order * order)
      for one in 0..<order {
        for other in 0..<order where one != other {
          let place = one * order + other
          distances[place] =
            known[place].isFinite ? known[place] : max(0.01, ranges[place] - biases[one] - biases[other])
        }
      }
      shorten(&distances, order)
      var places = scaled(distances, order, dimensions: problem.dimensions)
      // Off every symmetry, where a step has no direction to take.
      for index in places.indices { places[index] += (isFirst ? 1e-3 : 0.1) * mean * (next() - 0.5) }
      return places + biases
    }
  }

  /// Means of the rows of a kind, symmetric; infinite where there are none.
  private static func matrix(_ problem: SelfCalibrationProblem, _ kind: SelfCalibrationProblem.Kind) -> [Double] {
    let order = problem.devices.count
    var sums = [Double](repeating: 0, count: order * order)
    var counts = sums
    for row in problem.rows where row.kind == kind && row.weight > 0 {
      for place in [row.one * order + row.other, row.other * order + row.one] {
        sums[place] += row.value
        counts[place] += 1
      }
    }
    return zip(sums, counts).map { $1 > 0 ? $0 / $1 : .infinity }
  }

  private static func bounds(_ ranges: [Double], _ order: Int) -> [Double] {
    (0..<order).map { device in
      var bound = Double.infinity
      var nearest = Double.infinity
      for one in 0..<order where one != device && ranges[one * order + device].isFinite {
        nearest = min(nearest, ranges[one * order + device])
        for other in 0..<one where other != device {
          let way = ranges[one * order + device] + ranges[device * order + other] - ranges[one * order + other]
          if way.isFinite { bound = min(bound, way / 2) }
        }
      }
      // In no triangle: half of a range, as if both devices were alike.
      return bound.isFinite ? bound : nearest.isFinite ? nearest / 2 : 0
    }
  }

  /// Shortest ways over other devices (Floyd 1962); what no way reaches is as far as the farthest.
  private static func shorten(_ distances: inout [Double], _ order: Int) {
    for over in 0..<order {
      for one in 0..<order {
        for other in 0..<order {
          let way = distances[one * order + over] + distances[over * order + other]
          if way < distances[one * order + other] { distances[one * order + other] = way }
        }
      }
    }
    let farthest = distances.filter(\.isFinite).max() ?? 1
    for index in distances.indices where !distances[index].isFinite { distances[index] = farthest }
  }

  /// Places whose distances come near the given ones: eigenvectors of the doubly centred −d²/2.
  private static func scaled(_ distances: [Double], _ order: Int, dimensions: Int) -> [Double] {
    let squares = distances.map { -$0 * $0 / 2 }
    let means = (0..<order).map { row in (0..<order).reduce(0) { $0 + squares[row * order + $1] } / Double(order) }
    let mean = means.reduce(0, +) / Double(order)
    let eigen = SymmetricEigenvectors(capacity: order)
    for row in 0..<order {
      for column in 0..<order {
        eigen.matrix.pointer[row * order + column] = squares[row * order + column] - means[row] - means[column] + mean
      }
    }
    var places = [Double](repeating: 0, count: order * dimensions)
    guard eigen.decompose(order: order) else { return places }
    for axis in 0..<min(dimensions, order) {
      let column = order - 1 - axis
      let length = max(eigen.values.pointer[column], 0).squareRoot()
      for device in 0..<order {
        places[device * dimensions + axis] = length * eigen.matrix.pointer[column * order + device]
      }
    }
    return places
  }
}
