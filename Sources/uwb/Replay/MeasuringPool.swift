import Dispatch
import Foundation
import Synchronization
import UWBDSP

/// An exchange, and what those before it told of the clocks.
struct ClockedExchange: Sendable {
  var exchange: RangingExchange
  var clock: ClockTracker.Estimate?
}

/// Measures exchanges on several threads and hands them on in the order in which they came.
///
/// Each thread has its own workspace, and a measurement depends on nothing but its exchange and the clocks: what comes out is the same
/// for any number of threads. Exchanges travel in batches of about a millisecond's work; the caller's thread reads,
/// delivers, and measures while it has to wait. At most `window` batches are under way, so memory stays flat.
final class MeasuringPool: Sendable {
  private static let batchCount = 16

  private final class Batch: Sendable {
    let exchanges: [ClockedExchange]
    let results = Mutex<[RangingMeasurement]>([])
    let isDone = DispatchSemaphore(value: 0)

    init(_ exchanges: [ClockedExchange]) { self.exchanges = exchanges }

    func measure(_ engine: RangingEngine, using workspace: RangingEngine.Workspace) {
      let measured = exchanges.map { engine.measure($0.exchange, clock: $0.clock, using: workspace) }
      results.withLock { $0 = measured }
      isDone.signal()
    }
  }

  private let engine: RangingEngine
  private let antennaCount: Int
  private let window: Int
  /// Batches that nobody has taken yet, the next one last; one count of `offered` for each, and one for each thread to end.
  private let pending = Mutex<[Batch]>([])
  private let offered = DispatchSemaphore(value: 0)
  private let threads: Int

  init(engine: RangingEngine, threads: Int) {
    self.engine = engine
    self.threads = threads
    antennaCount = engine.configuration.array?.positions.count ?? 1
    window = 4 * threads
  }

  /// Measures all that `next` yields; `deliver` sees each exchange with its measurement, on this thread, in order.
  func run(
    next: () throws -> ClockedExchange?, deliver: (RangingExchange, RangingMeasurement) throws -> Void
  ) throws {
    for _ in 1..<threads {
      let worker = Thread { [self] in work() }
      // As much as the main thread has: LAPACK and FFTW are not frugal.
      worker.stackSize = 8 << 20
      worker.start()
    }
    // Whatever throws on the way out, the threads end.
    defer { for _ in 1..<threads { offered.signal() } }

    let workspace = engine.makeWorkspace(antennaCount: antennaCount)
    var underWay: [Batch] = []
    var isEnded = false
    while !isEnded || !underWay.isEmpty {
      while !isEnded, underWay.count < window {
        var exchanges: [ClockedExchange] = []
        exchanges.reserveCapacity(Self.batchCount)
        while exchanges.count < Self.batchCount, let exchange = try next() { exchanges.append(exchange) }
        isEnded = exchanges.count < Self.batchCount
        guard !exchanges.isEmpty else { break }
        let batch = Batch(exchanges)
        underWay.append(batch)
        pending.withLock { $0.insert(batch, at: 0) }
        offered.signal()
      }
      guard let first = underWay.first else { break }
      while first.isDone.wait(timeout: .now()) == .timedOut {
        if offered.wait(timeout: .now()) == .success {
          pending.withLock { $0.popLast() }?.measure(engine, using: workspace)
        } else {
          first.isDone.wait()
          break
        }
      }
      underWay.removeFirst()
      let results = first.results.withLock { $0 }
      for (exchange, result) in zip(first.exchanges, results) { try deliver(exchange.exchange, result) }
    }
  }

  /// A worker's life: batches until there is a count of `offered` without one.
  private func work() {
    let workspace = engine.makeWorkspace(antennaCount: antennaCount)
    while true {
      offered.wait()
      guard let batch = pending.withLock({ $0.popLast() }) else { return }
      batch.measure(engine, using: workspace)
    }
  }
}
