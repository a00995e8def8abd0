/// Rows of any number in bounded memory: of each run of rows the lowest and the highest value of every column.
///
/// Rows are kept as they come until the capacity is reached. Then neighbouring runs merge by pairs, and from there on each run takes twice as many
/// rows. Runs count rows, not seconds, so that no odd timestamp can starve the rest. Extremes are never lost, and what fits is kept whole.
///
/// Cost: O(columns) a row; 9 bytes a column and run.
struct MinMaxDecimator: Sendable {
  /// Runs kept at most.
  let capacity: Int
  /// Rows that a full run stands for.
  private(set) var rowsPerRun = 1
  private let width: Int
  private var ends: [(first: Key, last: Key, count: Int)] = []
  // One after the other the columns of each run; NaN where the run has no value.
  private var low: [Float] = []
  private var high: [Float] = []
  private var isLowFirst: [Bool] = []

  /// Where a row stands.
  struct Key: Sendable, Hashable {
    var exchange: Int
    var time: Double
  }

  init(capacity: Int, columns: Int) {
    self.capacity = max(capacity, 2)
    width = columns
  }

  var runCount: Int { ends.count }
  /// Rows that `rows` gives.
  var rowCount: Int { ends.reduce(0) { $0 + min($1.count, 2) } }

  /// - Parameter values: one a column; NaN for none. One that is infinite would hide the rest of its run, and counts as none.
  mutating func add(_ key: Key, _ values: [Double]) {
    precondition(values.count == width, "\(values.count) values for \(width) columns")
    let values = values.map { Float($0).isFinite ? Float($0) : .nan }
    if let last = ends.last, last.count < rowsPerRun {
      merge(key, values)
      return
    }
    if ends.count == capacity { halve() }
    if let last = ends.last, last.count < rowsPerRun {
      merge(key, values)
    } else {
      ends.append((key, key, 1))
      for value in values {
        low.append(value)
        high.append(value)
        isLowFirst.append(true)
      }
    }
  }

  private mutating func merge(_ key: Key, _ values: [Float]) {
    let run = ends.count - 1
    ends[run].last = key
    ends[run].count += 1
    for (column, value) in values.enumerated() where !value.isNaN {
      let place = run * width + column
      if low[place].isNaN {
        (low[place], high[place]) = (value, value)
      } else if value < low[place] {
        (low[place], isLowFirst[place]) = (value, false)
      } else if value > high[place] {
        (high[place], isLowFirst[place]) = (value, true)
      }
    }
  }

  /// Merges neighbouring runs by pairs.
  mutating func halve() {
    rowsPerRun *= 2
    let count = ends.count
    for run in stride(from: 0, to: count, by: 2) {
      let target = run / 2
      ends[target] = ends[run]
      let hasSecond = run + 1 < count
      if hasSecond {
        ends[target].last = ends[run + 1].last
        ends[target].count += ends[run + 1].count
      }
      for column in 0..<width { join(run * width + column, hasSecond, into: target * width + column) }
    }
    let left = (count + 1) / 2
    ends.removeLast(count - left)
    low.removeLast((count - left) * width)
    high.removeLast((count - left) * width)
    isLowFirst.removeLast((count - left) * width)
  }

  private mutating func join(_ early: Int, _ hasLate: Bool, into target: Int) {
    var (least, most, order) = (low[early], high[early], isLowFirst[early])
    let late = early + width
    if hasLate, !low[late].isNaN {
      if least.isNaN {
        (least, most, order) = (low[late], high[late], isLowFirst[late])
      } else {
        let (isLower, isHigher) = (low[late] < least, high[late] > most)
        if isLower && isHigher {
          order = isLowFirst[late]
        } else if isLower {
          order = false
        } else if isHigher {
          order = true
        }
        if isLower { least = low[late] }
        if isHigher { most = high[late] }
      }
    }
    (low[target], high[target], isLowFirst[target]) = (least, most, order)
  }

  /// Where the rows stand, in order: one for a run of one row, else the first and the last of the run.
  var keys: [Key] { ends.flatMap { $0.count == 1 ? [$0.first] : [$0.first, $0.last] } }

  /// A column in the same order. The two rows of a run have its lowest and its highest value, whichever came first before the other.
  func values(of column: Int) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(2 * ends.count)
    for run in ends.indices {
      let place = run * width + column
      let (least, most) = (Double(low[place]), Double(high[place]))
      values.append(isLowFirst[place] ? least : most)
      if ends[run].count > 1 { values.append(isLowFirst[place] ? most : least) }
    }
    return values
  }
}
