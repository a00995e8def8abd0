import Foundation
import UWBTypes

extension SigMFReader {
  /// Whether the start of a stream is a recording's metadata.
  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    var position = 0
    while position < start.count, [0x20, 0x09, 0x0A, 0x0D].contains(start[position]) { position += 1 }
    guard position < start.count else { return .undecided }
    guard start[position] == 0x7B else { return .no }
    return ByteText.end(of: "\"core:datatype\"", in: start) == nil ? .undecided : .yes
  }

  /// Why metadata alone can't be read: its samples are in a file of their own.
  static func notAStream(_ source: ByteSource) -> CaptureError {
    CaptureError(
      file: source.name, problem: "is the metadata of a SigMF recording alone",
      remedy: "Name the recording's files NAME.sigmf-meta and NAME.sigmf-data, and give their path.")
  }

  /// The `global` object, wherever in the file it stands.
  static func global(_ metadata: FilePart) throws -> SigMFGlobal {
    var stream = JSONStream(try ByteSource(metadata))
    guard try stream.peek() != nil else {
      throw CaptureError(
        file: metadata.path, problem: "is empty", remedy: "Check that the recording was started and its output kept.")
    }
    guard try seek("global", in: &stream), case .whole(let bytes) = try stream.take() else {
      throw CaptureError(
        file: metadata.path, place: "global", problem: "holds no object of that name",
        remedy: "Check that the file is the metadata of a SigMF recording, and whole.")
    }
    do {
      return try JSONDecoder().decode(SigMFGlobal.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw CaptureError(
        file: metadata.path, place: "global", problem: description(error),
        remedy: "Compare it with the SigMF specification and Documentation/reference/SigMF-uwb-extension.md.")
    }
  }

  /// Goes to the value of the top-level object's field `name`; `false` where there is none.
  static func seek(_ name: String, in stream: inout JSONStream) throws -> Bool {
    guard try stream.skip(0x7B) else { return false }
    while case .whole(let key) = try stream.take() {
      let isFound = key.elementsEqual("\"\(name)\"".utf8)
      guard try stream.skip(0x3A) else { return false }
      if isFound { return true }
      if case .cut = try stream.take() { return false }
      guard try stream.skip(0x2C) else { return false }
    }
    return false
  }

  /// The receiver's antennas, if a header says where they are and at which carrier they listen.
  static func array(
    positions: [[Double]]?, carrier: Double?, file: String, prefix: String
  ) throws -> AntennaLayout? {
    guard let positions, let carrier, !positions.isEmpty else { return nil }
    return try AntennaLayout(
      positions: positions, carrier: carrier, file: file, prefix: prefix, positionsField: "antenna_positions_m")
  }

  private static func description(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "lacks the field “\(key.stringValue)”"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      context.codingPath.last.map { "its field “\($0.stringValue)” can't be read" } ?? "is no JSON object"
    @unknown default: "can't be read"
    }
  }
}
