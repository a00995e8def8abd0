import Foundation
import Synchronization
import UWBCapture
import UWBDSP

/// Messages for people, on standard error, apart from the data. What steers a terminal is written out. One that can't be written
/// there is lost, and nothing else is.
enum Message {
  /// What is told.
  enum Level: Int {
    /// Errors alone.
    case quiet
    /// Errors, warnings, notes, progress.
    case usual
    /// What was chosen and what it cost, too.
    case verbose
  }

  /// Takes messages of this thread, where a library's host decides what becomes of them.
  @TaskLocal static var collector: MessageCollector?
  private static let warnings = StateLock<Set<String>>([])
  private static let chosen = Atomic(Level.usual.rawValue)

  static var level: Level {
    get { Level(rawValue: chosen.load(ordering: .relaxed)) ?? .usual }
    set { chosen.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// Whether anybody watches how far a job is.
  static var showsProgress: Bool { collector == nil && level != .quiet && Terminal.errorWidth != nil }

  /// Tells what went wrong, or ends the program: whatever the level.
  static func write(_ text: String) {
    let text = text.printable(keepingLines: true)
    if let collector { return collector.add(text) }
    StatusLine.stepAside { writeRaw("\(colored(text))\n") }
  }

  /// Tells what is worth knowing: results, what was left out.
  static func note(_ text: String) {
    if collector != nil || level != .quiet { write(text) }
  }

  /// Tells what only somebody who looks closely wants to know.
  static func detail(_ text: @autoclosure () -> String) {
    if collector == nil, level == .verbose { write(text()) }
  }

  /// As it is, without the line's end.
  static func writeRaw(_ text: String) {
    var text = text
    text.withUTF8 { _ = DescriptorWrite.all(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }

  /// Tells what may be wrong with input that is used all the same: once, however often it comes up.
  static func warn(_ text: String) {
    if let collector { return collector.add(text.printable(keepingLines: true)) }
    guard level != .quiet, warnings.withLock({ $0.insert(text).inserted }) else { return }
    write("Warning: \(text)")
  }

  private static func colored(_ text: String) -> String {
    guard Terminal.hasColor else { return text }
    for (word, color) in [("Error:", TextColor.red), ("Warning:", .yellow)] where text.hasPrefix(word) {
      return color.applied(to: word) + text.dropFirst(word.count)
    }
    return text
  }
}
