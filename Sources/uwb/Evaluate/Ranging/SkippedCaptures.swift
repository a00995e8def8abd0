import UWBCapture

/// Captures that hold nothing to be used, among others that do: told one by one, and counted.
struct SkippedCaptures {
  private var errors: [CaptureError] = []

  mutating func add(_ error: CaptureError) { errors.append(error) }

  /// What `body` makes of a capture; `nil` where that is nothing or the capture can't be read, which is noted.
  mutating func using<Result>(_ capture: String, _ body: () throws -> Result?) throws -> Result? {
    do {
      if let result = try body() { return result }
      add(.withoutTruth(capture))
    } catch let error as CaptureError where error.file == capture {
      add(error)
    }
    return nil
  }

  /// - Throws: the first of them where none of `count` captures is left.
  func tell(of count: Int) throws {
    guard let first = errors.first else { return }
    if errors.count == count { throw first }
    for error in errors { Message.warn("skipped: \(error)") }
    Message.warn("\(errors.count) of \(count) captures were skipped.")
  }
}

extension CaptureError {
  static func withoutTruth(_ capture: String) -> CaptureError {
    CaptureError(
      file: capture, problem: "no exchange has both a distance and a true one",
      remedy: "Give --truth FILE.csv with a line for it, or a capture that holds its own truth.")
  }
}
