import Foundation
import UWBTypes

/// Reads several recordings as one capture: an archive's, or those of a collection (`NAME.sigmf-collection`, whose
/// `core:streams` names them). Exchanges count on from recording to recording, where they don't say otherwise.
///
/// `skipped` is that of all recordings, `missingRecording`: one that is named and not there, `repeatedRecording`: one
/// that is named again, and read once, `changedRecording`: one whose metadata are not those that the collection was made of, and
/// `exchangeIndex`: one that would have to be counted beyond `CaptureLimits`.
struct SigMFCollection: CaptureReader, HashedCapture {
  let header: CaptureHeader
  private(set) var skipped = SkippedInput()

  private let recordings: [SigMFRecording]
  private var reader: SigMFReader
  private var number = 0
  private var bytesBefore = 0
  private var lastIndex = -1
  private var offset = 0

  /// - Throws: `CaptureError` where the first recording can't be read.
  init(_ recordings: [SigMFRecording], skipped: SkippedInput, file: String) throws {
    guard let first = recordings.first else {
      throw CaptureError(
        file: file, problem: "names no recording that is there",
        remedy: "Keep the recordings of a collection in its folder.")
    }
    self.recordings = recordings
    reader = try SigMFReader(first)
    header = reader.header
    self.skipped = skipped
    for recording in recordings where try recording.metadataFit() == false {
      self.skipped.add("changedRecording", at: recording.place)
    }
  }

  var bytesRead: Int { bytesBefore + reader.bytesRead }

  mutating func next() throws -> RangingExchange? {
    while true {
      if var exchange = try reader.next() {
        exchange.index += offset
        guard CaptureLimits.exchangeIndex.contains(exchange.index) else {
          skipped.add("exchangeIndex", at: recordings[number].place)
          continue
        }
        lastIndex = max(lastIndex, exchange.index)
        return exchange
      }
      guard number < recordings.count else { return nil }
      skipped.merge(reader.skipped)
      number += 1
      guard number < recordings.count else { return nil }
      bytesBefore += reader.bytesRead
      let next = try SigMFReader(recordings[number])
      reader = next
      // Recordings that were rolled over count on by themselves.
      var peek = next
      if let first = try peek.next(), first.index <= lastIndex { offset = lastIndex + 1 } else { offset = 0 }
      reader = try SigMFReader(recordings[number])
    }
  }

  func hashFits() throws -> Bool? {
    var known: Bool?
    for recording in recordings {
      for fits in [try recording.metadataFit(), try SigMFReader(recording).hashFits()] {
        if fits == false { return false }
        known = known ?? fits
      }
    }
    return known
  }

  /// The `collection` object.
  struct File: Codable {
    struct Stream: Codable, Equatable {
      var name: String
      var hash: String
    }

    struct Collection: Codable {
      var version: String
      var description: String?
      var extensions: [SigMFGlobal.Extension]?
      var streams: [Stream]

      enum CodingKeys: String, CodingKey {
        case version = "core:version"
        case description = "core:description"
        case extensions = "core:extensions"
        case streams = "core:streams"
      }
    }

    var collection: Collection
  }

  private static let maximumByteCount = 16 << 20

  /// The recordings of the collection at `path`, each once, and what was passed over: names that are not there or stand
  /// twice. What it doesn't name is not its own, whatever its name: it may be left of an older one.
  ///
  /// - Throws: `CaptureError` where it can't be read.
  static func recordings(_ path: String) throws -> (found: [SigMFRecording], skipped: SkippedInput) {
    let bytes = try ByteSource(path: path).contents(limit: maximumByteCount)
    guard let file = try? JSONDecoder().decode(File.self, from: bytes) else {
      throw CaptureError(
        file: path, place: "collection", problem: "is not a collection of recordings",
        remedy: "It has an object “collection” with core:streams.")
    }
    var skipped = SkippedInput()
    var known: Set<String> = []
    let files = FileManager.default
    let found = file.collection.streams.compactMap { stream -> SigMFRecording? in
      // A name may not lead out of the collection's folder.
      let name = SigMFPaths.lastName(stream.name)
      guard known.insert(name).inserted else {
        skipped.add("repeatedRecording", at: SigMFRecording.place(name))
        return nil
      }
      let paths = SigMFPaths(SigMFPaths.path(of: name, beside: path))
      let recording = SigMFRecording(paths, metadataHash: stream.hash.isEmpty ? nil : stream.hash)
      guard files.fileExists(atPath: recording.metadata.path), files.fileExists(atPath: recording.data.path) else {
        skipped.add("missingRecording", at: SigMFRecording.place(name))
        return nil
      }
      return recording
    }
    return (found, skipped)
  }

  /// The name of recording `number` of a capture that was rolled over.
  static func member(_ base: String, _ number: Int) -> String {
    let digits = String(number)
    return "\(base)-\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
  }

  /// The files in a collection's folder that bear names of its recordings.
  static func memberFiles(_ paths: SigMFPaths) -> [String] {
    let start = SigMFPaths.lastName(paths.base) + "-"
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: SigMFPaths.path(of: ".", beside: paths.base))) ?? []
    return names.filter { name in
      let base = SigMFPaths(name).base
      return base != name && base.hasPrefix(start) && base.dropFirst(start.count).allSatisfy(\.isNumber)
    }.map { SigMFPaths.path(of: $0, beside: paths.base) }
  }
}

/// Opens what a path with one of SigMF's endings names.
enum SigMFCapture {
  static func open(_ path: String) throws -> any CaptureReader {
    if path.hasSuffix(SigMFPaths.archiveEnding) {
      let archive = try SigMFArchive.recordings(path)
      return try SigMFCollection(archive.found, skipped: archive.skipped, file: path)
    }
    let paths = SigMFPaths(path)
    if try paths.isCollection(path) {
      let named = try SigMFCollection.recordings(paths.collection)
      return try SigMFCollection(named.found, skipped: named.skipped, file: paths.collection)
    }
    return try SigMFReader(path: path)
  }
}
