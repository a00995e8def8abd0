import Foundation
import UWBCapture
import UWBDSP

/// A line on the terminal's standard error that tells how far a long job is and how long it may still take; silent where nobody
/// watches.
struct Progress {
  private static let interval = 0.2
  /// Jobs that are over sooner show nothing, s.
  private static let shortest = 0.3
  /// A rate that is known for less time says little of the rest, s.
  private static let trustedTime = 2.0
  private let isShown: Bool
  private let width: Int
  private var label: String
  private let totalBytes: Int?
  private let unit: String
  private let start: Double
  private var lastShown: Double

  /// - Parameter totalBytes: the whole job, in the unit of `update`'s `bytes`; `nil` where that is not known.
  init(
    _ label: String, totalBytes: Int?, unit: String = "exchanges", isShown: Bool = Message.showsProgress,
    width: Int? = Terminal.errorWidth
  ) {
    self.label = label.printable()
    self.unit = unit
    self.totalBytes = totalBytes
    self.isShown = isShown
    self.width = width ?? 80
    start = isShown ? ProcessInfo.processInfo.systemUptime : 0
    lastShown = start + Self.shortest - Self.interval
  }

  /// What the line is about from now on.
  mutating func name(_ label: String) { self.label = label.printable() }

  /// To be called often; draws a few times a second.
  mutating func update(bytes: Int, exchanges: Int) {
    guard isShown else { return }
    let now = ProcessInfo.processInfo.systemUptime
    guard now - lastShown > Self.interval else { return }
    lastShown = now
    StatusLine.draw(line(bytes: bytes, exchanges: exchanges, elapsed: now - start))
  }

  /// As much as fits the width: what matters most goes first.
  func line(bytes: Int, exchanges: Int, elapsed: Double) -> String {
    let size = unit == "exchanges" && bytes > 0 ? "\(bytes / 1_000_000) MB, " : ""
    var figures = "\(size)\(exchanges) \(unit)"
    if let totalBytes, totalBytes > 0 {
      let share = min(1, Double(bytes) / Double(totalBytes))
      figures = "\(Int(100 * share)) %, " + figures
      if elapsed > Self.trustedTime, share > 0 { figures += ", \(Self.clock(elapsed * (1 - share) / share)) left" }
    }
    let room = max(0, width - 1 - figures.count - 2)
    let name = label.count <= room ? label : "…" + label.suffix(max(0, room - 1))
    return String("\(name): \(figures)".prefix(width - 1))
  }

  /// m:ss, from an hour on h:mm:ss.
  private static func clock(_ seconds: Double) -> String {
    let whole = Int(min(seconds.rounded(.up), 3.6e8))
    let digits = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
    let head = whole >= 3600 ? "\(whole / 3600):\(digits(whole / 60 % 60))" : "\(whole / 60)"
    return "\(head):\(digits(whole % 60))"
  }

  /// Clears the line.
  func finish() {
    if isShown { StatusLine.clear() }
  }
}

extension CaptureReader {
  /// Hands over all exchanges, and shows how far they are.
  ///
  /// - Parameters:
  ///   - name: what the capture is called on the terminal.
  ///   - path: the capture's.
  ///   - body: takes each exchange with the header, which may be known only now.
  mutating func forEach(
    showing name: String, of path: String, _ body: (RangingExchange, CaptureHeader) throws -> Void
  ) throws {
    var progress = Progress(name, totalBytes: captureByteCount(path))
    defer { progress.finish() }
    while let exchange = try next() {
      try body(exchange, header)
      progress.update(bytes: bytesRead, exchanges: exchange.index + 1)
    }
  }
}
