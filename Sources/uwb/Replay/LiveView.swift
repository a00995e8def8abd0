import Foundation
import NearbySession
import UWBCapture
import UWBDSP

/// Peers as they are now, a line each: drawn in place on a terminal; elsewhere a plain line for each event.
struct LiveView: ReplayOutput {
  /// Between drawings, s.
  private static let interval = 0.1
  private let output: ByteOutput
  /// Columns and rows of the terminal; `nil` where there is none.
  private let size: () -> (columns: Int, rows: Int)?
  private let hasColor: Bool
  private var capture = ""
  private var table = LivePeers()
  private var drawnLines = 0
  private var messageCount = StatusLine.messageCount
  private var lastDrawn = -Double.infinity

  init(
    _ output: ByteOutput, hasColor: Bool = Terminal.hasColor,
    size: @escaping () -> (columns: Int, rows: Int)? = {
      Terminal.width(of: STDOUT_FILENO).map { ($0, Terminal.outputHeight) }
    }
  ) {
    self.output = output
    self.hasColor = hasColor
    self.size = size
  }

  mutating func begin(capture: String, header: CaptureHeader) {
    self.capture = capture.printable()
    table = LivePeers()
    drawnLines = 0
  }

  mutating func write(_ event: ReplayEvent) throws {
    table.add(event)
    guard let size = size() else {
      return try output.write("\(capture): \(LivePeers.line(event))\n")
    }
    let now = ProcessInfo.processInfo.systemUptime
    if now - lastDrawn > Self.interval { try draw(size, at: now) }
  }

  mutating func end(_ totals: ReplayTotals) throws {
    if let size = size() { try draw(size, at: lastDrawn) }
  }

  mutating func finish(_ totals: ReplayTotals) throws { try output.flush() }

  mutating func flush() throws {
    // A live stream asks after every event; drawing has its own pace.
    if size() == nil { try output.flush() }
  }

  /// Draws over what was drawn last, unless messages have pushed that up.
  private mutating func draw(_ size: (columns: Int, rows: Int), at now: Double) throws {
    lastDrawn = now
    let lines = table.lines(capture: capture, columns: size.columns - 1, rows: size.rows - 2, hasColor: hasColor)
    var text = ""
    if drawnLines > 0, messageCount == StatusLine.messageCount { text += "\u{1B}[\(drawnLines)A" }
    text += "\r\u{1B}[J" + lines.map { "\($0)\n" }.joined()
    messageCount = StatusLine.messageCount
    drawnLines = lines.count
    try output.write { $0.append(contentsOf: text.utf8) }
    try output.flush()
  }
}
