import Foundation
import UWBCapture
import UWBDSP

/// An exchange, and what those before it told of the clocks.
struct ClockedExchange: Sendable {
  var exchange: RangingExchange
  var clock: ClockTracker.Estimate?
}

/// One capture on its way through the engine: reader, engine, progress.
struct EngineInput {
  /// The file's name, with as many folders as tell it from the others.
  let name: String
  /// Measures by the engine for this capture's radio; `nil` where the capture holds no exchange.
  private let pipeline: RangingPipeline?
  /// What was told of the radio's pulse.
  let pulse: String?
  var progress: Progress
  /// Streams end by themselves when they are interrupted, with what had come until then.
  private let isStream: Bool
  private var reader: ReadAhead
  private let pool: WorkPool

  /// - Parameters:
  ///   - pool: works on it, but for standard input: somebody waits for each update of a live stream, none is held back for company.
  ///   - open: opens the capture at `path`.
  init(
    _ path: String, name: String, engine options: EngineOptions, pool: WorkPool, open: () throws -> ReadAhead
  ) throws {
    self.name = name
    self.pool = path == "-" ? WorkPool(threads: 1) : pool
    let size = captureByteCount(path)
    isStream = size == nil
    progress = Progress(name, totalBytes: size)
    let opened = try open()
    let header = opened.header
    // What follows the engine is `ReplayPipeline`'s, for shards, too.
    let found = try opened.first.map {
      try options.replayEngine(for: header, file: path, first: $0, known: opened.pulse)
    }
    reader = opened
    pulse = found?.pulse
    pipeline = found.map { RangingPipeline($0.engine, tracking: nil) }
    Message.detail(
      "\(name): format \(header.format), radio \(header.profile)"
        + (found.map { ", estimator \($0.engine.configuration.delay.name)" } ?? ", no exchange"))
  }

  var header: CaptureHeader { reader.header }
  var engine: RangingEngine? { pipeline?.engine }
  /// Complete once all was read.
  var skipped: SkippedInput { reader.skipped }

  /// Measures every exchange that `isWanted` (asked in order, once for each) says yes to; `deliver` gets them in order.
  mutating func measure(
    isWanted: (RangingExchange) throws -> Bool,
    deliver: (RangingExchange, RangingMeasurement) throws -> Void
  ) throws {
    guard let pipeline else { return }
    let engine = pipeline.engine
    try run { () -> (ClockedExchange) -> RangingMeasurement in
      let workspace = engine.makeWorkspace()
      return { engine.measure($0.exchange, clock: $0.clock, using: workspace) }
    } prepare: { exchange in
      // Clocks are followed over all exchanges, measured here or elsewhere.
      let clock = pipeline.clock(exchange)
      return try isWanted(exchange) ? ClockedExchange(exchange: exchange, clock: clock) : nil
    } deliver: { item, result in
      try deliver(item.exchange, result)
    }
  }

  /// Reads every exchange and works on what `prepare` makes of it; `deliver` gets the results in order.
  mutating func run<Item: Sendable, Result: Sendable>(
    makeWorker: @escaping @Sendable () -> (Item) -> Result,
    prepare: (RangingExchange) throws -> Item?, deliver: (Item, Result) throws -> Void
  ) throws {
    var count = 0
    func next() throws -> Item? {
      while isStream || !Interruption.isRequested, let exchange = try reader.next() {
        count += 1
        progress.update(bytes: reader.bytesRead, exchanges: count)
        if let item = try prepare(exchange) { return item }
      }
      return nil
    }
    try MeasuringPool(pool, makeWorker: makeWorker).run(next: next, deliver: deliver)
  }
}
