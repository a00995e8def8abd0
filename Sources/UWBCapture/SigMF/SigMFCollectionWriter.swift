import Foundation
import UWBDSP

/// Writes a long capture as several recordings, `NAME-0000`, `NAME-0001`, …, and a collection of them,
/// `NAME.sigmf-collection`: a new recording begins when the samples of one reach a size, or when CIRs come in another
/// layout (a recording has one). Everything is whole after every exchange, as in a single recording.
public final class SigMFCollectionWriter: CaptureWriter {
  private let paths: SigMFPaths
  private let header: CaptureHeader
  private let maximumByteCount: Int
  private var writer: SigMFWriter?
  private var streams: [SigMFCollection.File.Stream] = []
  private var finishedLoss = SkippedInput()

  /// - Parameter maximumByteCount: samples of a recording, bytes, after which the next one begins.
  /// - Throws: `CaptureError` where the files can't be created.
  public init(path: String, header: CaptureHeader, maximumByteCount: Int) throws {
    precondition(maximumByteCount > 0, "recordings of \(maximumByteCount) bytes can't be written")
    paths = SigMFPaths(path)
    self.header = header
    self.maximumByteCount = maximumByteCount
    try writeCollection()
    writer = try next()
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
      try finishCurrent()
      writer = try next()
    }
    try writer?.append(exchange)
  }

  public func finish() throws {
    try finishCurrent()
  }

  private func next() throws -> SigMFWriter {
    try SigMFWriter(path: SigMFCollection.member(paths.base, streams.count), header: header)
  }

  private func finishCurrent() throws {
    guard let current = writer else { return }
    try current.finish()
    finishedLoss.merge(current.lost)
    writer = nil
    let name = SigMFCollection.member(paths.base, streams.count)
    // A collection names its streams' metadata by their hash.
    let hash = try SHA512.hexadecimal(of: FilePart(path: SigMFPaths(name).metadata))
    streams.append(.init(name: SigMFPaths.lastName(name), hash: hash))
    try writeCollection()
  }

  private func writeCollection() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    let file = SigMFCollection.File(
      collection: .init(
        version: "1.2.6", extensions: [.init(name: "uwb", version: SigMFWriter.extensionVersion, optional: true)],
        streams: streams))
    do {
      // Atomic: a collection that was cut would hide its recordings.
      try (try encoder.encode(file) + Data([0x0A])).write(to: URL(fileURLWithPath: paths.collection), options: .atomic)
    } catch {
      throw CaptureError(
        file: paths.collection, problem: "can't be written", remedy: "Check the folder and the free space on its disk.")
    }
  }
}

/// Writes an archive: a recording beside it, `NAME.partial`, which is packed and removed at the end. What is written
/// stays readable under that name if the program ends before.
public final class SigMFArchiveWriter: CaptureWriter {
  private let paths: SigMFPaths
  private let partial: SigMFPaths
  private let writer: SigMFWriter

  /// - Throws: `CaptureError` where the files can't be created.
  public init(path: String, header: CaptureHeader) throws {
    paths = SigMFPaths(path)
    partial = SigMFPaths(paths.base + ".partial")
    writer = try SigMFWriter(path: partial.base, header: header)
  }

  public var lost: SkippedInput { writer.lost }

  public func append(_ exchange: RangingExchange) throws { try writer.append(exchange) }

  public func finish() throws {
    try writer.finish()
    let name = SigMFPaths.lastName(paths.base)
    try SigMFArchive.pack(SigMFRecording(partial), as: name, to: paths.archive)
    unlink(partial.metadata)
    unlink(partial.data)
  }
}
