import UWBTypes

/// Finds how far a trajectory's clock is from a capture's: the shift τ for which the distances along the trajectory follow those measured.
///
/// Least is the mean of |d − distance(t + τ) − b|, cut at a metre: b, the median of each pair of radios, takes what antennas delay; the cut, what walls
/// do. A grid of 0.1 s over all shifts, then of 0.02 s, then the parabola through the best three. Its deviation is the scatter
/// of what four parts of the capture say by themselves.
///
/// Where a quaternion's columns have no names, their order is the one of 24 that fits best.
///
/// Cost: O(shifts × samples), at most `mostSamples`. Not for things that stand still: all shifts then fit alike.
public struct ClockAlignment: Sendable {
  /// What an alignment found.
  public struct Result: Sendable, Hashable {
    /// s, as `TruthTrajectory.shift`
    public var shift: Double
    /// s
    public var deviation: Double
    /// The order that was found for a quaternion's columns, as in `wxyz`.
    public var quaternionOrder: String?
  }

  private struct Sample {
    /// Counts the exchanges.
    var number: UInt64
    var time: Double
    var distance: Double
    var ends: TruthTrajectory.Ends
  }

  static let mostSamples = 2048
  /// So far clocks of the same day are off, s.
  static let sameClock = 10.0
  /// A shift has to leave so much of the samples with a truth.
  private static let leastOverlap = 0.5
  private static let cut = 1.0
  /// The best shift costs less than this part of what the median one does.
  private static let leastGain = 0.8
  private var samples: [Sample] = []
  /// Of 2ᵏ exchanges one is kept.
  private var thinning = 0
  private var count: UInt64 = 0
  /// Exchanges with a distance, and those whose anchor or tag has no place.
  public private(set) var exchanges = 0
  /// Those of them whose anchor or tag has no place.
  public private(set) var withoutPlace = 0

  /// No measurements yet.
  public init() {}

  /// Takes an exchange; of many it keeps some.
  public mutating func add(_ exchange: RangingExchange, to trajectory: TruthTrajectory) {
    guard let distance = exchange.chipReport?.rawDistance ?? exchange.chipReport?.distance else { return }
    exchanges += 1
    guard let ends = trajectory.ends(of: exchange) else {
      withoutPlace += 1
      return
    }
    defer { count += 1 }
    guard isKept(count) else { return }
    samples.append(Sample(number: count, time: exchange.time, distance: distance, ends: ends))
    if samples.count == 2 * Self.mostSamples {
      thinning += 1
      samples = samples.filter { isKept($0.number) }
    }
  }

  /// Spread evenly, and without the rhythm of rounds over several radios (Weyl's sequence of the golden ratio).
  private func isKept(_ number: UInt64) -> Bool {
    (number &* 0x9E37_79B9_7F4A_7C15).leadingZeroBitCount >= thinning
  }

  /// - Parameters:
  ///   - trajectory: gets the shift and the quaternion's order.
  ///   - captureStart: what the capture's clock says at its time 0, where it has one.
  /// - Returns: `nil` where no shift fits better than others.
  public func align(_ trajectory: inout TruthTrajectory, captureStart: Double?) -> Result? {
    guard let first = samples.first, let last = samples.last, samples.count >= 20 else { return nil }
    let nominal = Self.nominal(trajectory.poses, captureStart, duration: last.time - first.time)
    let range =
      nominal.map { $0 - Self.sameClock...$0 + Self.sameClock }
      ?? -(last.time - first.time)...max(0, trajectory.poses.duration)
    let few = stride(samples, most: 400)
    guard let coarse = Self.best(few, trajectory, range, step: 0.1) else { return nil }
    var order: String?
    if trajectory.poses.isQuaternionOrderOpen { order = chooseOrder(&trajectory, near: coarse, few) }
    guard let shift = Self.refined(samples, trajectory, near: coarse) else { return nil }
    let parts = (0..<4).compactMap { part -> Double? in
      let some = samples[(samples.count * part / 4)..<(samples.count * (part + 1) / 4)]
      return Self.best(stride(Array(some), most: 400), trajectory, shift - 1...shift + 1, step: 0.1, distinct: false)
        .flatMap { Self.refined(Array(some), trajectory, near: $0) }
    }
    guard parts.count > 2 else { return nil }
    let mean = parts.reduce(0, +) / Double(parts.count)
    let scatter = parts.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(parts.count * (parts.count - 1))
    // Parts that found the edges of their range found nothing.
    guard scatter.squareRoot() < 0.3 else { return nil }
    trajectory.shift = shift
    return Result(shift: shift, deviation: scatter.squareRoot(), quaternionOrder: order)
  }

  /// The shift of clocks that agree; `nil` where they are not of the same kind.
  public static func nominal(_ poses: PoseTable, _ captureStart: Double?, duration: Double) -> Double? {
    guard let captureStart, let start = poses.clockStart else { return nil }
    let shift = captureStart - start
    return (-duration - sameClock...poses.duration + sameClock).contains(shift) ? shift : nil
  }

  private func stride(_ samples: [Sample], most: Int) -> [Sample] {
    let step = max(1, samples.count / most)
    return samples.indices.filter { $0.isMultiple(of: step) }.map { samples[$0] }
  }

  /// The shift on the grid that costs least; `nil` where it costs hardly less than most others do.
  private static func best(
    _ samples: [Sample], _ trajectory: TruthTrajectory, _ range: ClosedRange<Double>, step: Double,
    distinct: Bool = true
  ) -> Double? {
    var costs: [(cost: Double, shift: Double)] = []
    for index in 0...Int((range.upperBound - range.lowerBound) / step) {
      let shift = range.lowerBound + Double(index) * step
      if let cost = cost(samples, trajectory, shift) { costs.append((cost, shift)) }
    }
    costs.sort { ($0.cost, $0.shift) < ($1.cost, $1.shift) }
    guard let best = costs.first, !distinct || best.cost < leastGain * costs[costs.count / 2].cost else { return nil }
    return best.shift
  }

  private static func refined(_ samples: [Sample], _ trajectory: TruthTrajectory, near shift: Double) -> Double? {
    let step = 0.02
    guard let centre = best(samples, trajectory, shift - 0.14...shift + 0.14, step: step, distinct: false),
      let middle = cost(samples, trajectory, centre), let before = cost(samples, trajectory, centre - step),
      let after = cost(samples, trajectory, centre + step), before + after > 2 * middle
    else { return nil }
    return centre + max(-step, min(step, step / 2 * (before - after) / (before + after - 2 * middle)))
  }

  private static func cost(_ samples: [Sample], _ trajectory: TruthTrajectory, _ shift: Double) -> Double? {
    var errors: [TruthTrajectory.Ends: [Double]] = [:]
    var count = 0
    for sample in samples {
      guard let distance = trajectory.distance(sample.ends, at: sample.time + shift) else { continue }
      errors[sample.ends, default: []].append(sample.distance - distance)
      count += 1
    }
    guard Double(count) >= leastOverlap * Double(samples.count) else { return nil }
    var sum = 0.0
    for pair in errors.values.map({ $0.sorted() }).sorted(by: { $0[0] < $1[0] }) {
      let median = pair[pair.count / 2]
      for error in pair { sum += min(abs(error - median), cut) }
    }
    return sum / Double(count)
  }

  private func chooseOrder(_ trajectory: inout TruthTrajectory, near shift: Double, _ samples: [Sample]) -> String {
    let given = trajectory.poses
    var best: (cost: Double, order: [Int])?
    for order in Self.orders {
      trajectory.poses = given.reordered(order)
      if let cost = Self.cost(samples, trajectory, shift), cost < best?.cost ?? .infinity { best = (cost, order) }
    }
    let order = best?.order ?? [0, 1, 2, 3]
    trajectory.poses = given.reordered(order)
    // `order[k]` is the column of part k of x, y, z, w.
    var letters = [Character](repeating: "?", count: 4)
    for (letter, column) in zip("xyzw", order) { letters[column] = letter }
    return String(letters)
  }

  /// Of x, y, z and w: the usual ones first, which win a draw.
  private static let orders: [[Int]] = {
    var all = [[1, 2, 3, 0], [0, 1, 2, 3]]
    for a in 0..<4 {
      for b in 0..<4 where b != a {
        for c in 0..<4 where c != a && c != b {
          let order = [a, b, c, 6 - a - b - c]
          if !all.contains(order) { all.append(order) }
        }
      }
    }
    return all
  }()
}
