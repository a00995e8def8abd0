import Foundation
import UWBCapture

/// A line on the terminal's standard error that tells how far a long job is; silent where nobody watches.
struct Progress {
  private static let interval = 0.2
  private let isShown: Bool
  private let label: String
  private let totalBytes: Int?
  private var lastShown = 0.0
  private var steps = 0

  private let unit: String

  init(
    _ label: String, totalBytes: Int?, unit: String = "exchanges",
    isShown: Bool = Message.collector == nil && isatty(STDERR_FILENO) == 1
  ) {
    self.label = label
    self.unit = unit
    self.totalBytes = totalBytes
    self.isShown = isShown
  }

  /// To be called often; draws a few times a second.
  mutating func update(bytes: Int, exchanges: Int) {
    guard isShown else { return }
    steps += 1
    guard steps % 16 == 0 else { return }
    let now = ProcessInfo.processInfo.systemUptime
    guard now - lastShown > Self.interval else { return }
    lastShown = now
    let share = totalBytes.map { $0 > 0 ? " \(min(100, 100 * bytes / $0)) %" : "" } ?? ""
    let size = unit == "exchanges" && bytes > 0 ? " \(bytes / 1_000_000) MB," : ""
    write("\r\u{1B}[K\(label.printable()):\(share)\(size) \(exchanges) \(unit)")
  }

  /// Clears the line.
  func finish() {
    if isShown, lastShown > 0 { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) { Message.writeRaw(text) }
}
