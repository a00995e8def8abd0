import Foundation
import UWBTypes

/// Writes exchanges as a SigMF recording, exchange by exchange: one capture segment for each CIR, antennas as
/// interleaved channels, everything else in `uwb:` fields (`Documentation/reference/SigMF-uwb-extension.md`).
///
/// Both files are whole after every `append`: what is written live stays readable if the program ends before `finish`, which
/// adds the data's hash. Memory is constant.
public final class SigMFWriter: CaptureWriter {
  private let paths: SigMFPaths
  private let data: OutputFile
  private let metadata: OutputFile
  private let encoder = JSONEncoder()
  private var global: SigMFGlobal
  private var layout: SigMFLayout?
  private let headLength: Int
  private var metadataEnd: Int
  private var sampleCount = 0
  private var hash = SHA512()
  private var isFinished = false
  public private(set) var lost = SkippedInput()

  private static let tail = "\n],\n\"annotations\":[]}\n"

  /// Begins the two files. `path` may name either file, or both without ending.
  ///
  /// - Parameter isLive: whether they are at their names at once, or take the places of what is there when they are finished.
  /// - Throws: `CaptureError` where they can't be created.
  public init(path: String, header: CaptureHeader, isLive: Bool = true) throws {
    paths = SigMFPaths(path)
    data = try OutputFile(path: paths.data)
    metadata = try OutputFile(path: paths.metadata)
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    global = SigMFGlobal(
      datatype: SigMFLayout.single.datatype, sampleRate: 2 * UWB.chipRate, version: "1.2.6", recorder: "UWBDSP",
      extensions: [.init(name: "uwb", version: Self.extensionVersion, optional: true)], profile: header.profile,
      antennaPositions: header.array?.positions.map { [$0.x, $0.y, $0.z] }, carrier: header.array?.carrier,
      notes: header.notes, hasPhase: header.hasPhase ? nil : false)
    // Room for the longest head there can be: it is written again when the layout and when the hash is known.
    var longest = global
    longest.channelCount = .max
    longest.sha512 = String(repeating: "0", count: 128)
    headLength = try encoder.encode(longest).count
    metadataEnd = 0
    try writeHead()
    try metadata.write(Data(Self.tail.utf8), at: metadataEnd)
    if isLive { try publish() }
  }

  static let extensionVersion = "0.4.0"

  /// Bytes of the samples so far.
  var sampleByteCount: Int { sampleCount * (layout ?? .single).tapByteCount }
  /// Whether nothing was appended yet.
  var isEmpty: Bool { metadataEnd <= headEnd }

  /// Whether the exchange's CIRs have the layout of those before.
  func fits(_ exchange: RangingExchange) -> Bool {
    let receptions = exchange.messages.map(\.reception)
    let layouts = Set(receptions.flatMap { ($0?.storedResponses ?? []).map(SigMFLayout.init) })
    guard layouts.count <= 1, let found = layouts.first else { return true }
    return layout == nil || layout == found
  }

  /// Adds an exchange to the end of both files.
  ///
  /// - Throws: `CaptureError` where a CIR's antennas or number format differ from those before (a recording has one
  ///   layout), or where a file can't be written.
  public func append(_ exchange: RangingExchange) throws {
    precondition(!isFinished, "\(paths.base): a recording that is finished takes no more exchanges")
    let messages = exchange.namedMessages
    let newLayout = try checkedLayout(exchange.index, messages)
    var segments: [SigMFObject] = []
    var others: [SigMFObject] = []
    var start = sampleCount
    for (name, message) in messages {
      guard let reception = message.reception, reception.impulseResponse != nil else {
        others.append(Self.object(name, message))
        if message.reception?.stsImpulseResponses.isEmpty == false { lost.add("stsWithoutPreamble") }
        continue
      }
      for (number, response) in reception.storedResponses.enumerated() {
        let segment = Self.object(name, number == 0 ? message : RangingMessage())
        place(segment, exchange.index, start: start, tapCount: response.tapCount)
        segment.add("uwb:scale", json: response.scale.jsonText)
        if response.tapSpacing != UWB.tap { segment.number("tap_spacing_s", response.tapSpacing) }
        if number > 0 { segment.number("sts_segment", number) }
        segments.append(segment)
        start += response.tapCount
      }
    }
    // An exchange without any CIR takes a segment without samples, so that it is not lost.
    if segments.isEmpty {
      segments.append(others.removeFirst())
      place(segments[0], exchange.index, start: start, tapCount: 0)
    }
    segments[0].number("message_count", messages.count)
    segments[0].number("time_s", exchange.time.finite ?? 0)
    if !others.isEmpty {
      segments[0].add("uwb:other_messages", json: "[" + others.map(\.json).joined(separator: ",") + "]")
    }
    segments[0].writeParties(of: exchange)
    segments[0].writeResults(of: exchange)

    // Samples first: metadata never speaks of samples that are not there.
    for (_, message) in messages {
      for response in message.reception?.storedResponses ?? [] { try write(response) }
    }
    if newLayout != layout {
      layout = newLayout
      try writeHead()
    }
    try write(segments)
    sampleCount = start
  }

  private static func object(_ name: SigMFMessageName, _ message: RangingMessage) -> SigMFObject {
    let object = SigMFObject()
    object.string("message", name.rawValue)
    object.write(message)
    return object
  }

  private func place(_ segment: SigMFObject, _ index: Int, start: Int, tapCount: Int) {
    segment.add("core:sample_start", json: start.description)
    if let carrier = global.carrier { segment.add("core:frequency", json: carrier.jsonText) }
    segment.number("exchange", index)
    segment.number("tap_count", tapCount)
  }

  /// Adds the hash of the samples, closes both files and puts them at their names.
  public func finish() throws {
    try close()
    try publish()
  }

  /// Adds the hash of the samples and closes both files where they lie.
  func close() throws {
    guard !isFinished else { return }
    isFinished = true
    global.sha512 = hash.hexadecimal()
    try writeHead()
    try data.close()
    try metadata.close()
  }

  /// The files, samples first: metadata never speaks of samples that are not there.
  var files: [OutputFile] { [data, metadata] }
  /// Where they lie now.
  var recording: SigMFRecording {
    SigMFRecording(
      name: paths.base, metadata: FilePart(path: metadata.writtenPath), data: FilePart(path: data.writtenPath))
  }

  private func publish() throws { try OutputFile.publish(files) }

  private func checkedLayout(
    _ index: Int, _ messages: [(name: SigMFMessageName, message: RangingMessage)]
  ) throws -> SigMFLayout? {
    var known = layout
    for (name, message) in messages {
      for response in message.reception?.storedResponses ?? [] {
        guard response.scale.isFinite, response.tapSpacing.isFinite else {
          throw CaptureError(
            file: paths.base, place: "exchange \(index), \(name.rawValue)",
            problem: "its CIR's scale is \(response.scale), its tap spacing \(response.tapSpacing) s",
            remedy: "Give finite numbers for both.")
        }
        let found = SigMFLayout(response)
        if let known, known != found {
          throw CaptureError(
            file: paths.base, place: "exchange \(index), \(name.rawValue)",
            problem: "its CIR has \(found.description), those before \(known.description)",
            remedy: "Write a collection, which begins another recording where the layout changes (uwb convert --split)."
          )
        }
        known = found
      }
    }
    return known
  }

  private func write(_ response: ChannelImpulseResponse) throws {
    let sampleLength = response.format.byteCount
    try response.storage.withBytes { bytes in
      if response.antennaCount == 1, response.tapStride == 1 {
        let length = response.tapCount * sampleLength
        let samples = UnsafeRawBufferPointer(rebasing: bytes[response.byteOffset..<response.byteOffset + length])
        hash.update(samples)
        try data.append(samples)
        return
      }
      var interleaved: [UInt8] = []
      interleaved.reserveCapacity(response.tapCount * response.antennaCount * sampleLength)
      for tap in 0..<response.tapCount {
        for antenna in 0..<response.antennaCount {
          let start = response.byteOffset(antenna: antenna, tap: tap)
          interleaved.append(contentsOf: bytes[start..<start + sampleLength])
        }
      }
      try interleaved.withUnsafeBytes {
        hash.update($0)
        try data.append($0)
      }
    }
  }

  private func write(_ segments: [SigMFObject]) throws {
    var text = Data()
    for segment in segments {
      if metadataEnd > headEnd || !text.isEmpty { text.append(contentsOf: Array(",\n".utf8)) }
      text.append(contentsOf: segment.json.utf8)
    }
    let length = text.count
    text.append(contentsOf: Array(Self.tail.utf8))
    try metadata.write(text, at: metadataEnd)
    metadataEnd += length
  }

  private static let headStart = "{\"global\":"
  private static let headTail = ",\n\"captures\":[\n"
  private var headEnd: Int { Self.headStart.utf8.count + headLength + Self.headTail.utf8.count }

  private func writeHead() throws {
    global.datatype = (layout ?? .single).datatype
    global.channelCount = (layout ?? .single).antennaCount
    var text = Data(Self.headStart.utf8)
    let object = try encoder.encode(global)
    text.append(object)
    text.append(contentsOf: [UInt8](repeating: 0x20, count: headLength - object.count))
    text.append(contentsOf: Array(Self.headTail.utf8))
    try metadata.write(text, at: 0)
    metadataEnd = max(metadataEnd, text.count)
  }
}

extension Reception {
  /// The CIRs that take samples: the preamble's, then the segments' of the STS as far as they are numbered.
  fileprivate var storedResponses: [ChannelImpulseResponse] {
    impulseResponse.map { [$0] + stsImpulseResponses.prefix(CaptureLimits.stsSegment.count) } ?? []
  }
}

/// How the samples of a recording lie: one number format, one number of antennas.
struct SigMFLayout: Hashable, CustomStringConvertible {
  var format: ChannelImpulseResponse.SampleFormat
  var antennaCount: Int

  static let single = SigMFLayout(format: .int16, antennaCount: 1)

  init(format: ChannelImpulseResponse.SampleFormat, antennaCount: Int) {
    self.format = format
    self.antennaCount = antennaCount
  }

  init(_ response: ChannelImpulseResponse) {
    self.init(format: response.format, antennaCount: response.antennaCount)
  }

  /// The layout that a recording's `global` object states; `nil` for sample types that hold no CIRs of ours.
  init?(_ global: SigMFGlobal) {
    switch global.datatype {
    case "ci16_le": format = .int16
    case "cf32_le": format = .float32
    default: return nil
    }
    antennaCount = global.channelCount ?? 1
    guard (1...64).contains(antennaCount) else { return nil }
  }

  var datatype: String {
    switch format {
    case .int16: "ci16_le"
    case .float32: "cf32_le"
    }
  }

  /// Bytes of one tap over all antennas.
  var tapByteCount: Int { format.byteCount * antennaCount }

  var description: String { "\(antennaCount) antenna\(antennaCount == 1 ? "" : "s") of \(datatype)" }
}
