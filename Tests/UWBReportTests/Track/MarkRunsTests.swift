import Testing

@testable import UWBReport

@Suite struct MarkRunsTests {
  private func marked(_ count: Int) -> MarkRuns {
    var runs = MarkRuns()
    for index in 0..<count { runs.add(.init(exchange: index, time: Double(index))) }
    return runs
  }

  @Test func fewMarksStandAlone() {
    let runs = marked(MarkRuns.capacity)
    #expect(runs.runs.map(\.first.exchange) == Array(0..<MarkRuns.capacity))
    #expect(runs.runs.allSatisfy { $0.first == $0.last })
  }

  @Test(arguments: [1, 255, 257, 511, 512, 513, 10_000, 100_000]) func manyMarksShareRunsWithoutAGap(_ count: Int) {
    let runs = marked(count)
    #expect(runs.count == count && runs.runs.count <= MarkRuns.capacity)
    // No coarser than twice what the capacity forces.
    #expect(runs.runs.count >= min(count, MarkRuns.capacity / 2))
    #expect(runs.runs.first?.first.exchange == 0 && runs.runs.last?.last.exchange == count - 1)
    #expect(zip(runs.runs, runs.runs.dropFirst()).allSatisfy { $0.last.exchange + 1 == $1.first.exchange })
  }
}
