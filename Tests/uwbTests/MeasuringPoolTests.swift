import Foundation
import TestSupport
import Testing
import UWBDSP

@testable import uwb

/// In this process, so that the thread sanitizer sees it (`scripts/test-threads`): the pool's own hand-over, and what engines
/// share, plans and tables.
@Suite struct MeasuringPoolTests {
  private static func exchanges(_ count: Int) throws -> [ClockedExchange] {
    let folder = try TemporaryFolder()
    let path = folder.path("log.txt")
    try Data(ConvertTests.log(count, tapCount: 64).text.utf8).write(to: URL(fileURLWithPath: path))
    return try ConvertTests.read(path).map { ClockedExchange(exchange: $0, clock: nil) }
  }

  private static func pool(
    _ engine: RangingEngine, threads: Int
  ) -> MeasuringPool<ClockedExchange, RangingMeasurement> {
    MeasuringPool(WorkPool(threads: threads)) {
      let workspace = engine.makeWorkspace()
      return { engine.measure($0.exchange, clock: $0.clock, using: workspace) }
    }
  }

  /// Longest batches and first ones: the adaptive fit takes longer than a batch may, the chip's own path next to no time.
  @Test(arguments: [(DelayMethod.adaptive, 6), (.chip, 300)], [1, 2, 5])
  func measurementsComeInOrder(work: (method: DelayMethod, count: Int), threads: Int) throws {
    let engine = RangingEngine(.init(profile: .dw1000, delay: work.method))
    let exchanges = try Self.exchanges(work.count)
    var left = exchanges[...]
    var delivered: [(RangingExchange, RangingMeasurement)] = []
    try Self.pool(engine, threads: threads).run(
      next: { left.popFirst() }, deliver: { delivered.append(($0.exchange, $1)) })
    let workspace = engine.makeWorkspace()
    try #require(delivered.count == exchanges.count)
    for (pair, exchange) in zip(delivered, exchanges) {
      #expect(pair.0.index == exchange.exchange.index)
      #expect("\(pair.1)" == "\(engine.measure(exchange.exchange, clock: exchange.clock, using: workspace))")
    }
  }

  @Test func whatIsThrownOnTheWayEndsIt() throws {
    struct Stop: Error {}
    let exchanges = try Self.exchanges(40)
    let pool = Self.pool(RangingEngine(.init(profile: .dw1000, delay: .chip)), threads: 3)
    for isAtDelivery in [true, false] {
      var left = exchanges[...]
      var delivered = 0
      func next() throws -> ClockedExchange? {
        if !isAtDelivery, left.count == 5 { throw Stop() }
        return left.popFirst()
      }
      #expect(throws: Stop.self) {
        try pool.run(next: next) { _, _ in
          delivered += 1
          if isAtDelivery, delivered == 5 { throw Stop() }
        }
      }
      #expect(delivered <= 35)
    }
  }
}
