import Foundation

/// Text that is written from its start to its end: a file, or standard output.
final class TextOutput {
  private static let usualSize = 256 * 1024
  private let file: OutputFile
  /// What is to be written next.
  var bytes: [UInt8] = []

  /// Begins the file; `-` is standard output. A live one is at its name at once.
  init(path: String, isLive: Bool) throws {
    file = try OutputFile(path: path)
    if isLive { try file.publish() }
    bytes.reserveCapacity(Self.usualSize)
  }

  func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// The shortest decimals that read back as the same number.
  func append(_ value: Double) {
    let text = value.description
    bytes.append(contentsOf: text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8)
  }

  func append(_ value: Float) {
    let text = value.description
    bytes.append(contentsOf: text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8)
  }

  func append(_ value: Int) {
    if value >= 0, value < 10 {
      bytes.append(UInt8(ascii: "0") + UInt8(value))
      return
    }
    let start = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes[start...].reverse()
  }

  /// Writes out what there is. To be called after each record: somebody may be waiting behind a pipe, and what a program that
  /// is killed had recorded is in the file.
  func flush() throws {
    try bytes.withUnsafeBytes { try file.append($0) }
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes the rest and completes the file.
  func close() throws {
    try flush()
    try file.commit()
  }
}
