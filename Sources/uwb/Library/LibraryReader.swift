import UWBCapture
import UWBDSP

/// A capture of the C interface. One thread at a time.
package final class LibraryReader {
  private let path: String
  private let options: EngineOptions
  private let messages: MessageCollector
  private var reader: any CaptureReader
  private let first: RangingExchange?
  private var isFirstTaken = false

  /// Opens the capture and reads its first exchange.
  ///
  /// - Throws: for options that make no sense, or a capture that can't be read.
  package init(_ path: String, options arguments: [String]) throws {
    guard path != "-" else { throw LibraryError.badArgument("Standard input is the program's: name a file.") }
    let options = try EngineOptions.parse(arguments)
    let messages = MessageCollector()
    var reader = try messages.collecting { try options.open(path) }
    first = try messages.collecting { try reader.next() }
    self.path = path
    self.messages = messages
    self.options = options
    self.reader = reader
  }

  package var format: String { reader.header.format }
  package var profile: String { options.input.profile ?? reader.header.profile }

  /// For people, a line each: what was told, and what was passed over so far.
  package var notes: [String] {
    let skipped = reader.skipped
    return messages.texts
      + skipped.counts.sorted { $0.key < $1.key }.map { reason, count in
        "\(path): passed over: \(reason) \(count)\(skipped.firstPlaces[reason].map { " (first: \($0))" } ?? "")"
      }
  }

  /// - Throws: `CaptureError` for a capture that can't be read on.
  package func next() throws -> RangingExchange? {
    guard isFirstTaken else {
      isFirstTaken = true
      return first
    }
    return try messages.collecting { try reader.next() }
  }

  /// The engine for the capture's radio.
  package func engine() throws -> LibraryEngine {
    let engine = try messages.collecting {
      try first.map { try options.replayEngine(for: reader.header, file: path, first: $0).engine }
        ?? options.engine(for: reader.header, file: path)
    }
    return LibraryEngine(engine, options.input)
  }
}
