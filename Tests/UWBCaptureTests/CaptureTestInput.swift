import Foundation
import Testing
import UWBCapture

/// A file that lives as long as the test that made it.
final class TemporaryFile {
  let path: String

  init(_ content: [UInt8], name: String = "capture") throws {
    path = NSTemporaryDirectory() + "uwb-\(UUID().uuidString)-\(name)"
    try Data(content).write(to: URL(fileURLWithPath: path))
  }

  deinit {
    unlink(path)
  }
}

extension ByteSource {
  /// Hands over `content` in chunks of at most `chunk` bytes.
  convenience init(name: String = "test", content: [UInt8], chunk: Int = .max) {
    var position = 0
    self.init(name: name) { target in
      let count = min(target.count, chunk, content.count - position)
      target.copyBytes(from: content[position..<position + count])
      position += count
      return count
    }
  }

  convenience init(text: String, chunk: Int = .max) {
    self.init(content: Array(text.utf8), chunk: chunk)
  }
}

/// Expects that `read` refuses `input` with an error that shows each of `parts`.
func expectRefusal(
  of input: String, showing parts: [String], sourceLocation: SourceLocation = #_sourceLocation,
  by read: () throws -> Void
) {
  do {
    try read()
    Issue.record("accepted: \(input)", sourceLocation: sourceLocation)
  } catch let error as CaptureError {
    for part in parts {
      #expect(error.description.contains(part), "\(error)", sourceLocation: sourceLocation)
    }
  } catch {
    Issue.record("\(error)", sourceLocation: sourceLocation)
  }
}
