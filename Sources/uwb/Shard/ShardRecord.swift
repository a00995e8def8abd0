import Foundation
import UWBCapture
import UWBDSP

/// One line of what `replay --shard` writes and `merge` reads, JSON: a capture begins, a measurement, a capture ends.
///
/// Measurements stand there in full precision, before anything that depends on other exchanges: tracking and sessions
/// are what `merge` does, so that the merged bytes are those of an undivided replay.
enum ShardRecord {
  case begin(Begin)
  case measurement(Measured)
  case end(End)

  struct Begin: Codable, Hashable {
    var capture: String
    var shard: Shard
    var format: String
    var profile: String
    /// What was told of the radio's pulse; absent where nothing was.
    var pulse: String?
    /// Version of the layout.
    var version = currentVersion

    static let currentVersion = 2
  }

  struct Measured: Codable {
    /// Where in the capture the exchange is, from 0 on: its index may have gaps before it, or repeat.
    var place: Int
    var exchange: Int
    var time: Double
    var peer: UInt64
    /// Absent where the capture does not name the local device.
    var local: UInt64?
    var chip: ChipReport?
    var truth: GroundTruth?
    var measurement: RangingMeasurement
  }

  struct End: Codable, Hashable {
    /// Of the whole capture, not of the shard alone.
    var exchanges: Int
    var skipped: [String: Int]
  }
}

extension ShardRecord: Codable {
  private enum CodingKeys: String, CodingKey {
    case begin, measured, end
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let measured = try container.decodeIfPresent(Measured.self, forKey: .measured) {
      self = .measurement(measured)
    } else if let begin = try container.decodeIfPresent(Begin.self, forKey: .begin) {
      self = .begin(begin)
    } else {
      self = .end(try container.decode(End.self, forKey: .end))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .begin(let begin): try container.encode(begin, forKey: .begin)
    case .measurement(let measured): try container.encode(measured, forKey: .measured)
    case .end(let end): try container.encode(end, forKey: .end)
    }
  }
}

extension ShardRecord.Measured {
  init(_ place: Int, _ exchange: RangingExchange, _ measurement: RangingMeasurement) {
    self.init(
      place: place, exchange: exchange.index, time: exchange.time, peer: exchange.peer.rawValue,
      local: exchange.local?.rawValue,
      chip: exchange.chipReport,
      truth: exchange.truth, measurement: measurement)
  }

  /// The exchange as far as events tell of it: nothing of it is measured again.
  var rangingExchange: RangingExchange {
    RangingExchange(
      index: exchange, time: time, peer: DeviceAddress(rawValue: peer), local: local.map(DeviceAddress.init),
      poll: RangingMessage(), chipReport: chip, truth: truth)
  }
}

/// Writes a shard's records.
struct ShardOutput {
  private let output: ByteOutput
  private let shard: Shard
  private var place: Int
  private let encoder = JSONEncoder()

  init(_ shard: Shard, _ output: ByteOutput) {
    self.output = output
    self.shard = shard
    place = shard.firstPlace
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = ShardFile.encodesNonFinite
  }

  mutating func begin(capture: String, header: CaptureHeader, pulse: String?) throws {
    place = shard.firstPlace
    try write(
      .begin(.init(capture: capture, shard: shard, format: header.format, profile: header.profile, pulse: pulse)))
  }

  /// Takes the shard's exchanges one by one.
  mutating func write(_ exchange: RangingExchange, _ measurement: RangingMeasurement) throws {
    try write(.measurement(.init(place, exchange, measurement)))
    place += shard.count
  }

  func end(exchanges: Int, skipped: SkippedInput) throws {
    try write(.end(.init(exchanges: exchanges, skipped: skipped.counts)))
  }

  func finish() throws { try output.flush() }

  private func write(_ record: ShardRecord) throws {
    let line = try encoder.encode(record)
    try output.write {
      $0.append(contentsOf: line)
      $0.append(0x0A)
    }
  }
}

/// Reads a shard's records.
struct ShardFile {
  static let encodesNonFinite = JSONEncoder.NonConformingFloatEncodingStrategy.convertToString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  private static let decodesNonFinite = JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")

  let path: String
  private var lines: TextLines
  private let decoder = JSONDecoder()

  init(path: String) throws {
    self.path = path
    lines = TextLines(try ByteSource(path: path))
    decoder.nonConformingFloatDecodingStrategy = Self.decodesNonFinite
  }

  /// The next record, or `nil` at the end.
  mutating func next() throws -> ShardRecord? {
    guard let line = try lines.next() else { return nil }
    guard let record = try? decoder.decode(ShardRecord.self, from: line) else { throw failure("is no line of a shard") }
    guard record.isInRange else { throw failure("holds a number that no replay writes") }
    return record
  }

  /// What is wrong with the record read last.
  func failure(_ problem: String) -> CaptureError {
    CaptureError(
      file: path, place: "line \(lines.lineNumber)", problem: problem,
      remedy: "Give merge the whole outputs of uwb replay --shard 1/n … n/n, of the same captures in the same order.")
  }
}
