import CZlib

/// Writes an MCAP file as a stream: messages in chunks with an index each, and a summary at the end that tells where all is
/// (https://mcap.dev/spec). Chunks are not compressed.
///
/// Memory: a chunk, and some hundred bytes for each one written.
struct MCAPWriter {
  /// A topic and the JSON schema of its messages.
  struct Channel {
    var topic: String
    var schemaName: String
    var schema: [UInt8]
  }

  /// A chunk is full with so many bytes.
  static let chunkSize = 1 << 20

  private struct Chunk {
    var records: [UInt8] = []
    var times: ClosedRange<UInt64>?
    /// Of each channel's messages: when, and where in the chunk.
    var index: [[(UInt64, UInt64)]]
  }

  private let channels: [Channel]
  private let write: ([UInt8]) throws -> Void
  private var offset: UInt64 = 0
  private var checksum = Checksum()
  private var chunk: Chunk
  private var chunkIndexes: [UInt8] = []
  private var chunkCount: UInt32 = 0
  private var messageCounts: [UInt64]
  private var times: ClosedRange<UInt64>?

  /// - Parameter write: takes the file's bytes in order.
  init(channels: [Channel], write: @escaping ([UInt8]) throws -> Void) throws {
    self.channels = channels
    self.write = write
    messageCounts = channels.map { _ in 0 }
    chunk = Chunk(index: channels.map { _ in [] })
    try emit(MCAPRecord.magic)
    try emit(
      MCAPRecord(.header) { record in
        record.add("")
        record.add("uwb \(Version.number)")
      }.bytes)
    for record in schemaRecords + channelRecords { try emit(record) }
  }

  /// Appends a message of the `channel`-th channel.
  ///
  /// - Parameter time: ns
  mutating func append(_ channel: Int, time: UInt64, _ content: some Collection<UInt8>) throws {
    let record = MCAPRecord(.message) { record in
      record.add(UInt16(channel + 1))
      record.add(UInt32(truncatingIfNeeded: messageCounts[channel]))
      record.add(time)
      record.add(time)
      record.add(raw: content)
    }
    messageCounts[channel] += 1
    chunk.index[channel].append((time, UInt64(chunk.records.count)))
    chunk.times = Self.span(chunk.times, time)
    times = Self.span(times, time)
    chunk.records += record.bytes
    if chunk.records.count >= Self.chunkSize { try endChunk() }
  }

  /// From the first to the last message of the present chunk, ns.
  var chunkSpan: UInt64 { chunk.times.map { $0.upperBound - $0.lowerBound } ?? 0 }

  /// Writes out what has gathered.
  mutating func endChunk() throws {
    guard let span = chunk.times else { return }
    let start = offset
    let record = MCAPRecord(.chunk) { record in
      record.add(span.lowerBound)
      record.add(span.upperBound)
      record.add(UInt64(chunk.records.count))
      record.add(Checksum.of(chunk.records))
      record.add("")
      record.add(UInt64(chunk.records.count))
      record.add(raw: chunk.records)
    }
    try emit(record.bytes)
    let length = offset - start
    var places: [(UInt16, UInt64)] = []
    for (channel, entries) in chunk.index.enumerated() where !entries.isEmpty {
      places.append((UInt16(channel + 1), offset))
      try emit(
        MCAPRecord(.messageIndex) { record in
          record.add(UInt16(channel + 1))
          record.add(pairs: entries)
        }.bytes)
    }
    chunkIndexes +=
      MCAPRecord(.chunkIndex) { record in
        record.add(span.lowerBound)
        record.add(span.upperBound)
        record.add(start)
        record.add(length)
        record.add(pairs: places)
        record.add(offset - start - length)
        record.add("")
        record.add(UInt64(chunk.records.count))
        record.add(UInt64(chunk.records.count))
      }.bytes
    chunkCount += 1
    chunk.records.removeAll(keepingCapacity: true)
    chunk.times = nil
    for channel in chunk.index.indices { chunk.index[channel].removeAll(keepingCapacity: true) }
  }

  /// Writes the last chunk and the summary.
  mutating func finish() throws {
    try endChunk()
    let data = checksum.value
    try emit(MCAPRecord(.dataEnd) { $0.add(data) }.bytes)
    checksum = Checksum()
    let start = offset
    var groups: [(MCAPRecord.Opcode, UInt64, UInt64)] = []
    for (opcode, records) in [
      (MCAPRecord.Opcode.schema, schemaRecords), (.channel, channelRecords), (.statistics, [statistics]),
      (.chunkIndex, chunkCount > 0 ? [chunkIndexes] : []),
    ] where !records.isEmpty {
      let place = offset
      for record in records { try emit(record) }
      groups.append((opcode, place, offset - place))
    }
    let offsets = offset
    for (opcode, place, length) in groups {
      try emit(
        MCAPRecord(.summaryOffset) { record in
          record.add(opcode.rawValue)
          record.add(place)
          record.add(length)
        }.bytes)
    }
    // The checksum of the summary holds all of the footer that stands before it.
    var footer = MCAPRecord(.footer) { record in
      record.add(start)
      record.add(offsets)
      record.add(UInt32(0))
    }.bytes
    footer.removeLast(4)
    try emit(footer)
    let summary = checksum.value
    try emit(withUnsafeBytes(of: summary.littleEndian) { Array($0) } + MCAPRecord.magic)
  }

  private var schemaRecords: [[UInt8]] {
    channels.enumerated().map { number, channel in
      MCAPRecord(.schema) { record in
        record.add(UInt16(number + 1))
        record.add(channel.schemaName)
        record.add("jsonschema")
        record.add(UInt32(channel.schema.count))
        record.add(raw: channel.schema)
      }.bytes
    }
  }

  private var channelRecords: [[UInt8]] {
    channels.enumerated().map { number, channel in
      MCAPRecord(.channel) { record in
        record.add(UInt16(number + 1))
        record.add(UInt16(number + 1))
        record.add(channel.topic)
        record.add("json")
        record.add(UInt32(0))
      }.bytes
    }
  }

  private var statistics: [UInt8] {
    MCAPRecord(.statistics) { record in
      record.add(messageCounts.reduce(0, +))
      record.add(UInt16(channels.count))
      record.add(UInt32(channels.count))
      record.add(UInt32(0))
      record.add(UInt32(0))
      record.add(chunkCount)
      record.add(times?.lowerBound ?? 0)
      record.add(times?.upperBound ?? 0)
      record.add(pairs: messageCounts.enumerated().map { (UInt16($0 + 1), $1) })
    }.bytes
  }

  private mutating func emit(_ bytes: [UInt8]) throws {
    try write(bytes)
    checksum.add(bytes)
    offset += UInt64(bytes.count)
  }

  private static func span(_ span: ClosedRange<UInt64>?, _ time: UInt64) -> ClosedRange<UInt64> {
    guard let span else { return time...time }
    return min(span.lowerBound, time)...max(span.upperBound, time)
  }
}

/// The CRC-32 of zlib over bytes that come piece by piece.
struct Checksum {
  private(set) var value: UInt32 = 0

  mutating func add(_ bytes: [UInt8]) {
    value = bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return value }
      return UInt32(truncatingIfNeeded: crc32_z(uLong(value), start, buffer.count))
    }
  }

  static func of(_ bytes: [UInt8]) -> UInt32 {
    var checksum = Checksum()
    checksum.add(bytes)
    return checksum.value
  }
}
