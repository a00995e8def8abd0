import UWBCapture
import UWBDSP

/// A replay of the C interface: what `uwb replay` does, with its events as rows.
package struct LibraryReplay {
  /// As the command line names them.
  package let captures: [String]
  /// Counts over all captures, as JSON.
  package let summary: String
  /// What the command line would tell people beside the data.
  package let messages: [String]

  /// Replays all of `paths`.
  ///
  /// - Parameters:
  ///   - isStopped: asked between events.
  ///   - deliver: takes the number of the capture, and a row.
  /// - Throws: for options that make no sense, a capture that can't be read, or once it was stopped.
  package init(
    of paths: [String], options: [String], isStopped: @escaping () -> Bool,
    deliver: @escaping (_ capture: Int, UpdateRow) -> Void
  ) throws {
    try LibraryError.refuse(["--output", "--pace", "--shard"], in: options)
    guard !paths.contains("-") else { throw LibraryError.badArgument("Standard input is the program's: name a file.") }
    let collector = MessageCollector()
    var totals = ReplayTotals()
    var command = try ReplayCommand.parse(options + ["--"] + paths)
    try collector.collecting {
      try command.prepare()
      var sink: any ReplayOutput = RowOutput(isStopped: isStopped, deliver: deliver)
      totals = try command.replay(into: &sink) { throw $0 }
    }
    captures = CaptureNames.shortest(command.captures)
    summary = String(decoding: NDJSONOutput.summary(totals, captures: captures.count).bytes, as: UTF8.self)
    messages = collector.texts
  }
}

/// Hands events on as rows.
private struct RowOutput: ReplayOutput {
  let isStopped: () -> Bool
  let deliver: (Int, UpdateRow) -> Void
  private var capture = -1

  init(isStopped: @escaping () -> Bool, deliver: @escaping (Int, UpdateRow) -> Void) {
    self.isStopped = isStopped
    self.deliver = deliver
  }

  mutating func begin(capture: String, header: CaptureHeader) { self.capture += 1 }

  mutating func write(_ event: ReplayEvent) throws {
    if isStopped() { throw LibraryError.interrupted }
    deliver(capture, UpdateRow(event))
  }

  mutating func end(_ totals: ReplayTotals) {}
  mutating func finish(_ totals: ReplayTotals) {}
  mutating func flush() {}
}
