import Foundation
import UWBCapture
import UWBDSP

/// Messages for people, on standard error, apart from the data. What steers a terminal is written out. One that can't be written
/// there is lost, and nothing else is.
enum Message {
  private static let warnings = StateLock<Set<String>>([])

  static func write(_ text: String) { writeRaw("\(text.printable(keepingLines: true))\n") }

  /// As it is, without the line's end.
  static func writeRaw(_ text: String) {
    var text = text
    text.withUTF8 { _ = DescriptorWrite.all(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }

  /// Tells what may be wrong with input that is used all the same: once, however often it comes up.
  static func warn(_ text: String) {
    guard warnings.withLock({ $0.insert(text).inserted }) else { return }
    write("Warning: \(text)")
  }
}
