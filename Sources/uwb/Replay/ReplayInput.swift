import Foundation
import UWBCapture
import UWBDSP

/// One capture on its way to measurements: reader, engine, progress.
struct ReplayInput {
  /// The file's name, with as many folders as tell it from the others.
  let name: String
  /// Measures by the engine for this capture's radio; `nil` where the capture holds no exchange.
  private let pipeline: RangingPipeline?
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
    first = try reader.next()
    // What follows the engine is `ReplayPipeline`'s, for shards, too.
    let engine = first == nil ? nil : try options.engine(for: reader.header, file: path, first: first)
    pipeline = engine.map { RangingPipeline($0, tracking: nil) }
  }

  var header: CaptureHeader { reader.header }
  var engine: RangingEngine? { pipeline?.engine }
  /// Complete once all was measured.
  var skipped: SkippedInput { reader.skipped }

  /// Measures every exchange that `isWanted` (asked in order, once for each) says yes to; `deliver` gets them in order.
  mutating func measure(
    threads: Int, isWanted: (RangingExchange) throws -> Bool,
    deliver: (RangingExchange, RangingMeasurement) throws -> Void
  ) throws {
    guard let pipeline else { return }
    var count = 0
    func next() throws -> ClockedExchange? {
      while isStream || !Interruption.isRequested, let exchange = try first ?? reader.next() {
        first = nil
        count += 1
        progress.update(bytes: reader.bytesRead, exchanges: count)
        // Clocks are followed over all exchanges, measured here or elsewhere.
        let clock = pipeline.clock(exchange)
        if try isWanted(exchange) { return ClockedExchange(exchange: exchange, clock: clock) }
      }
      return nil
    }
    if threads > 1 {
      try MeasuringPool(engine: pipeline.engine, threads: threads).run(next: next, deliver: deliver)
    } else {
      let (engine, workspace) = (pipeline.engine, pipeline.workspace)
      while let next = try next() {
        try deliver(next.exchange, engine.measure(next.exchange, clock: next.clock, using: workspace))
      }
    }
  }
}
