import UWBDSP

/// Writes a capture, exchange by exchange, in constant memory.
public protocol CaptureWriter: AnyObject {
  /// Adds an exchange.
  ///
  /// - Throws: `CaptureError` where it can't be written.
  func append(_ exchange: RangingExchange) throws
  /// Completes the capture: nothing may be appended after it.
  func finish() throws
  /// What the format can't hold of what was appended, counted by what it is.
  var lost: SkippedInput { get }
}

/// A capture format that can be written.
public enum CaptureWriterFormat: String, Sendable, CaseIterable {
  case sigmf, ndjson, csv, npy

  /// The format that a file's ending names; SigMF for a name without one of ours.
  public init(path: String) {
    let ending = path.split(separator: "/").last?.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
      .last
    switch ending.map({ $0.lowercased() }) {
    case "ndjson", "jsonl": self = .ndjson
    case "csv": self = .csv
    case "npy": self = .npy
    default: self = .sigmf
    }
  }
}

/// How a capture is written.
public struct CaptureWriterOptions: Sendable, Hashable {
  /// Elements of NumPy arrays.
  public enum Samples: String, Sendable, Hashable, CaseIterable {
    /// `<c8`: stored samples times their scale.
    case complex64
    /// `<i2` with a last axis of real and imaginary part: stored samples as they are.
    case int16
  }

  public var samples: Samples
  /// For SigMF: samples of a recording, bytes, after which the next one of a collection begins; `nil` for one recording.
  public var maximumByteCount: Int?

  public init(samples: Samples = .complex64, maximumByteCount: Int? = nil) {
    self.samples = samples
    self.maximumByteCount = maximumByteCount
  }
}

/// Creates the capture at `path`; `-` is standard output, for ndjson and CSV.
///
/// - Throws: `CaptureError` where it can't be created.
public func createCapture(
  _ path: String, header: CaptureHeader, format: CaptureWriterFormat? = nil,
  options: CaptureWriterOptions = CaptureWriterOptions()
) throws -> any CaptureWriter {
  let format = format ?? CaptureWriterFormat(path: path)
  if path == "-", format == .sigmf || format == .npy {
    throw CaptureError(
      file: path, problem: "standard output can't hold \(format.rawValue)", remedy: "Choose --to ndjson or --to csv.")
  }
  switch format {
  case .sigmf:
    if let size = options.maximumByteCount {
      return try SigMFCollectionWriter(path: path, header: header, maximumByteCount: size)
    }
    if path.hasSuffix(SigMFPaths.archiveEnding) { return try SigMFArchiveWriter(path: path, header: header) }
    return try SigMFWriter(path: path, header: header)
  case .ndjson: return try NDJSONWriter(path: path, header: header)
  case .csv: return try CSVWriter(path: path, header: header)
  case .npy: return try NumPyWriter(path: path, header: header, samples: options.samples)
  }
}
