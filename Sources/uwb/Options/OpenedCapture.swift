import UWBCapture
import UWBDSP

/// A capture on its way through a verb: one of which nothing can be read is an error, not an empty result.
struct OpenedCapture: CaptureReader {
  var reader: any CaptureReader
  private let path: String
  private var count = 0
  /// What is said of the capture beside it: its radio, and that it is said.
  var profile: String?
  var notes: [String] = []

  init(_ reader: any CaptureReader, path: String) {
    self.reader = reader
    self.path = path
  }

  var header: CaptureHeader {
    var header = reader.header
    header.profile = profile ?? header.profile
    header.notes += notes
    return header
  }

  /// For tables: what their columns were taken for.
  var columnUse: TableUse? {
    let inner = (reader as? TrajectoryReader)?.reader ?? reader
    let table = (inner as? PreparedCapture)?.reader ?? inner
    return (table as? any TableCapture)?.columnUse
  }

  var skipped: SkippedInput { reader.skipped }
  var bytesRead: Int { reader.bytesRead }

  /// - Throws: `CaptureError` at the end of a capture that held no exchange, with the first reason and its place.
  mutating func next() throws -> RangingExchange? {
    // An exchange is large: it is handed on as it comes, not taken out of its optional.
    let exchange = try reader.next()
    if exchange != nil { count += 1 }
    guard count > 0 else { throw nothingRead }
    return exchange
  }

  /// Why there is no exchange.
  var nothingRead: CaptureError {
    let skipped = reader.skipped
    guard let first = skipped.firstReason else {
      return CaptureError(
        file: path, problem: "it holds no exchange",
        remedy: "Check that the recording was not ended before its first one.")
    }
    return CaptureError(
      file: path, place: skipped.firstPlaces[first],
      problem: "nothing of it could be read as \(reader.header.format); passed over: \(skipped.counts.list())",
      remedy:
        "Mend that place, or name the format with --format; Documentation/reference/Captures.md shows what each holds.")
  }
}
