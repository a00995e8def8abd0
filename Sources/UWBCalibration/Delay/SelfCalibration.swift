import UWBDSP

/// Antenna delays of devices that stand still at places nobody has measured, from the ranges between them.
///
/// A range between devices i and j, at places p and with delays that add b (c/2·delay, m) to each of a device's distances, is
///
///     r_ij = |p_i − p_j| + b_i + b_j
///
/// Places and delays are found together by least squares over all ranges (Levenberg's damping; Levenberg 1944), from several starts
/// by classical multidimensional scaling (Torgerson 1952); known distances and known delays enter as measurements of their own.
/// Rows that don't fit are set aside one after the other, the worst first, and named: the residual over its own
/// deviation, which leverage makes smaller (data snooping; Baarda, "A testing procedure for use in geodetic networks", 1968). Those that
/// fit the rest after all come back.
///
/// **What is determined.** Moving, turning or mirroring all places changes no range, and delays don't depend on it. n devices ranged in all
/// pairs give n(n − 1)/2 ranges for
///
/// | arrangement | unknowns | enough, all delays unknown |
/// |---|---|---|
/// | line | 2n − 1 | never: either device at an end may stand anywhere beyond its neighbour, or change places with it |
/// | plane | 3n − 3 | n = 7; n = 6 has as many ranges as unknowns, but little to check them by, and none in a regular ring |
/// | space | 4n − 6 | n = 8 |
///
/// (at general places). Whether a set-up determines a delay is asked of the Jacobian at the solution: a direction of the unknowns that
/// changes no range and has a part in the delay leaves it open. Such set-ups, solutions that fit equally well with other delays, and delays
/// known no better than `largestDeviation` are failures that say what is missing.
///
/// A delay's deviation comes from the ranges' own; where residuals are larger than these allow, it grows by as much. A bias that
/// all ranges share is not to be told from delays, and is in them.
///
/// Cost O((n·D)³) a step, some ten steps for each of `startCount` starts: milliseconds for ten devices.
/// Not where distances are known: `DelayCalibrationFit` needs two devices only.
public struct SelfCalibration: Sendable, Hashable {
  /// How devices may stand to each other.
  public enum Arrangement: String, Sendable, Hashable, CaseIterable {
    /// On a line, in a plane, or anywhere.
    case line, plane, space

    /// Coordinates of a place.
    public var dimensions: Int {
      switch self {
      case .line: 1
      case .plane: 2
      case .space: 3
      }
    }
  }

  /// What is measured or known, with its standard deviation.
  public enum Observation: Sendable, Hashable {
    /// A measured range before calibration, m.
    case range(DeviceAddress, DeviceAddress, distance: Double, deviation: Double)
    /// A distance between two of the places, measured otherwise, m.
    case distance(DeviceAddress, DeviceAddress, distance: Double, deviation: Double)
    /// A device's delay, s.
    case delay(DeviceAddress, delay: Double, deviation: Double)
  }

  /// One device, calibrated.
  public struct Device: Sendable, Hashable {
    /// Address of the device.
    public var address: DeviceAddress
    /// s, as in `DelayCalibration`
    public var delay: Double
    /// s
    public var delayDeviation: Double
    /// m: the first device at the origin, the second on +x, the third on the side of +y, the fourth on that of +z; the whole may be the
    /// mirror image of what is true.
    public var position: SIMD3<Double>
  }

  /// How one observation came out.
  public struct Row: Sendable, Hashable {
    /// Observed less fitted: m, or s for a delay.
    public var residual: Double
    /// The residual over its own deviation; `nil` where nothing else checks the observation.
    public var normalisedResidual: Double?
    /// Took no part in the solution, for it does not fit the others.
    public var isSetAside: Bool
  }

  /// What a calibration gave.
  public struct Solution: Sendable, Hashable {
    /// By address.
    public var devices: [Device]
    /// As the observations were given.
    public var rows: [Row]
    /// Observations that were used beyond what the unknowns take: 0 leaves nothing to judge the fit by.
    public var redundancy: Int
    /// What the residuals say the stated deviations are to be multiplied by; 1 where they agree.
    public var scale: Double
    /// Standard deviation of a calibrated distance between two of the devices, root of the mean square over the ranges, m.
    public var pairDeviation: Double
  }

  /// Why there is no solution.
  public enum Failure: Error, Sendable, Hashable {
    /// No range with a finite distance and a positive deviation.
    case noRanges
    /// The iteration did not converge.
    case didNotSettle
    /// Observations leave these delays open.
    /// - unpaired: pairs that were not ranged.
    case notDetermined(
      [DeviceAddress], observations: Int, unknowns: Int, missing: Int, unpaired: [[DeviceAddress]])
    /// Places with other delays fit as well.
    case ambiguous([DeviceAddress])
    /// Known no better than so, m of distance.
    case tooUncertain([DeviceAddress], deviation: Double)
  }

  /// How the devices may stand to each other.
  public var arrangement: Arrangement
  /// Observations whose residuals exceed so many of their deviations are set aside.
  public var outlierLimit: Double
  /// A delay that is known no better is not known, m of distance.
  public var largestDeviation: Double
  /// Starts that are tried; four times as many where no observation is to spare.
  public var startCount: Int
  /// m/s
  public var propagationSpeed: Double

  /// Creates one with the given values.
  public init(
    arrangement: Arrangement = .plane, outlierLimit: Double = 4, largestDeviation: Double = 0.5, startCount: Int = 16,
    propagationSpeed: Double = UWB.speedOfLightInAir
  ) {
    self.arrangement = arrangement
    self.outlierLimit = outlierLimit
    self.largestDeviation = largestDeviation
    self.startCount = startCount
    self.propagationSpeed = propagationSpeed
  }

  /// Finds places and delays. Observations with numbers that are not finite, or without a positive deviation, take no part.
  ///
  /// - Precondition: the two devices of a range or distance differ.
  public func solve(_ observations: [Observation]) throws(Failure) -> Solution {
    let problem = SelfCalibrationProblem(
      observations, dimensions: arrangement.dimensions, propagationSpeed: propagationSpeed)
    guard problem.rows.contains(where: { $0.kind == .range && $0.weight > 0 }) else { throw .noRanges }
    let starts = SelfCalibrationStarts.make(problem, count: max(startCount, 1) * (isJustEnough(problem) ? 4 : 1))
    let found = try settle(problem, starts)
    try checkRivals(problem, found.fits, found.analysis)
    return solution(problem, found.fits[0], found.analysis, found.weights)
  }

  /// Whether no observation is to spare: then several answers fit as well, and each has to be met to be named.
  private func isJustEnough(_ problem: SelfCalibrationProblem) -> Bool {
    // Moving and turning the whole changes nothing.
    let free = problem.dimensions * (problem.dimensions + 1) / 2
    return problem.rows.count { $0.weight > 0 } <= problem.unknownCount - free
  }

  /// A solution: fits from all starts, the best first, with the rows that took part.
  private struct Settled {
    var fits: [SelfCalibrationProblem.Fit]
    var analysis: SelfCalibrationProblem.Analysis
    var weights: [Double]
  }

  private func settle(
    _ problem: SelfCalibrationProblem, _ starts: [[Double]], _ weights: [Double]
  ) throws(Failure) -> Settled {
    var fits = starts.compactMap { problem.fit(from: $0, weights: weights) }
    fits.sort { $0.cost < $1.cost }
    guard let best = fits.first, let analysis = problem.analyse(best, weights: weights) else { throw .didNotSettle }
    return Settled(fits: fits, analysis: analysis, weights: weights)
  }

  /// Sets aside what does not fit: first as if the stated deviations were honest, until the rest is as they say. Where that never happens,
  /// they are not, and rows count as far off only beside the others.
  private func settle(_ problem: SelfCalibrationProblem, _ starts: [[Double]]) throws(Failure) -> Settled {
    let all = try settle(problem, starts, problem.rows.map(\.weight))
    try checkDetermined(problem, all)
    var found = try setAside(problem, starts, all, isBelieving: true)
    if !found.analysis.isHonest { found = try setAside(problem, starts, all, isBelieving: false) }
    found = try takeBack(found, problem, starts)
    try checkCertain(problem, found)
    return found
  }

  private func setAside(
    _ problem: SelfCalibrationProblem, _ starts: [[Double]], _ all: Settled, isBelieving: Bool
  ) throws(Failure) -> Settled {
    var found = all
    // Where more than an eighth does not fit, it is the deviations that are wrong.
    let most = outlierLimit.isFinite ? min(all.analysis.redundancy / 2, all.weights.count { $0 > 0 } / 8) : 0
    for _ in 0..<max(most, 0) {
      let limit = isBelieving && !found.analysis.isHonest ? 0 : outlierLimit
      let worst = found.analysis.worst(limit: limit, isHonest: isBelieving, problem, found.weights)
      guard let worst else { break }
      var fewer = found.weights
      fewer[worst] = 0
      // What alone holds the rest together can't be judged by it.
      guard problem.isDetermined(at: found.fits[0], weights: fewer) else { break }
      found = try settle(problem, starts, fewer)
    }
    return found
  }

  /// Rows that were set aside in the company of worse ones, and fit now that these are gone, take part again.
  private func takeBack(
    _ settled: Settled, _ problem: SelfCalibrationProblem, _ starts: [[Double]]
  ) throws(Failure) -> Settled {
    var found = settled
    while true {
      let misses = problem.rows.indices.filter { found.weights[$0] == 0 && problem.rows[$0].weight > 0 }
        .map { (row: $0, miss: found.analysis.miss(of: $0, problem, found.fits[0])) }
      guard let least = misses.min(by: { $0.miss < $1.miss }), least.miss <= outlierLimit else { return found }
      var more = found.weights
      more[least.row] = problem.rows[least.row].weight
      let next = try settle(problem, starts, more)
      guard next.analysis.isHonest || !found.analysis.isHonest else { return found }
      found = next
    }
  }

  private func checkDetermined(_ problem: SelfCalibrationProblem, _ found: Settled) throws(Failure) {
    let (analysis, weights) = (found.analysis, found.weights)
    guard analysis.open.isEmpty else {
      throw .notDetermined(
        analysis.open.map { problem.devices[$0] }, observations: weights.count { $0 > 0 },
        unknowns: problem.unknownCount - analysis.motions, missing: analysis.nullity - analysis.motions,
        unpaired: problem.unpaired(weights))
    }
  }

  private func checkCertain(_ problem: SelfCalibrationProblem, _ found: Settled) throws(Failure) {
    let analysis = found.analysis
    let uncertain = problem.devices.indices.filter { analysis.deviation(of: $0, in: problem) > largestDeviation }
    guard uncertain.isEmpty else {
      throw .tooUncertain(
        uncertain.map { problem.devices[$0] },
        deviation: uncertain.map { analysis.deviation(of: $0, in: problem) }.max() ?? 0)
    }
  }

  /// Another place to settle that explains the observations as well, with delays that differ by more than their deviations.
  private func checkRivals(
    _ problem: SelfCalibrationProblem, _ fits: [SelfCalibrationProblem.Fit],
    _ analysis: SelfCalibrationProblem.Analysis
  ) throws(Failure) {
    let best = fits[0]
    let limit = outlierLimit * outlierLimit * analysis.scale * analysis.scale
    for rival in fits.dropFirst() where rival.cost - best.cost < limit {
      let other = problem.devices.indices.filter {
        let difference = abs(rival.biases(problem)[$0] - best.biases(problem)[$0])
        return difference > 2 * outlierLimit * analysis.deviation(of: $0, in: problem) + 1e-6
      }
      if !other.isEmpty { throw .ambiguous(other.map { problem.devices[$0] }) }
    }
  }

  private func solution(
    _ problem: SelfCalibrationProblem, _ fit: SelfCalibrationProblem.Fit, _ analysis: SelfCalibrationProblem.Analysis,
    _ weights: [Double]
  ) -> Solution {
    let toDelay = 2 / propagationSpeed
    let places = problem.aligned(fit)
    let biases = fit.biases(problem)
    var squares = 0.0
    var count = 0.0
    for (row, weight) in zip(problem.rows, weights) where row.kind == .range && weight > 0 {
      squares += analysis.pairVariance(row, in: problem) + analysis.scale * analysis.scale / weight
      count += 1
    }
    return Solution(
      devices: problem.devices.indices.map { index in
        Device(
          address: problem.devices[index], delay: biases[index] * toDelay,
          delayDeviation: analysis.deviation(of: index, in: problem) * toDelay, position: places[index])
      },
      rows: problem.rows.indices.map { index in
        let row = problem.rows[index]
        let residual = row.value - problem.predicted(row, fit.unknowns)
        return Row(
          residual: row.kind == .delay ? residual * toDelay : residual,
          normalisedResidual: analysis.normalised[index], isSetAside: weights[index] == 0)
      }, redundancy: analysis.redundancy, scale: analysis.scale,
      pairDeviation: count > 0 ? (squares / count).squareRoot() : 0)
  }
}

extension SelfCalibration.Solution {
  /// What the engine and the calibration file take: delays, no power bias.
  public var calibration: DelayCalibration {
    DelayCalibration(
      devices: devices.map { .init(address: $0.address.description, delay: $0.delay) },
      lineOfSight: .init(deviation: pairDeviation))
  }
}

extension SelfCalibration {
  /// The range of a pair from the distances of its exchanges, by capture: each capture counts the same, outliers among the exchanges
  /// don't (`RobustRegression`).
  ///
  /// - Parameter placeDeviation: what a place adds to a range that more exchanges don't average away (reflections, power), m.
  /// - Returns: the range and its standard deviation, m; `nil` without a finite distance.
  public static func range(
    of captures: [[Double]], placeDeviation: Double
  ) -> (distance: Double, deviation: Double)? {
    let groups = captures.map { $0.filter(\.isFinite) }.filter { !$0.isEmpty }
    let regression = RobustRegression(
      columns: 1,
      groups: groups.map { RobustRegression.Group(matrix: [Double](repeating: 1, count: $0.count), side: $0) })
    guard let fit = regression.fit(penalty: [0]) else { return nil }
    // Each capture's mean has the weight 1/captures; bisquare with its c is 85 % efficient.
    let shares = groups.reduce(0) { $0 + 1 / Double($1.count) } / Double(groups.count * groups.count)
    let variance = fit.scale * fit.scale * shares / 0.85
    return (fit.solution[0], (variance + placeDeviation * placeDeviation).squareRoot())
  }
}
