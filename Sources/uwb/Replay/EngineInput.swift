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
  private var reader: any CaptureReader
  private var first: RangingExchange?

  init(_ path: String, name: String, engine options: EngineOptions) throws {
    self.name = name
    let size = captureByteCount(path)
    isStream = size == nil
    progress = Progress(name, totalBytes: size)
    reader = try options.open(path)
    // The header is whole once the first exchange was read.
    let next = try reader.next()
    first = next
    // What follows the engine is `ReplayPipeline`'s, for shards, too.
    let header = reader.header
    let found = try next.map { try options.replayEngine(for: header, file: path, first: $0) }
    pulse = found?.pulse
    pipeline = found.map { RangingPipeline($0.engine, tracking: nil) }
    Message.detail(
      "\(name): format \(header.format), radio \(header.profile)"
        + (found.map { ", estimator \($0.engine.configuration.delay.rawValue)" } ?? ", no exchange"))
  }

  var header: CaptureHeader { reader.header }
  var engine: RangingEngine? { pipeline?.engine }
  /// Complete once all was read.
  var skipped: SkippedInput { reader.skipped }

  /// Measures every exchange that `isWanted` (asked in order, once for each) says yes to; `deliver` gets them in order.
  mutating func measure(
    threads: Int, isWanted: (RangingExchange) throws -> Bool,
    deliver: (RangingExchange, RangingMeasurement) throws -> Void
  ) throws {
    guard let pipeline else { return }
    let engine = pipeline.engine
    try run(threads: threads) { () -> (ClockedExchange) -> RangingMeasurement in
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
    threads: Int, makeWorker: @escaping @Sendable () -> (Item) -> Result,
    prepare: (RangingExchange) throws -> Item?, deliver: (Item, Result) throws -> Void
  ) throws {
    var count = 0
    func next() throws -> Item? {
      while isStream || !Interruption.isRequested, let exchange = try first ?? reader.next() {
        first = nil
        count += 1
        progress.update(bytes: reader.bytesRead, exchanges: count)
        if let item = try prepare(exchange) { return item }
      }
      return nil
    }
    try MeasuringPool(threads: threads, makeWorker: makeWorker).run(next: next, deliver: deliver)
  }
}
