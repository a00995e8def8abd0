import UWBCalibration
import UWBCapture
import UWBDSP

/// A capture's reader that has read what decides on the radio's pulse, and hands that on as if it read it now: a log is read once.
///
/// One thread at a time, though it may be made on another than the one that reads on.
struct ReadAhead: CaptureReader, @unchecked Sendable {
  /// What the first CIRs say of the radio's pulse; `nil` where nobody asks, or for a stream, whose exchanges somebody waits for.
  let pulse: PulseLearning.Outcome?
  private var reader: any CaptureReader
  private let firstHeader: CaptureHeader
  /// The next exchange last.
  private var ahead: [RangingExchange] = []
  /// What ended reading ahead.
  private var failure: (any Error)?

  /// - Parameter begin: takes what is known with the first exchange.
  /// - Throws: `CaptureError` for a capture whose first exchange can't be read.
  init(
    _ path: String, engine options: EngineOptions, begin: (CaptureHeader, RangingExchange) -> Void = { _, _ in }
  ) throws {
    reader = try options.open(path)
    let first = try reader.next()
    firstHeader = reader.header
    guard let first else {
      pulse = nil
      return
    }
    ahead = [first]
    begin(firstHeader, first)
    guard captureByteCount(path) != nil, var learning = options.learning(of: firstHeader, file: path) else {
      pulse = nil
      return
    }
    learning.add(first)
    do {
      while !learning.isDecided, let exchange = try reader.next() {
        learning.add(exchange)
        ahead.append(exchange)
      }
    } catch {
      failure = error
    }
    ahead.reverse()
    pulse = learning.outcome()
  }

  /// As it was after the first exchange until all that was read ahead is handed on.
  var header: CaptureHeader { ahead.isEmpty ? reader.header : firstHeader }
  var skipped: SkippedInput { reader.skipped }
  var bytesRead: Int { reader.bytesRead }
  /// The exchange that `next` hands on, where it has been read.
  var first: RangingExchange? { ahead.last }

  mutating func next() throws -> RangingExchange? {
    if let exchange = ahead.popLast() { return exchange }
    if let failure { throw failure }
    return try reader.next()
  }
}

/// Captures one after the other, the next ones opened while one is worked on: reading text and learning a pulse take as long as measuring.
struct CaptureQueue {
  private let captures: [String]
  private let options: EngineOptions
  private let pool: WorkPool
  private let lookahead: Int
  private var started: [WorkPool.Job<Result<ReadAhead, any Error>>] = []
  private var places: (next: Int, started: Int) = (0, 0)

  init(_ captures: [String], engine options: EngineOptions, pool: WorkPool) {
    self.captures = captures
    self.options = options
    self.pool = pool
    // What is told while reading is told in a capture's turn.
    lookahead = options.tellsWhileReading || pool.threads == 1 ? 0 : 2 * pool.threads
  }

  /// The next capture, under this name.
  ///
  /// - Throws: `CaptureError` for one that can't be read, and for what else `EngineOptions` finds wrong.
  mutating func next(name: String) throws -> EngineInput {
    let path = captures[places.next]
    places.next += 1
    return try EngineInput(path, name: name, engine: options, pool: pool) {
      captures.count == 1 ? try openAlone() : try openAmongOthers()
    }
  }

  private mutating func openAmongOthers() throws -> ReadAhead {
    while places.started < captures.count, started.isEmpty || started.count <= lookahead && isFile(places.started) {
      let (path, options) = (captures[places.started], options)
      started.append(pool.submit { Result { try ReadAhead(path, engine: options) } })
      places.started += 1
    }
    return try pool.value(of: started.removeFirst()).get()
  }

  /// Streams are opened in their turn: that may wait for whoever writes.
  private func isFile(_ place: Int) -> Bool { captureByteCount(captures[place]) != nil }

  /// Tables that engines share are made while the pulse is learned, which rarely changes it.
  private func openAlone() throws -> ReadAhead {
    try ReadAhead(captures[0], engine: options) { header, first in
      guard let spacing = first.receptionsWithImpulseResponse.first?.impulseResponse?.tapSpacing else { return }
      let (path, options) = (captures[0], options)
      _ = pool.submit { try? options.engine(for: header, file: path, first: first).prepare(tapSpacing: spacing) }
    }
  }
}
