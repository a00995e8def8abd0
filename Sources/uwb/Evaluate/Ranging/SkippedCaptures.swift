import UWBCapture

/// Captures that hold nothing to be used, among others that do: told one by one, and counted.
struct SkippedCaptures {
  private var errors: [CaptureError] = []

  mutating func add(_ error: CaptureError) { errors.append(error) }

  /// What `body` makes of an opened capture; `nil` where that is nothing or the capture can't be read to its end, which is
  /// noted.
  ///
  /// - Throws: what `open` throws: a capture that isn't there, or is none, is a mistake in the command.
  mutating func using<Result>(
    _ capture: String, open: (String) throws -> any CaptureReader, _ body: (any CaptureReader) throws -> Result?
  ) throws -> Result? {
    let reader = try open(capture)
    do {
      if let result = try body(reader) { return result }
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
