import Testing

@testable import UWBReport

@Suite struct MinMaxDecimatorTests {
  private func key(_ index: Int) -> MinMaxDecimator.Key { .init(exchange: index, time: Double(index)) }

  @Test func rowsThatFitAreKeptWhole() {
    var decimator = MinMaxDecimator(capacity: 8, columns: 2)
    for index in 0..<8 { decimator.add(key(index), [Double(index), -Double(index)]) }
    #expect(decimator.keys == (0..<8).map(key) && decimator.rowsPerRun == 1 && decimator.rowCount == 8)
    #expect(decimator.values(of: 0) == (0..<8).map(Double.init))
    #expect(decimator.values(of: 1) == (0..<8).map { -Double($0) })
  }

  @Test func nineIntoFourMergesByPairs() {
    var decimator = MinMaxDecimator(capacity: 4, columns: 1)
    for (index, value) in [3.0, 1, 4, 1, 5].enumerated() { decimator.add(key(index), [value]) }
    #expect(decimator.rowsPerRun == 2 && decimator.runCount == 3)
    #expect(decimator.values(of: 0) == [3, 1, 4, 1, 5])
    #expect(decimator.keys.map(\.exchange) == [0, 1, 2, 3, 4])
  }

  @Test func aColumnWithoutAValueStaysEmpty() {
    var decimator = MinMaxDecimator(capacity: 2, columns: 2)
    for index in 0..<40 { decimator.add(key(index), [Double(index), index == 17 ? 5 : .nan]) }
    let sparse = decimator.values(of: 1)
    #expect(sparse.contains(5) && sparse.contains { $0.isNaN } && sparse.allSatisfy { $0 == 5 || $0.isNaN })
  }

  @Test func extremesSurviveInBoundedMemory() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<50 {
      let capacity = Int.random(in: 2...40, using: &random)
      let count = Int.random(in: 1...5000, using: &random)
      var decimator = MinMaxDecimator(capacity: capacity, columns: 1)
      var values: [Double] = []
      for index in 0..<count {
        // What single precision holds exactly.
        values.append(Double(Int.random(in: -100_000...100_000, using: &random)))
        decimator.add(key(index), [values[index]])
      }
      let kept = decimator.values(of: 0)
      let context = "seed \(seed), capacity \(capacity), count \(count)"
      #expect(decimator.runCount <= capacity && kept.count <= 2 * capacity, "\(context)")
      #expect(kept.min() == values.min() && kept.max() == values.max(), "\(context)")
      #expect(kept.count == decimator.keys.count && kept.count == decimator.rowCount, "\(context)")
      #expect(zip(decimator.keys, decimator.keys.dropFirst()).allSatisfy { $0.time < $1.time }, "\(context)")
      // A power of two, and no more than twice what the capacity forces.
      #expect(
        decimator.rowsPerRun.nonzeroBitCount == 1 && decimator.rowsPerRun * capacity < 4 * max(count, capacity),
        "\(context)")
      // Every run holds the extremes of its own rows.
      var place = 0
      for start in stride(from: 0, to: count, by: decimator.rowsPerRun) {
        let members = values[start..<min(start + decimator.rowsPerRun, count)]
        let run = kept[place..<(place + min(members.count, 2))]
        #expect(run.min() == members.min() && run.max() == members.max(), "\(context)")
        place += run.count
      }
    }
  }
}
