import Foundation
import UWBTypes

/// Writes a long capture as several recordings, `NAME-0000`, `NAME-0001`, …, and a collection of them,
/// `NAME.sigmf-collection`: a new recording begins when the samples of one reach a size, or when CIRs come in another
/// layout (a recording has one). A live one is whole after every exchange, as a single recording is; else all files take
/// their places together, once they are complete.
///
/// Recordings of an older collection of that name that this one doesn't list stay, and are no part of it.
public final class SigMFCollectionWriter: CaptureWriter {
  private let paths: SigMFPaths
  private let header: CaptureHeader
  private let maximumByteCount: Int
  private let isLive: Bool
  private var writer: SigMFWriter?
  private var streams: [SigMFCollection.File.Stream] = []
  /// Complete, and not at their names yet.
  private var waiting: [OutputFile] = []
  private var finishedLoss = SkippedInput()

  /// - Parameter maximumByteCount: samples of a recording, bytes, after which the next one begins.
  /// - Throws: `CaptureError` where the files can't be created.
  public init(path: String, header: CaptureHeader, maximumByteCount: Int, isLive: Bool = false) throws {
    precondition(maximumByteCount > 0, "recordings of \(maximumByteCount) bytes can't be written")
    paths = SigMFPaths(path)
    self.header = header
    self.maximumByteCount = maximumByteCount
    self.isLive = isLive
    try begin()
  }

  public var lost: SkippedInput {
    var sum = finishedLoss
    if let writer { sum.merge(writer.lost) }
    return sum
  }

  public func append(_ exchange: RangingExchange) throws {
    // No recording begins with an exchange that has no CIR: without samples the Python package `sigmf` would not open it.
    if let current = writer, !current.isEmpty, !exchange.receptionsWithImpulseResponse.isEmpty,
      current.sampleByteCount >= maximumByteCount || !current.fits(exchange)
    {
      try closeCurrent()
      if isLive { try collection().commit() }
      try begin()
    }
    try writer?.append(exchange)
  }

  public func finish() throws {
    guard writer != nil else { return }
    try closeCurrent()
    try OutputFile.commit(waiting + [collection()])
    waiting = []
  }

  /// Begins a recording. A live collection lists it at once, without a hash: what it doesn't list is not its own.
  private func begin() throws {
    let base = SigMFCollection.member(paths.base, streams.count)
    writer = try SigMFWriter(path: base, header: header, isLive: isLive)
    streams.append(.init(name: SigMFPaths.lastName(base), hash: ""))
    if isLive { try collection().commit() }
  }

  private func closeCurrent() throws {
    guard let current = writer else { return }
    try current.close()
    if !isLive { waiting += current.files }
    finishedLoss.merge(current.lost)
    writer = nil
    // A collection names its streams' metadata by their hash.
    streams[streams.count - 1].hash = try SHA512.hexadecimal(of: current.recording.metadata)
  }

  /// The collection's file as far as it is known, not at its name yet.
  private func collection() throws -> OutputFile {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    let contents = SigMFCollection.File(
      collection: .init(
        version: "1.2.6", extensions: [.init(name: "uwb", version: SigMFWriter.extensionVersion, optional: true)],
        streams: streams))
    let file = try OutputFile(path: paths.collection)
    try file.append(try encoder.encode(contents) + Data([0x0A]))
    return file
  }
}

/// Writes an archive: a recording in temporary files beside it, which is packed and removed at the end.
public final class SigMFArchiveWriter: CaptureWriter {
  private let paths: SigMFPaths
  private let name: String
  private var writer: SigMFWriter?
  public private(set) var lost = SkippedInput()

  /// - Throws: `CaptureError` where the files can't be created.
  public init(path: String, header: CaptureHeader) throws {
    paths = SigMFPaths(path)
    name = SigMFPaths.lastName(paths.base)
    try SigMFArchive.check(name: name, path: paths.archive)
    writer = try SigMFWriter(path: paths.base, header: header, isLive: false)
  }

  public func append(_ exchange: RangingExchange) throws { try writer?.append(exchange) }

  public func finish() throws {
    guard let writer else { return }
    try writer.close()
    try SigMFArchive.pack(writer.recording, as: name, to: paths.archive)
    lost = writer.lost
    self.writer = nil
  }
}
