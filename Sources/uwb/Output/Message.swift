import Foundation
import UWBCapture
import UWBDSP

/// Messages for people, on standard error, apart from the data. What steers a terminal is written out. One that can't be written
/// there is lost, and nothing else is.
enum Message {
  /// Takes messages of this thread, where a library's host decides what becomes of them.
  @TaskLocal static var collector: MessageCollector?
  private static let warnings = StateLock<Set<String>>([])

  static func write(_ text: String) {
    let text = text.printable(keepingLines: true)
    if let collector { collector.add(text) } else { writeRaw("\(text)\n") }
  }

  /// As it is, without the line's end.
  static func writeRaw(_ text: String) {
    var text = text
    text.withUTF8 { _ = DescriptorWrite.all(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }

  /// Tells what may be wrong with input that is used all the same: once, however often it comes up.
  static func warn(_ text: String) {
    if let collector { return collector.add(text.printable(keepingLines: true)) }
    guard warnings.withLock({ $0.insert(text).inserted }) else { return }
    write("Warning: \(text)")
  }
}
