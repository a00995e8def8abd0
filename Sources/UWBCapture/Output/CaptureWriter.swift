import Foundation
import UWBTypes

/// Writes a capture, exchange by exchange, in constant memory.
public protocol CaptureWriter: AnyObject {
  /// Adds an exchange.
  ///
  /// - Throws: `CaptureError` where it can't be written.
  func append(_ exchange: RangingExchange) throws
  /// Completes the capture and puts it at its name: nothing may be appended after it.
  func finish() throws
  /// What the format can't hold of what was appended, counted by what it is.
  var lost: SkippedInput { get }
}

extension CaptureHeader {
  /// Counts what a header tells, for a format that has no place for any of it.
  func countAll(in lost: inout SkippedInput) {
    lost.add("profile")
    if array != nil { lost.add("antennaPositions") }
    if !notes.isEmpty { lost.add("notes", count: notes.count) }
  }
}

extension RangingMessage {
  /// Counts the CIRs of the STS for a format that holds those of preambles alone.
  func countStsSegments(in lost: inout SkippedInput) {
    if let count = reception?.stsImpulseResponses.count, count > 0 { lost.add("stsSegments", count: count) }
  }
}

/// A capture format that can be written.
public enum CaptureWriterFormat: String, Sendable, CaseIterable {
  /// A format that captures are written in.
  case sigmf, ndjson, csv, npy, mat

  /// The format that a path's ending names, `nil` for other endings. A name without ending is that of a SigMF recording's
  /// two files.
  public init?(path: String) {
    let name = SigMFPaths.lastName(path)
    // The dot that a hidden file's name begins with begins no ending.
    guard let dot = name.dropFirst().lastIndex(of: ".") else {
      self = .sigmf
      return
    }
    let ending = String(name[dot...])
    switch ending.lowercased() {
    case ".ndjson", ".jsonl": self = .ndjson
    case ".csv": self = .csv
    case ".npy": self = .npy
    case ".mat": self = .mat
    default:
      guard SigMFPaths.endings.contains(ending) else { return nil }
      self = .sigmf
    }
  }

  /// The format of what is to be written at `path`.
  ///
  /// - Throws: `CaptureError` that lists the endings there are.
  static func named(by path: String) throws -> CaptureWriterFormat {
    if path == "-" { return .sigmf }
    let isFolder = path.hasSuffix("/") || FileIdentity(path)?.kind == S_IFDIR
    if !isFolder, let format = CaptureWriterFormat(path: path) { return format }
    throw CaptureError(
      file: path, problem: isFolder ? "is a folder" : "its ending names no format",
      remedy: "Known endings: .sigmf-meta, .sigmf (an archive), .sigmf-collection, .ndjson, .jsonl, .csv, .npy, .mat; "
        + "a name without ending is a SigMF recording's. Or name the format with --to.")
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

  /// Format of the samples.
  public var samples: Samples
  /// For SigMF: samples of a recording, bytes, after which the next one of a collection begins; `nil` for one recording.
  public var maximumByteCount: Int?
  /// Whether the capture is at its name from the start, so that what was written outlives a sudden end; else it takes the
  /// place of what is there once it is complete. For recordings that can't be made again.
  public var isLive: Bool

  /// Creates one with the given values.
  public init(samples: Samples = .complex64, maximumByteCount: Int? = nil, isLive: Bool = false) {
    self.samples = samples
    self.maximumByteCount = maximumByteCount
    self.isLive = isLive
  }
}

/// A capture that is to be written: where, and as what.
public struct CaptureTarget: Sendable {
  private enum Kind {
    case recording, archive
    case collection(maximumByteCount: Int)
    case ndjson, csv, npy, mat
  }

  private let path: String
  private let kind: Kind
  private let options: CaptureWriterOptions

  /// - Parameters:
  ///   - path: `-` is standard output, for ndjson and CSV.
  ///   - format: `nil` to tell it by the path's ending.
  /// - Throws: `CaptureError` where the ending names no format, or the options go with another.
  public init(
    _ path: String, format: CaptureWriterFormat? = nil, options: CaptureWriterOptions = CaptureWriterOptions()
  ) throws {
    self.path = path
    self.options = options
    let format = try format ?? .named(by: path)
    if path == "-", [.sigmf, .npy, .mat].contains(format) {
      throw CaptureError(
        file: path, problem: "standard output can't hold \(format.rawValue)", remedy: "Choose --to ndjson or --to csv.")
    }
    let isArchive = path.hasSuffix(SigMFPaths.archiveEnding)
    guard options.maximumByteCount == nil || format == .sigmf && !isArchive else {
      throw CaptureError(
        file: path, problem: "only a SigMF collection can be split",
        remedy: "Choose a name that ends in .sigmf-collection.")
    }
    // What is there by that name would hide the recording, or be a pipe.
    if format == .sigmf, path == SigMFPaths(path).base, FileIdentity(path) != nil {
      throw CaptureError(
        file: path, problem: "is there, and no SigMF recording",
        remedy: "Name the recording \(path).sigmf-meta, or another format with --to.")
    }
    kind =
      switch format {
      case .sigmf where isArchive: .archive
      case .sigmf where options.maximumByteCount != nil || path.hasSuffix(SigMFPaths.collectionEnding):
        .collection(maximumByteCount: options.maximumByteCount ?? .max)
      case .sigmf: .recording
      case .ndjson: .ndjson
      case .csv: .csv
      case .npy: .npy
      case .mat: .mat
      }
  }

  /// All files that may be written, those of a collection's recordings as far as there are files of their names.
  public var files: [String] {
    let paths = SigMFPaths(path)
    switch kind {
    case .recording: return Array(Set([path, paths.metadata, paths.data]))
    case .collection: return Array(Set([path, paths.collection] + SigMFCollection.memberFiles(paths)))
    case .archive, .ndjson, .csv, .npy, .mat: return [path]
    }
  }

  /// Begins to write.
  ///
  /// - Throws: `CaptureError` where it can't be created.
  public func create(header: CaptureHeader) throws -> any CaptureWriter {
    switch kind {
    case .recording: try SigMFWriter(path: path, header: header, isLive: options.isLive)
    case .archive: try SigMFArchiveWriter(path: path, header: header)
    case .collection(let size):
      try SigMFCollectionWriter(path: path, header: header, maximumByteCount: size, isLive: options.isLive)
    case .ndjson: try NDJSONWriter(path: path, header: header, isLive: options.isLive)
    case .csv: try CSVWriter(path: path, header: header, isLive: options.isLive)
    case .npy: try NumPyWriter(path: path, header: header, samples: options.samples, isLive: options.isLive)
    case .mat: try MATLABWriter(path: path, header: header)
    }
  }
}

/// Creates the capture at `path`; `-` is standard output, for ndjson and CSV.
///
/// - Throws: `CaptureError` where it can't be created.
public func createCapture(
  _ path: String, header: CaptureHeader, format: CaptureWriterFormat? = nil,
  options: CaptureWriterOptions = CaptureWriterOptions()
) throws -> any CaptureWriter {
  try CaptureTarget(path, format: format, options: options).create(header: header)
}
