import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct PathFitTests {
  private static let window = 23

  private static let table = PulseTable(.standard, tapSpacing: UWB.tap)

  private func random(_ count: Int, seed: UInt64) -> [NaivePath] {
    var random = StatisticsRandom(seed: seed)
    return (0..<count).map {
      NaivePath(
        delayTaps: 5 + 2.6 * Double($0) + random.uniform(-0.4...0.4), powerdB: random.uniform(20...30),
        phase: random.uniform(0...6))
    }
  }

  private func load(_ samples: [Complex<Float>]) -> PathFit {
    let taps = PreparedTaps(tapCount: samples.count)
    taps.load(ChannelImpulseResponse(samples), antenna: 0)
    let fit = PathFit(table: Self.table, windowTaps: Self.window)
    fit.load(taps, firstTap: 0)
    return fit
  }

  private func solve(_ fit: PathFit, _ delays: [Double]) -> Double? {
    delays.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      return fit.solve(base, count: buffer.count)
    }
  }

  /// Amplitudes and cost by the normal equations of the directly evaluated pulse.
  private func naive(_ samples: [Complex<Float>], _ delays: [Double]) -> (amplitudes: [Complex<Double>], cost: Double) {
    let rows = (0..<Self.window).map { tap in
      delays.map { Complex(PulseShape.standard((Double(tap) - $0) * UWB.tap)) }
    }
    let side = samples.prefix(Self.window).map { Complex(Double($0.real), Double($0.imaginary)) }
    let amplitudes = NaiveAlgebra.leastSquares(rows, side) ?? []
    let cost = zip(rows, side).reduce(0.0) { sum, row in
      sum + (row.1 - zip(row.0, amplitudes).reduce(.zero) { $0 + $1.0 * $1.1 }).lengthSquared
    }
    return (amplitudes, cost)
  }

  @Test(arguments: 1...6)
  func solvesTheLinearProblem(count: Int) throws {
    var noise = StatisticsRandom(seed: UInt64(900 + count))
    let paths = random(count, seed: UInt64(910 + count))
    let samples = NaiveImpulseResponse.samples(paths, tapCount: 40, using: &noise)
    let fit = load(samples)
    let delays = paths.map { $0.delayTaps + 0.1 }
    let cost = try #require(solve(fit, delays))
    let expected = naive(samples, delays)
    #expect(abs(cost / expected.cost - 1) < 1e-3)
    for path in 0..<count {
      // The table errs by 10⁻⁵ of the peak.
      #expect((fit.amplitude(path) - expected.amplitudes[path]).length < 1e-3 * expected.amplitudes[path].length)
    }
    let strongest = fit.strongestPath(count: count)
    #expect((0..<count).allSatisfy { fit.amplitude($0).length <= fit.amplitude(strongest).length })
  }

  @Test(arguments: 1...4)
  func refinesToAMinimum(count: Int) throws {
    var noise = StatisticsRandom(seed: UInt64(920 + count))
    let paths = random(count, seed: UInt64(930 + count))
    let samples = NaiveImpulseResponse.samples(paths, tapCount: 40, using: &noise)
    let fit = load(samples)
    let delays = AlignedBuffer<Double>(count: count, zero: 0)
    for index in 0..<count { delays.pointer[index] = paths[index].delayTaps + noise.uniform(-0.3...0.3) }
    var effort = FitEffort(steps: FitStep.most, settled: false)
    let cost = fit.refine(delays.pointer, count: count, variance: 1, tolerance: 1e-4, effort: &effort)
    #expect(effort.settled)
    let found = (0..<count).map { delays.pointer[$0] }
    #expect(abs(cost / naive(samples, found).cost - 1) < 1e-3)
    for index in 0..<count {
      #expect(abs(found[index] - paths[index].delayTaps) < 0.5)
      for step in [-0.02, 0.02] {
        var moved = found
        moved[index] += step
        #expect(naive(samples, moved).cost > cost)
      }
    }
  }

  /// ½σ²·H⁻¹ is the Cramér–Rao bound of the full model, amplitudes and all.
  @Test(arguments: 1...4)
  func deviationsAreTheInverseFisherInformation(count: Int) throws {
    var noise = StatisticsRandom(seed: 940)
    let paths = random(count, seed: UInt64(950 + count))
    let samples = NaiveImpulseResponse.samples(paths, tapCount: 40, noiseVariance: 0, using: &noise)
    let fit = load(samples)
    let delays = paths.map(\.delayTaps)
    _ = try #require(solve(fit, delays))
    let regular = delays.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { fit.differentiate($0, count: count) }
    }
    #expect(regular == true)
    fit.invertCurvature(count: count)
    let information = NaiveFisherInformation.matrix(
      at: NaiveFisherInformation.parameters(paths),
      mean: NaiveFisherInformation.pathModel(.standard, taps: 0..<Self.window, pathCount: count))
    let bound = try #require(NaiveAlgebra.inverse(information))
    for row in 0..<count {
      for column in 0..<count {
        let scale = (bound[row][row] * bound[column][column]).squareRoot()
        #expect(abs(fit.delayCovariance(row, column) / 2 - bound[row][column]) < 2e-3 * scale)
      }
      let amplitude = paths[row].amplitude
      let turn = [-amplitude.imaginary, amplitude.real].map { $0 / amplitude.lengthSquared }
      var phase = 0.0
      for a in 0..<2 {
        for b in 0..<2 { phase += turn[a] * bound[count + 2 * row + a][count + 2 * row + b] * turn[b] }
      }
      #expect(abs(fit.phaseVariance(row, count: count) / 2 / phase - 1) < 2e-3)
    }
  }

  @Test func coincidingPathsHaveNoSolution() {
    var noise = StatisticsRandom(seed: 960)
    let fit = load(NaiveImpulseResponse.samples(random(1, seed: 961), tapCount: 40, using: &noise))
    #expect(solve(fit, [7, 7]) == nil)
    #expect(solve(fit, [7, 9]) != nil)
    // A path so far out that no tap sees it.
    #expect(solve(fit, [7, 200]) == nil)
  }

  @Test func sortsDelays() {
    let fit = PathFit(table: Self.table, windowTaps: Self.window)
    let delays = AlignedBuffer<Double>(count: 5, zero: 0)
    for (index, value) in [3.0, 1, 2, 1, -4].enumerated() { delays.pointer[index] = value }
    fit.sort(delays.pointer, count: 5)
    #expect((0..<5).map { delays.pointer[$0] } == [-4, 1, 1, 2, 3])
    fit.sort(delays.pointer, count: 0)
  }

  /// The promised gain is what a fit with the further path at that place brings, and no place brings more.
  @Test(arguments: 1...3)
  func startsAreWhereOnePathMoreHelpsMost(count: Int) throws {
    var noise = StatisticsRandom(seed: UInt64(970 + count))
    let all = random(count + 1, seed: UInt64(980 + count))
    let samples = NaiveImpulseResponse.samples(all, tapCount: 40, using: &noise)
    let fit = load(samples)
    let known = all.prefix(count).map(\.delayTaps)
    let cost = try #require(solve(fit, known))
    let starts = PathStarts(table: Self.table, windowTaps: Self.window)
    let best = starts.strongest(fit, count: count)
    #expect(abs((cost - naive(samples, known + [best.position]).cost) / best.gain - 1) < 1e-2)
    #expect(abs(best.position - all[count].delayTaps) < 0.5)
    for step in 0...96 {
      let delay = Double(step) / 4
      guard known.allSatisfy({ abs($0 - delay) > 0.5 }) else { continue }
      #expect(cost - naive(samples, known + [delay]).cost < best.gain * 1.01)
    }
  }
}
