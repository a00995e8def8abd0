import TestSupport
import Testing

@testable import UWBDSP

@Suite struct PathPulsesTests {
  /// Columns are `PulseTable`'s to single precision, and zero behind the window; also where the table ends inside the window.
  @Test(arguments: [1, 7, 8, 23, 24, 40, 80])
  func columnsAreTheTables(windowTaps: Int) {
    let table = PulseTable(.standard, tapSpacing: UWB.tap)
    let pulses = PathPulses(table, windowTaps: windowTaps)
    #expect(pulses.stride % 8 == 0 && pulses.stride >= windowTaps && pulses.stride < windowTaps + 8)
    let expected = AlignedBuffer<Double>(count: windowTaps, zero: 0)
    let column = AlignedBuffer<Float>(count: pulses.stride, zero: 0)
    var random = StatisticsRandom(seed: 6101)
    var delays = (0..<200).map { _ in random.uniform(-2...Double(windowTaps) + 1) }
    delays += [0, 1, -1, 0.5, -2.25, 30.75, 32, 33.5, -31.5, -33, 60.25, 200, -200, 1e6, -1e6]
    for delay in delays {
      for isSlope in [false, true] {
        for tap in 0..<pulses.stride { column.pointer[tap] = .nan }
        if isSlope {
          table.evaluateSlope(delay: delay, firstTap: 0, count: windowTaps, into: expected.pointer)
          pulses.evaluateSlope(delay: delay, into: column.pointer)
        } else {
          table.evaluate(delay: delay, firstTap: 0, count: windowTaps, into: expected.pointer)
          pulses.evaluate(delay: delay, into: column.pointer)
        }
        // Slopes reach 1 a tap: a few roundings of numbers up to that.
        for tap in 0..<windowTaps {
          #expect(
            abs(Double(column.pointer[tap]) - expected.pointer[tap]) < 8 * Double(Float.ulpOfOne), "\(delay), \(tap)")
        }
        for tap in windowTaps..<pulses.stride { #expect(column.pointer[tap] == 0) }
      }
    }
  }

  @Test(arguments: [8, 24, 64])
  func productsAreSums(stride: Int) {
    var random = StatisticsRandom(seed: 6102)
    let columns = (0..<3).map { _ in AlignedBuffer<Float>(count: stride, zero: 0) }
    for column in columns { for index in 0..<stride { column.pointer[index] = Float(random.gaussian()) } }
    func naive(_ a: Int, _ b: Int) -> Double {
      (0..<stride).reduce(0) { $0 + Double(columns[a].pointer[$1]) * Double(columns[b].pointer[$1]) }
    }
    func close(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-6 * Double(stride) }
    #expect(close(dotProduct(columns[0].pointer, columns[1].pointer, stride: stride), naive(0, 1)))
    let both = dotProducts(columns[0].pointer, columns[1].pointer, columns[2].pointer, stride: stride)
    #expect(close(both.x, naive(0, 1)) && close(both.y, naive(0, 2)))
    let before = naive(2, 1)
    addMultiple(0.5, of: columns[0].pointer, to: columns[2].pointer, stride: stride)
    #expect(close(naive(2, 1), before + 0.5 * naive(0, 1)))
  }
}
