import TestSupport
import Testing

@testable import UWBDSP

@Suite struct OrderSelectionTests {
  private static let table = PulseTable(.standard, tapSpacing: UWB.tap)
  private static let window = 23

  private let fit = PathFit(table: table, windowTaps: window)

  /// Paths as far apart as `apart`, 30 dB each, the first 8 taps behind the window's start.
  private func run(
    _ count: Int, apart: Double = 3, mostSteps: Int = 120, seed: UInt64,
    isBeaten: (Int, Double) -> Bool = { _, _ in false }
  ) -> (count: Int?, settled: Bool, steps: Int) {
    var random = StatisticsRandom(seed: seed)
    let list = (0..<count).map {
      NaivePath(delayTaps: 28 + apart * Double($0), powerdB: 30, phase: random.uniform(0...6))
    }
    let taps = PreparedTaps(tapCount: 80)
    taps.load(ChannelImpulseResponse(NaiveImpulseResponse.samples(list, tapCount: 80, using: &random)), antenna: 0)
    fit.load(taps, firstTap: 20)
    return OrderSelection(fit, mostPaths: 8, mostSteps: mostSteps).run(
      from: 8, variance: 1, logSNR: .log(fit.strongestPower), isBeaten: isBeaten)
  }

  @Test(arguments: 1...4)
  func countsPathsApart(count: Int) {
    for seed in UInt64(960)..<970 {
      let found = run(count, seed: seed)
      #expect(found.count == count && found.settled, "seed \(seed)")
    }
  }

  /// What is cut short says so, and takes no step more.
  @Test(arguments: [0, 1, 5, 20, 60]) func takesNoMoreSteps(mostSteps: Int) throws {
    var cut = 0
    for seed in UInt64(990)..<1000 {
      let whole = run(6, apart: 1.5, mostSteps: 10_000, seed: seed)
      let found = run(6, apart: 1.5, mostSteps: mostSteps, seed: seed)
      #expect(found.steps <= mostSteps, "seed \(seed)")
      #expect(found.settled == (whole.settled && whole.steps < mostSteps), "seed \(seed)")
      if whole.steps < mostSteps { #expect(found.count == whole.count && found.steps == whole.steps) }
      cut += found.settled ? 0 : 1
    }
    #expect(cut > 0)
  }

  /// Before each path from the third on, with the fit at those that stand.
  @Test func asksWhetherPathsAreBeaten() throws {
    for seed in UInt64(970)..<980 {
      var asked: [Int] = []
      var left: [Double] = []
      let found = run(3, seed: seed) { count, gain in
        #expect(gain > 0 && gain < 1)
        asked.append(count)
        left.append(fit.residualPower(in: 0..<Self.window))
        // Those that stand: solved once more, the residual is the same.
        let delays = AlignedBuffer<Double>(count: count, zero: 0)
        for index in 0..<count { delays.pointer[index] = fit.solvedDelay(index) }
        let cost = fit.solve(delays.pointer, count: count) ?? .infinity
        #expect(abs(cost / (left.last ?? 0) - 1) < 1e-4)
        return false
      }
      #expect(found.count == 3 && (asked == [2] || asked == [2, 3]), "seed \(seed): \(asked)")
      #expect(zip(left, left.dropFirst()).allSatisfy { $0 > $1 })
    }
    var asked = 0
    let lone = run(1, seed: 970) { _, _ in
      asked += 1
      return true
    }
    #expect(lone.count == 1 && asked == 0)
  }

  @Test func endsWherePathsAreBeaten() {
    #expect(run(4, seed: 980) { _, _ in true }.count == nil)
    #expect(run(4, seed: 980) { count, _ in count >= 3 }.count == nil)
    #expect(run(2, seed: 980) { count, _ in count >= 3 }.count == 2)
  }
}
