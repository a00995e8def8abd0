import Foundation
import UWBTypes

/// Reads SigMF recordings that carry the `uwb` extension: metadata segment by segment as a stream, samples in blocks
/// that its CIRs borrow: the taps of several antennas lie interleaved in them.
///
/// `skipped` counts: `damagedSegment` (no such object, or it speaks of nothing that exists), `segmentTooLong`,
/// `truncatedMetadata` (the file ends inside), `missingSamples` (the data file ends before), `unsupportedShape` (a CIR beyond
/// `CaptureLimits` or `EngineLimits`), `incompleteExchange` (a message or its fields are missing), `strayStsSegment` (a CIR of the
/// STS that follows no message of its name, or not the segment before it). An exchange without its
/// samples, or with ones of an unsupported shape, lacks this CIR.
public struct SigMFReader: CaptureReader {
  public let header: CaptureHeader
  public private(set) var skipped = SkippedInput()

  private let layout: SigMFLayout
  private let hash: String?
  private var metadata: JSONStream
  private var samples: SampleFile
  private var shapes = CaptureShapes()
  private var sampleBytes = 0
  private var ahead: SigMFSegment?
  private var messages: [(name: SigMFMessageName, message: RangingMessage)] = []
  private var isFirst = true
  private var isAtEnd = false

  /// Opens the recording that `path` names: either of its files, or both without ending.
  ///
  /// - Throws: `CaptureError` where a file can't be read, or is no recording of UWB exchanges.
  public init(path: String) throws {
    try self.init(SigMFRecording(SigMFPaths(path)))
  }

  init(_ recording: SigMFRecording) throws {
    let place = recording.metadata.path
    let global = try Self.global(recording.metadata)
    guard global.extensions?.contains(where: { $0.name == "uwb" }) == true else {
      throw CaptureError(
        file: place, place: "core:extensions", problem: "lists no `uwb` extension",
        remedy: "Only recordings of UWB exchanges can be replayed; see Documentation/reference/SigMF-uwb-extension.md.")
    }
    guard let layout = SigMFLayout(global) else {
      throw CaptureError(
        file: place, place: "core:datatype, core:num_channels",
        problem: "\(global.datatype) × \(global.channelCount ?? 1) can't be read",
        remedy: "Convert the samples to ci16_le or cf32_le, at most 64 channels.")
    }
    self.layout = layout
    hash = global.sha512
    header = CaptureHeader(
      format: "sigmf", profile: global.profile ?? RadioName.dw1000,
      array: try Self.array(positions: global.antennaPositions, carrier: global.carrier, file: place, prefix: "uwb:"),
      notes: global.notes ?? [],
      hasPhase: global.hasPhase ?? true)
    metadata = JSONStream(try ByteSource(recording.metadata))
    samples = try SampleFile(recording.data)
    guard try Self.seek("captures", in: &metadata), try metadata.skip(0x5B) else {
      throw CaptureError(
        file: place, place: "captures", problem: "holds no array of that name",
        remedy: "Check that the file is whole.")
    }
  }

  public var bytesRead: Int { metadata.source.bytesConsumed + sampleBytes }

  public mutating func next() throws -> RangingExchange? {
    while true {
      guard let first = try ahead ?? nextSegment() else { return nil }
      ahead = nil
      messages.removeAll(keepingCapacity: true)
      messages.append((first.name, first.fields.message.message(try impulseResponse(first))))
      while let segment = try nextSegment() {
        guard segment.index == first.index, segment.exchange == nil else {
          ahead = segment
          break
        }
        if segment.fields.stsSegment != nil {
          try addSTS(segment)
          continue
        }
        // More than an exchange can have are counted, not kept.
        guard messages.count < Self.maximumMessages else { continue }
        messages.append((segment.name, segment.fields.message.message(try impulseResponse(segment))))
      }
      guard let exchange = first.exchange else {
        pass("incompleteExchange", first)
        continue
      }
      messages += exchange.otherMessages ?? []
      guard messages.count == exchange.messageCount, areMessagesDifferent,
        let result = exchange.exchange(index: first.index, messages: messages)
      else {
        pass("incompleteExchange", first)
        continue
      }
      return result
    }
  }

  private static let maximumMessages = 8

  /// Adds the CIR of a segment of the STS to the message that stands before it.
  private mutating func addSTS(_ segment: SigMFSegment) throws {
    let response = try impulseResponse(segment)
    guard let last = messages.indices.last, messages[last].name == segment.name,
      let count = messages[last].message.reception?.stsImpulseResponses.count, segment.fields.stsSegment == count + 1
    else { return pass("strayStsSegment", segment) }
    guard let response else { return }
    messages[last].message.reception?.stsImpulseResponses.append(response)
  }

  /// Counts what is passed over: a segment's samples or exchange, or the annotation that was just read.
  private mutating func pass(_ reason: String, _ segment: SigMFSegment? = nil) {
    let source = metadata.source
    skipped.add(
      reason,
      at: segment.map { "exchange \($0.index), message \($0.name)" }
        ?? "annotation that ends at byte \(source.bytesConsumed)")
  }

  private var areMessagesDifferent: Bool {
    for one in messages.indices {
      for other in messages[..<one] where other.name == messages[one].name { return false }
    }
    return true
  }

  private mutating func nextSegment() throws -> SigMFSegment? {
    while !isAtEnd {
      if try metadata.skip(0x5D) {
        isAtEnd = true
        break
      }
      if !isFirst, try !metadata.skip(0x2C) {
        isAtEnd = true
        pass("truncatedMetadata")
        break
      }
      isFirst = false
      switch try metadata.take() {
      case .cut:
        isAtEnd = true
        pass("truncatedMetadata")
      case .tooLong:
        pass("segmentTooLong")
      case .whole(let bytes):
        if let segment = SigMFSegment(json: bytes) { return segment }
        pass("damagedSegment")
      }
    }
    return nil
  }

  private mutating func impulseResponse(_ segment: SigMFSegment) throws -> ChannelImpulseResponse? {
    guard segment.tapCount > 0 else { return nil }
    let spacing = segment.fields.tapSpacing ?? UWB.tap
    guard shapes.admit(antennaCount: layout.antennaCount, tapCount: segment.tapCount, tapSpacing: spacing) else {
      pass("unsupportedShape", segment)
      return nil
    }
    let length = layout.tapByteCount
    let (start, isFar) = segment.sampleStart.multipliedReportingOverflow(by: length)
    guard !isFar, start <= samples.byteCount,
      let (storage, offset) = try samples.bytes(start..<start + segment.tapCount * length)
    else {
      pass("missingSamples", segment)
      return nil
    }
    sampleBytes += segment.tapCount * length
    let scale = segment.fields.scale ?? 1
    // SigMF interleaves channels: antennas one sample apart, taps as many samples as there are antennas.
    return ChannelImpulseResponse(
      storage: storage, byteOffset: offset, format: layout.format, antennaCount: layout.antennaCount,
      tapCount: segment.tapCount, antennaStride: layout.antennaCount > 1 ? 1 : segment.tapCount,
      tapStride: layout.antennaCount, scale: scale, tapSpacing: spacing)
  }
}

extension SigMFReader: HashedCapture {
  public func hashFits() throws -> Bool? {
    guard let hash else { return nil }
    return try SHA512.hexadecimal(of: samples.file) == hash.lowercased()
  }
}
