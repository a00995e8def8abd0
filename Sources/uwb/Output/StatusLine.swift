import Foundation
import Synchronization
import UWBCapture
import UWBDSP

/// The line at the bottom of the terminal that tells how far a job is. It is out of the way whenever anything else is written
/// there, from whichever thread.
enum StatusLine {
  private static let clearing = "\r\u{1B}[K"
  /// Whether output to the same terminal has stopped within a line, where nothing may be drawn.
  private static let isWithinLine = StateLock(false)
  private static let isDrawn = Atomic(false)
  private static let written = Atomic(0)

  /// Messages that the terminal has shown: what is drawn in place of itself has moved up since.
  static var messageCount: Int { written.load(ordering: .relaxed) }

  /// Shows `text`, which fits the terminal's width.
  static func draw(_ text: String) {
    isWithinLine.withLock { isWithinLine in
      guard !isWithinLine else { return }
      isDrawn.store(true, ordering: .relaxed)
      Message.writeRaw(clearing + text)
    }
  }

  static func clear() {
    isWithinLine.withLock { _ in clearIfDrawn() }
  }

  /// Runs `write`, which writes whole lines to the terminal of standard error.
  static func stepAside<Result>(for write: () -> Result) -> Result {
    isWithinLine.withLock { _ in
      clearIfDrawn()
      written.add(1, ordering: .relaxed)
      return write()
    }
  }

  /// Runs `write`, which writes to the same terminal what ends, or doesn't, with a line's end.
  static func stepAside<Result>(forOutputEnding isLineEnd: Bool, write: () -> Result) -> Result {
    isWithinLine.withLock { isWithinLine in
      clearIfDrawn()
      isWithinLine = !isLineEnd
      return write()
    }
  }

  /// For the end of the program, whatever other threads are about.
  static func abandon() { clearIfDrawn() }

  private static func clearIfDrawn() {
    if isDrawn.exchange(false, ordering: .relaxed) { Message.writeRaw(clearing) }
  }
}
