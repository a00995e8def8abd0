import Foundation
import Testing

@testable import UWBReport

@Suite struct ImpulseResponseRunsTests {
  @Test func oneResponseIsMovedToItsFirstPath() throws {
    var runs = ImpulseResponseRuns()
    var asked: Range<Int>?
    runs.add(.init(exchange: 7, time: 1.5), value: 3, first: 740.25, chip: 739.5, spacing: 1) { taps in
      asked = taps
      return [10, 1, 0.1, 0, .nan, -1, .infinity * 0] + [Float](repeating: 5, count: taps.count - 7)
    }
    #expect(asked == 724..<820)
    let waterfall = try #require(runs.waterfall)
    #expect(waterfall.rows == 1 && waterfall.taps == 96 && waterfall.before == 16 && waterfall.spacing == 1)
    let levels = [UInt8](try #require(Data(base64Encoded: waterfall.data)))
    // Quarters of a dB: 20 dB are 80, what is weaker than 63.5 dB is 254, what is no magnitude 255.
    #expect(levels.prefix(7) == [0, 80, 160, 254, 255, 255, 255] && levels[7] == 24 && levels.count == 96)
    #expect(try decoded(#require(waterfall.columns["exchange"])) == [7])
    #expect(try decoded(#require(waterfall.columns["time"])) == [1.5])
    #expect(try decoded(#require(waterfall.columns["first"])) == [0.25])
    #expect(try decoded(#require(waterfall.columns["chip"])) == [-0.5])
  }

  @Test func outliersOfALongCaptureAreKeptInBoundedMemory() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for count in [1, 511, 512, 513, 1025, 20_000] {
      var runs = ImpulseResponseRuns()
      var values: [Double] = []
      for exchange in 0..<count {
        values.append(.random(in: -10...10, using: &random))
        runs.add(
          .init(exchange: exchange, time: Double(exchange)), value: values[exchange], first: 20, chip: nil, spacing: 1
        ) { [Float](repeating: 1, count: $0.count) }
        #expect(runs.byteCount <= 2 * 512 * 96, "seed \(seed)")
      }
      let waterfall = try #require(runs.waterfall)
      let kept = try decoded(#require(waterfall.columns["exchange"])).compactMap { $0 }.map { Int($0) }
      #expect(kept.count == waterfall.rows && waterfall.rows <= (count <= 512 ? count : 1024), "seed \(seed)")
      #expect(count > 512 || kept == Array(0..<count), "seed \(seed)")
      #expect(zip(kept, kept.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
      let (low, high) = (values.min(), values.max())
      #expect(kept.contains { values[$0] == low } && kept.contains { values[$0] == high }, "seed \(seed), \(count)")
      #expect(Data(base64Encoded: waterfall.data)?.count == 96 * waterfall.rows, "seed \(seed)")
    }
  }

  @Test func responsesBetweenTheExtremesAreNotAskedFor() {
    var runs = ImpulseResponseRuns()
    var asked = 0
    for exchange in 0..<100_000 {
      runs.add(.init(exchange: exchange, time: 0), value: 1, first: 20, chip: nil, spacing: 1) {
        asked += 1
        return [Float](repeating: 1, count: $0.count)
      }
    }
    // 512 runs at first, then half as many each time that runs merge, of which there are 8.
    #expect(asked <= 512 + 8 * 256)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e6, -1e300]) func aFirstPathBeyondAnyAccumulatorIsLeftOut(
    first: Double
  ) {
    var runs = ImpulseResponseRuns()
    runs.add(.init(exchange: 0, time: 0), value: 0, first: first, chip: 0, spacing: 1) {
      [Float](repeating: 1, count: $0.count)
    }
    #expect(runs.isEmpty && runs.waterfall == nil)
  }

  @Test(arguments: [Double.nan, .infinity, 0, -1]) func aSpacingThatIsNoneIsLeftOut(spacing: Double) {
    var runs = ImpulseResponseRuns()
    runs.add(.init(exchange: 0, time: 0), value: 0, first: 1, chip: 0, spacing: spacing) {
      [Float](repeating: 1, count: $0.count)
    }
    #expect(runs.isEmpty)
  }
}
