import Testing

@testable import UWBReport

@Suite struct MinMaxDecimatorTests {
  @Test func aTrackThatFitsIsKeptWhole() {
    var decimator = MinMaxDecimator(capacity: 8)
    let points = (0..<8).map { MinMaxDecimator.Point(time: Double($0), value: Double(-$0), deviation: 0.1) }
    for point in points { decimator.add(point) }
    #expect(decimator.extremes == points && decimator.pointsPerRun == 1)
  }

  @Test func aPointWithoutADeviationIsKeptOnce() {
    var decimator = MinMaxDecimator(capacity: 8)
    for time in 0..<5 { decimator.add(.init(time: Double(time), value: 2)) }
    #expect(decimator.extremes.map(\.time) == [0, 1, 2, 3, 4])
  }

  @Test func nineIntoEightMergesByPairs() {
    var decimator = MinMaxDecimator(capacity: 4)
    for (time, value) in [3.0, 1, 4, 1, 5].enumerated() { decimator.add(.init(time: Double(time), value: value)) }
    #expect(decimator.pointsPerRun == 2)
    #expect(decimator.extremes.map(\.value) == [3, 1, 4, 1, 5])
    #expect(decimator.extremes.map(\.time) == [0, 1, 2, 3, 4])
    #expect(decimator.runs.map(\.first.time) == [0, 2, 4])
  }

  @Test func extremesSurviveInBoundedMemory() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<50 {
      let capacity = Int.random(in: 2...40, using: &random)
      let count = Int.random(in: 1...5000, using: &random)
      var decimator = MinMaxDecimator(capacity: capacity)
      var values: [Double] = []
      for time in 0..<count {
        values.append(.random(in: -100...100, using: &random))
        decimator.add(.init(time: Double(time), value: values[time]))
      }
      let kept = decimator.extremes
      let context = "seed \(seed), capacity \(capacity), count \(count)"
      #expect(decimator.runs.count <= capacity && kept.count <= 2 * capacity, "\(context)")
      #expect(kept.map(\.value).min() == values.min() && kept.map(\.value).max() == values.max(), "\(context)")
      #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.time < $1.time }, "\(context)")
      #expect(kept.allSatisfy { values[Int($0.time)] == $0.value }, "\(context)")
      // A power of two, and no more than twice what the capacity forces.
      #expect(
        decimator.pointsPerRun.nonzeroBitCount == 1 && decimator.pointsPerRun * capacity < 4 * max(count, capacity))
      // Every run holds the extremes of its own points.
      for (index, run) in decimator.runs.enumerated() {
        let start = index * decimator.pointsPerRun
        let members = values[start..<min(start + decimator.pointsPerRun, count)]
        #expect(run.lowest.value == members.min() && run.highest.value == members.max(), "\(context)")
      }
    }
  }

  @Test func whatIsNotFiniteIsNoPoint() {
    var decimator = MinMaxDecimator(capacity: 4)
    decimator.add(.init(time: .nan, value: 1))
    decimator.add(.init(time: 1, value: .infinity))
    #expect(decimator.isEmpty && decimator.extremes.isEmpty)
  }
}
