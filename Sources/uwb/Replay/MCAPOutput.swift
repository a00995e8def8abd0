import UWBCapture

/// An MCAP file for robotics and log tools: the lines of `NDJSONOutput`, each as a message of its event's channel.
///
/// Times are ns of the capture's own clock, from its first exchange on.
struct MCAPOutput: ReplayOutput {
  /// Of a stream that somebody waits for, at most so much is held back, ns of the capture's clock.
  private static let longestWait: UInt64 = 1_000_000_000

  private let output: ByteOutput
  private let lines = ByteOutput.held()
  private var rows: NDJSONOutput
  private var writer: MCAPWriter?
  private var lastTime: UInt64 = 0
  /// Of all captures.
  private var latest: UInt64 = 0

  init(_ output: ByteOutput) {
    self.output = output
    rows = NDJSONOutput(lines)
  }

  mutating func begin(capture: String, header: CaptureHeader) {
    rows.begin(capture: capture, header: header)
    lastTime = 0
  }

  mutating func write(_ event: ReplayEvent) throws {
    try rows.write(event)
    let time: Double
    let name: String
    switch event {
    case .update(_, _, _, let exchange): (time, name) = (exchange.time, "update")
    case .rejected(_, let exchange): (time, name) = (exchange.time, "rejected")
    case .removed(_, let moment, _): (time, name) = (moment, "removed")
    }
    lastTime = Self.nanoseconds(time)
    latest = max(latest, lastTime)
    try append(name)
  }

  mutating func end(_ totals: ReplayTotals) throws {
    try rows.end(totals)
    try append("capture")
  }

  mutating func finish(_ totals: ReplayTotals) throws {
    try rows.finish(totals)
    lastTime = latest
    try append("summary")
    try writer?.finish()
    try output.flush()
  }

  mutating func flush() throws {
    guard let span = writer?.chunkSpan, span >= Self.longestWait else { return }
    try writer?.endChunk()
    try output.flush()
  }

  /// What `rows` has written since the last time, as one message.
  private mutating func append(_ name: String) throws {
    let line = lines.take().dropLast()
    let channel = ReplayField.events.firstIndex { $0.name == name } ?? 0
    var writer = try self.writer ?? makeWriter()
    self.writer = nil
    try writer.append(channel, time: lastTime, line)
    self.writer = writer
  }

  private func makeWriter() throws -> MCAPWriter {
    let channels = ReplayField.events.map { event in
      MCAPWriter.Channel(
        topic: "/uwb/\(event.name)", schemaName: "uwb.\(event.name)",
        schema: ReplayField.schema(event.name, event.summary, event.fields))
    }
    return try MCAPWriter(channels: channels) { [output] bytes in try output.write { $0 += bytes } }
  }

  /// Times before the first exchange are taken for it, those that no file can hold for the latest that it can.
  private static func nanoseconds(_ seconds: Double) -> UInt64 {
    guard seconds > 0 else { return 0 }
    return UInt64(exactly: (seconds * 1e9).rounded()) ?? .max
  }
}
