import UWBDSP

/// The least-squares problem of `SelfCalibration`: rows of observations, unknowns (places, device after device, then what each
/// device's delay adds to a distance, all m), and what its Jacobian says of them.
struct SelfCalibrationProblem {
  enum Kind {
    case range, distance, delay
  }

  struct Row {
    var kind: Kind
    var one: Int
    /// The same as `one` for a delay.
    var other: Int
    /// m
    var value: Double
    /// 1/variance, m⁻²; 0 for what takes no part.
    var weight: Double
  }

  struct Fit {
    var unknowns: [Double]
    /// Σ weight·residual²
    var cost: Double

    /// What each device's delay adds to a distance, m.
    func biases(_ problem: SelfCalibrationProblem) -> [Double] {
      Array(unknowns[(problem.devices.count * problem.dimensions)...])
    }
  }

  /// Singular values of the Jacobian below this part of the largest are none: noise would grow by more than ten thousand.
  private static let rankTolerance = 1e-4
  private static let mostSteps = 300

  let devices: [DeviceAddress]
  let dimensions: Int
  let rows: [Row]

  var unknownCount: Int { devices.count * (dimensions + 1) }

  init(_ observations: [SelfCalibration.Observation], dimensions: Int, propagationSpeed: Double) {
    self.dimensions = dimensions
    var seen: Set<DeviceAddress> = []
    for observation in observations {
      switch observation {
      case .range(let one, let other, _, _), .distance(let one, let other, _, _):
        precondition(one != other, "device \(one) has no distance to itself")
        seen.formUnion([one, other])
      case .delay(let device, _, _): seen.insert(device)
      }
    }
    let devices = seen.sorted { $0.rawValue < $1.rawValue }
    var places: [DeviceAddress: Int] = [:]
    for (index, device) in devices.enumerated() { places[device] = index }
    self.devices = devices
    func row(_ kind: Kind, _ one: DeviceAddress, _ other: DeviceAddress, _ value: Double, _ deviation: Double) -> Row {
      let isUsable = value.isFinite && deviation.isFinite && deviation > 0
      return Row(
        kind: kind, one: places[one] ?? 0, other: places[other] ?? 0, value: isUsable ? value : 0,
        weight: isUsable ? 1 / (deviation * deviation) : 0)
    }
    rows = observations.map { observation in
      switch observation {
      case .range(let one, let other, let distance, let deviation): row(.range, one, other, distance, deviation)
      case .distance(let one, let other, let distance, let deviation): row(.distance, one, other, distance, deviation)
      case .delay(let device, let delay, let deviation):
        row(.delay, device, device, delay * propagationSpeed / 2, deviation * propagationSpeed / 2)
      }
    }
  }

  // MARK: Model

  private func biasIndex(_ device: Int) -> Int { devices.count * dimensions + device }

  func separation(_ one: Int, _ other: Int, _ unknowns: [Double]) -> Double {
    var squares = 0.0
    for axis in 0..<dimensions {
      let part = unknowns[one * dimensions + axis] - unknowns[other * dimensions + axis]
      squares += part * part
    }
    return squares.squareRoot()
  }

  func predicted(_ row: Row, _ unknowns: [Double]) -> Double {
    switch row.kind {
    case .range:
      separation(row.one, row.other, unknowns) + unknowns[biasIndex(row.one)] + unknowns[biasIndex(row.other)]
    case .distance: separation(row.one, row.other, unknowns)
    case .delay: unknowns[biasIndex(row.one)]
    }
  }

  private func cost(_ unknowns: [Double], _ weights: [Double]) -> Double {
    var sum = 0.0
    for (row, weight) in zip(rows, weights) where weight > 0 {
      let residual = row.value - predicted(row, unknowns)
      sum += weight * residual * residual
    }
    return sum
  }

  /// The row of the Jacobian that is not zero: unknowns and derivatives.
  private func derivatives(_ row: Row, _ unknowns: [Double]) -> [(index: Int, value: Double)] {
    guard row.kind != .delay else { return [(biasIndex(row.one), 1)] }
    var list: [(index: Int, value: Double)] = []
    // Two devices in one place have no direction; any does to part them.
    let length = max(separation(row.one, row.other, unknowns), 1e-9)
    for axis in 0..<dimensions {
      let part = (unknowns[row.one * dimensions + axis] - unknowns[row.other * dimensions + axis]) / length
      list.append((row.one * dimensions + axis, part))
      list.append((row.other * dimensions + axis, -part))
    }
    if row.kind == .range { list += [(biasIndex(row.one), 1), (biasIndex(row.other), 1)] }
    return list
  }

  /// JᵀWJ by rows, and JᵀW·residuals.
  private func normal(_ unknowns: [Double], _ weights: [Double]) -> (matrix: [Double], side: [Double]) {
    let count = unknownCount
    var matrix = [Double](repeating: 0, count: count * count)
    var side = [Double](repeating: 0, count: count)
    for (row, weight) in zip(rows, weights) where weight > 0 {
      let list = derivatives(row, unknowns)
      let residual = row.value - predicted(row, unknowns)
      for (index, value) in list {
        side[index] += weight * value * residual
        for (other, second) in list { matrix[index * count + other] += weight * value * second }
      }
    }
    return (matrix, side)
  }

  // MARK: Fit

  /// Levenberg's steps from `start`; `nil` where numbers run away.
  func fit(from start: [Double], weights: [Double]) -> Fit? {
    var unknowns = start
    var best = cost(unknowns, weights)
    let count = unknownCount
    var damping = 1e-2
    var steps = 0
    while steps < Self.mostSteps, best.isFinite {
      let (matrix, side) = normal(unknowns, weights)
      let mean = (0..<count).reduce(0) { $0 + matrix[$1 * count + $1] } / Double(count)
      guard mean > 0 else { return nil }
      var isBetter = false
      var change = 0.0
      var gain = 0.0
      while !isBetter, damping < 1e12 {
        var damped = matrix
        for index in 0..<count { damped[index * count + index] += damping * mean }
        var step = side
        steps += 1
        if PositiveDefiniteEquations.solve(&damped, &step), step.allSatisfy(\.isFinite) {
          let next = zip(unknowns, step).map { $0 + $1 }
          let nextCost = cost(next, weights)
          if nextCost <= best {
            isBetter = true
            change = step.reduce(0) { max($0, abs($1)) }
            gain = best - nextCost
            (unknowns, best) = (next, nextCost)
          }
        }
        damping = isBetter ? max(damping / 10, 1e-13) : damping * 4
        guard steps < Self.mostSteps else { break }
      }
      // A hundredth of a nanometre, or nothing of a deviation.
      if !isBetter || change < 1e-11 || gain < 1e-15 * best { break }
    }
    return best.isFinite ? Fit(unknowns: unknowns, cost: best) : nil
  }

  // MARK: What is determined

  /// What the Jacobian at a solution says.
  struct Analysis {
    /// Devices whose delays the observations leave open.
    var open: [Int]
    /// Directions of the unknowns that change no observation, motions of the whole included.
    var nullity: Int
    /// Of these, motions of the whole.
    var motions: Int
    var redundancy: Int
    var scale: Double
    /// By row.
    var normalised: [Double?]
    fileprivate var covariance: [Double]

    /// Standard deviation of a device's bias, m.
    func deviation(of device: Int, in problem: SelfCalibrationProblem) -> Double {
      let index = problem.biasIndex(device)
      return scale * max(0, covariance[index * problem.unknownCount + index]).squareRoot()
    }

    /// Variance of the sum of two devices' biases, m².
    func pairVariance(_ row: Row, in problem: SelfCalibrationProblem) -> Double {
      let (one, other) = (problem.biasIndex(row.one), problem.biasIndex(row.other))
      let count = problem.unknownCount
      return scale * scale
        * max(
          0,
          covariance[one * count + one] + covariance[other * count + other] + 2 * covariance[one * count + other])
    }

    /// The row that fits worst, where it exceeds `limit` deviations: its own ones, or with doubt in these as much more as the other
    /// rows' residuals say.
    func worst(limit: Double, isHonest: Bool, _ problem: SelfCalibrationProblem, _ weights: [Double]) -> Int? {
      // Two rows to spare would accuse each other; and whoever states a delay is taken at his word.
      guard redundancy >= 3 else { return nil }
      let candidates = problem.rows.indices.filter { weights[$0] > 0 && problem.rows[$0].kind != .delay }
      let worst = candidates.max { abs(normalised[$0] ?? 0) < abs(normalised[$1] ?? 0) }
      guard let worst, let size = normalised[worst].map(abs) else { return nil }
      let others = isHonest ? 1 : max(1, ((squares - size * size) / Double(redundancy - 1)).squareRoot())
      return size > limit * others ? worst : nil
    }

    /// By how many deviations a row that takes no part misses what the others predict.
    func miss(of index: Int, _ problem: SelfCalibrationProblem, _ fit: Fit) -> Double {
      let row = problem.rows[index]
      let variance = 1 / row.weight + problem.variance(of: row, fit.unknowns, covariance)
      return abs(row.value - problem.predicted(row, fit.unknowns)) / (scale * variance.squareRoot())
    }

    /// Whether residuals are no larger than stated deviations make them, by chance up to three of their own deviations.
    var isHonest: Bool { Self.isHonest(squares, redundancy) }

    fileprivate static func isHonest(_ squares: Double, _ redundancy: Int) -> Bool {
      squares <= Double(redundancy) + 3 * Double(2 * redundancy).squareRoot() + 1e-9
    }

    fileprivate var squares: Double
  }

  /// Of what is predicted for a row, m².
  private func variance(of row: Row, _ unknowns: [Double], _ covariance: [Double]) -> Double {
    let list = derivatives(row, unknowns)
    var sum = 0.0
    for (index, value) in list {
      for (other, second) in list { sum += value * second * covariance[index * unknownCount + other] }
    }
    return sum
  }

  private struct NullSpace {
    var vectors: [[Double]]
    var open: [Int]
  }

  /// Directions that change no observation. Rows count alike here: deviations say nothing of geometry.
  private func nullSpace(_ unknowns: [Double], _ weights: [Double]) -> NullSpace? {
    let count = unknownCount
    let (matrix, _) = normal(unknowns, weights.map { $0 > 0 ? 1 : 0 })
    let eigen = SymmetricEigenvectors(capacity: count)
    for index in matrix.indices { eigen.matrix.pointer[index] = matrix[index] }
    guard eigen.decompose(order: count) else { return nil }
    let limit = Self.rankTolerance * Self.rankTolerance * eigen.values.pointer[count - 1]
    var vectors: [[Double]] = []
    for column in 0..<count where eigen.values.pointer[column] < limit {
      vectors.append((0..<count).map { eigen.matrix.pointer[column * count + $0] })
    }
    // The projector's diagonal does not depend on how the eigenvectors of equal values are chosen.
    let open = devices.indices.filter { device in
      vectors.reduce(0) { $0 + $1[biasIndex(device)] * $1[biasIndex(device)] } > 1e-6
    }
    return NullSpace(vectors: vectors, open: open)
  }

  func isDetermined(at fit: Fit, weights: [Double]) -> Bool {
    nullSpace(fit.unknowns, weights)?.open.isEmpty ?? false
  }

  func analyse(_ fit: Fit, weights: [Double]) -> Analysis? {
    guard let null = nullSpace(fit.unknowns, weights) else { return nil }
    let count = unknownCount
    let (matrix, _) = normal(fit.unknowns, weights)
    let mean = (0..<count).reduce(0) { $0 + matrix[$1 * count + $1] } / Double(count)
    // Directions that nothing determines get some stiffness: what is determined has no part in them.
    let regular = PositiveDefinite(order: count)
    for row in 0..<count {
      for column in 0..<count {
        let stiff = null.vectors.reduce(0) { $0 + $1[row] * $1[column] }
        regular.matrix.pointer[column * count + row] = matrix[row * count + column] + mean * stiff
      }
    }
    guard regular.factorise(), regular.invert() else { return nil }
    let covariance = (0..<count * count).map { regular.matrix.pointer[$0] }
    let used = weights.count { $0 > 0 }
    let redundancy = used - (count - null.vectors.count)
    let isHonest = Analysis.isHonest(fit.cost, redundancy)
    let scale = redundancy > 0 && !isHonest ? (fit.cost / Double(redundancy)).squareRoot() : 1
    let normalised = zip(rows, weights).map { row, weight -> Double? in
      guard weight > 0 else { return nil }
      let rest = 1 - weight * variance(of: row, fit.unknowns, covariance)
      // What nothing else checks has no residual, whatever it is off by.
      guard rest > 1e-6 else { return nil }
      return (row.value - predicted(row, fit.unknowns)) * (weight / rest).squareRoot()
    }
    return Analysis(
      open: null.open, nullity: null.vectors.count, motions: motions(fit.unknowns), redundancy: redundancy,
      scale: scale, normalised: normalised, covariance: covariance, squares: fit.cost)
  }

  /// Motions of the whole that move something: fewer where all stand in one place, or in a line in space.
  private func motions(_ unknowns: [Double]) -> Int {
    let all = dimensions * (dimensions + 1) / 2
    guard dimensions == 3, devices.count == 2 else { return all }
    return all - 1
  }

  /// Pairs of devices without a range.
  func unpaired(_ weights: [Double]) -> [[DeviceAddress]] {
    var ranged: Set<[Int]> = []
    for (row, weight) in zip(rows, weights) where row.kind == .range && weight > 0 {
      ranged.insert([min(row.one, row.other), max(row.one, row.other)])
    }
    var list: [[DeviceAddress]] = []
    for other in devices.indices {
      for one in 0..<other where !ranged.contains([one, other]) { list.append([devices[one], devices[other]]) }
    }
    return list
  }

  // MARK: Places

  /// Places with the first device at the origin, the second on +x, the third towards +y, the fourth towards +z.
  func aligned(_ fit: Fit) -> [SIMD3<Double>] {
    var places = devices.indices.map { device -> SIMD3<Double> in
      var place = SIMD3<Double>()
      for axis in 0..<dimensions { place[axis] = fit.unknowns[device * dimensions + axis] }
      return place
    }
    let origin = places.first ?? .zero
    for index in places.indices { places[index] -= origin }
    var axes: [SIMD3<Double>] = []
    for place in places.dropFirst() where axes.count < dimensions {
      let rest = axes.reduce(place) { $0 - ($1 * place).sum() * $1 }
      let length = rest.length
      if length > 1e-6 { axes.append(rest / length) }
    }
    return places.map { place in
      var turned = SIMD3<Double>()
      for (axis, direction) in axes.enumerated() { turned[axis] = (place * direction).sum() }
      return turned
    }
  }
}
