import Testing

@testable import UWBReport

@Suite struct MinMaxDecimatorTests {
  private func decimated(_ rows: [[Double]], capacity: Int) -> MinMaxDecimator {
    var decimator = MinMaxDecimator(capacity: capacity, columns: rows.first?.count ?? 1)
    for (index, row) in rows.enumerated() { decimator.add(.init(exchange: index, time: 0.5 * Double(index)), row) }
    return decimator
  }

  @Test func aTrackThatFitsIsKeptWhole() {
    let decimator = decimated((0..<8).map { [Double(-$0), 0.25] }, capacity: 8)
    #expect(decimator.rowsPerRun == 1 && decimator.rowCount == 8)
    #expect(decimator.keys == (0..<8).map { MinMaxDecimator.Key(exchange: $0, time: 0.5 * Double($0)) })
    #expect(decimator.values(of: 0) == (0..<8).map { Double(-$0) })
    #expect(decimator.values(of: 1) == [Double](repeating: 0.25, count: 8))
  }

  @Test func fiveIntoFourMergesByPairs() {
    let decimator = decimated([3, 1, 4, 1, 5].map { [$0] }, capacity: 4)
    #expect(decimator.rowsPerRun == 2 && decimator.runCount == 3 && decimator.rowCount == 5)
    #expect(decimator.keys.map(\.exchange) == [0, 1, 2, 3, 4])
    #expect(decimator.values(of: 0) == [3, 1, 4, 1, 5])
  }

  @Test func everyColumnKeepsItsExtremesInBoundedMemory() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<50 {
      let capacity = Int.random(in: 2...40, using: &random)
      let count = Int.random(in: 1...5000, using: &random)
      // Single precision is what is kept.
      let rows = (0..<count).map { _ -> [Double] in
        (0..<3).map { column -> Double in
          column > 0 && Double.random(in: 0...1, using: &random) < 0.4
            ? Double.nan : Double(Float.random(in: -100...100, using: &random))
        }
      }
      let decimator = decimated(rows, capacity: capacity)
      let context = "seed \(seed), capacity \(capacity), count \(count)"
      #expect(decimator.runCount <= capacity && decimator.rowCount <= 2 * capacity, "\(context)")
      #expect(decimator.keys.count == decimator.rowCount, "\(context)")
      // No coarser than the capacity forces.
      #expect(decimator.rowsPerRun.nonzeroBitCount == 1, "\(context)")
      #expect(decimator.rowsPerRun * capacity < 2 * max(count, capacity), "\(context)")
      for column in 0..<3 {
        var (expected, keys): ([Double], [Int]) = ([], [])
        for start in stride(from: 0, to: count, by: decimator.rowsPerRun) {
          let end = min(start + decimator.rowsPerRun, count)
          keys += end - start == 1 ? [start] : [start, end - 1]
          expected += Self.extremes(rows[start..<end].map { $0[column] })
        }
        #expect(decimator.keys.map(\.exchange) == keys, "\(context)")
        #expect(same(decimator.values(of: column), expected), "\(context), column \(column)")
      }
    }
  }

  /// The lowest and the highest in the order in which they came; both NaN where there are none.
  private static func extremes(_ members: [Double]) -> [Double] {
    guard members.count > 1 else { return members }
    let known = members.filter { !$0.isNaN }
    guard let low = known.min(), let high = known.max() else { return [.nan, .nan] }
    return (known.firstIndex(of: low) ?? 0) <= (known.firstIndex(of: high) ?? 0) ? [low, high] : [high, low]
  }

  private func same(_ values: [Double], _ others: [Double]) -> Bool {
    values.count == others.count && zip(values, others).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN }
  }

  @Test func anInfiniteValueHidesNoFiniteOne() {
    let decimator = decimated([.infinity, 2, 7, -.infinity, 1e300, 5].map { [$0] }, capacity: 2)
    #expect(decimator.rowsPerRun == 4)
    #expect(decimator.values(of: 0) == [2, 7, 5, 5])
  }

  @Test func aCapacityBelowTwoIsTwo() {
    let decimator = decimated((0..<100).map { [Double($0)] }, capacity: -5)
    #expect(decimator.runCount <= 2 && decimator.values(of: 0).first == 0 && decimator.values(of: 0).last == 99)
  }
}
