import UWBCapture
import UWBDSP

/// A capture's reader that holds calibration and antennas against what it reads.
struct CheckedReader: CaptureReader {
  private var reader: any CaptureReader
  private let path: String
  private let options: EngineOptions
  private var check: CalibrationCheck?
  private let tell: ([String]) throws -> Void

  /// - Parameter tell: takes what does not fit, as soon as it is known.
  init(_ path: String, _ options: EngineOptions, tell: @escaping ([String]) throws -> Void) throws {
    self.path = path
    self.options = options
    self.tell = tell
    reader = try options.input.open(path)
  }

  var header: CaptureHeader { reader.header }
  var skipped: SkippedInput { reader.skipped }
  var bytesRead: Int { reader.bytesRead }

  mutating func next() throws -> RangingExchange? {
    guard let exchange = try reader.next() else {
      check?.finish()
      try tellFound()
      check = nil
      return nil
    }
    if check == nil { check = try options.check(of: exchange, header: reader.header, file: path) }
    check?.see(exchange)
    try tellFound()
    return exchange
  }

  private mutating func tellFound() throws {
    if let found = check?.take(), !found.isEmpty { try tell(found) }
  }
}
