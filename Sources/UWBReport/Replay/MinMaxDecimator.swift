/// A track of any length in bounded memory: the first, the lowest and the highest point of each run of points.
///
/// Points are kept as they come until the capacity is reached; then neighbouring runs merge by pairs and from there on
/// each run takes twice as many points. Runs count points, not seconds, so that no odd timestamp can starve the rest.
/// Extremes are never lost, and a track that fits is kept whole.
struct MinMaxDecimator: Sendable {
  struct Point: Sendable, Hashable {
    /// s
    var time: Double
    var value: Double
    /// Standard deviation; not finite where unknown.
    var deviation = Double.nan
  }

  struct Run: Sendable {
    var first: Point
    var lowest: Point
    var highest: Point
    fileprivate var lowestOrder: Int
    fileprivate var highestOrder: Int
    fileprivate var count: Int
  }

  /// Runs kept at most.
  let capacity: Int
  /// Points that a full run stands for.
  private(set) var pointsPerRun = 1
  private(set) var runs: [Run] = []
  private var order = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 2)
  }

  /// A point whose time or value is not finite is no part of a track.
  mutating func add(_ point: Point) {
    guard point.time.isFinite, point.value.isFinite else { return }
    let single = Run(first: point, lowest: point, highest: point, lowestOrder: order, highestOrder: order, count: 1)
    order += 1
    if runs.count == capacity, runs[capacity - 1].count == pointsPerRun {
      runs = stride(from: 0, to: runs.count, by: 2).map { index in
        index + 1 < runs.count ? Self.merge(runs[index], runs[index + 1]) : runs[index]
      }
      pointsPerRun *= 2
    }
    if let last = runs.last, last.count < pointsPerRun {
      runs[runs.count - 1] = Self.merge(last, single)
    } else {
      runs.append(single)
    }
  }

  var isEmpty: Bool { runs.isEmpty }

  /// Lowest and highest of each run in order of arrival, one point where they are the same.
  var extremes: [Point] {
    runs.flatMap { run in
      run.lowestOrder == run.highestOrder
        ? [run.lowest] : run.lowestOrder < run.highestOrder ? [run.lowest, run.highest] : [run.highest, run.lowest]
    }
  }

  private static func merge(_ early: Run, _ late: Run) -> Run {
    var run = early
    if late.lowest.value < early.lowest.value { (run.lowest, run.lowestOrder) = (late.lowest, late.lowestOrder) }
    if late.highest.value > early.highest.value { (run.highest, run.highestOrder) = (late.highest, late.highestOrder) }
    run.count += late.count
    return run
  }
}
