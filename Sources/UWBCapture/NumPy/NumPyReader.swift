import Foundation
import UWBTypes

/// Reads CIRs from a NumPy array file, one after the other: complex64 (or complex128, rounded to single precision), or
/// pairs of 16-bit integers, with the axes CIRs × antennas × taps, antennas × taps (or CIRs × taps where the options
/// say so), or taps. An array knows nothing else: scale, tap spacing, radio and first path come from the options.
///
/// `skipped` counts: `truncatedData` (the file ends inside a CIR), `surplusBytes` (once, where it goes on after the last).
///
/// Memory is one CIR, whatever the array's size; a header that announces CIRs of more than 64 antennas or 2²⁰ samples is
/// refused.
public struct NumPyReader: CaptureReader {
  /// Most antennas, and most samples of a CIR over all of them, that a header may ask for.
  static let maximumAntennaCount = 64
  static let maximumSampleCount = 1 << 20

  public let header: CaptureHeader
  public private(set) var skipped = SkippedInput()
  /// CIRs that the array announces.
  public let count: Int

  private let source: ByteSource
  private let element: NumPyHeader.Element
  private let antennaCount: Int
  private let tapCount: Int
  private let options: CaptureOptions
  private var index = 0
  private var isAtEnd = false

  /// Reads the header.
  ///
  /// - Throws: `CaptureError` where it is none, or describes other data than CIRs.
  public init(_ source: ByteSource, options: CaptureOptions = CaptureOptions()) throws {
    self.source = source
    self.options = options
    let head = try Self.header(source)
    element = head.element
    let shape: (cirs: Int, antennas: Int, taps: Int)
    switch (head.shape.count, options.rows) {
    case (1, _): shape = (1, 1, head.shape[0])
    case (2, .antennas): shape = (1, head.shape[0], head.shape[1])
    case (2, .cirs): shape = (head.shape[0], 1, head.shape[1])
    case (3, _): shape = (head.shape[0], head.shape[1], head.shape[2])
    default:
      throw CaptureError(
        file: source.name, place: "shape", problem: "\(head.shape.count) axes of samples can't be CIRs",
        remedy: "Give it the axes CIRs × antennas × taps, or antennas × taps.")
    }
    guard (1...Self.maximumAntennaCount).contains(shape.antennas),
      (1...Self.maximumSampleCount / shape.antennas).contains(shape.taps)
    else {
      throw CaptureError(
        file: source.name, place: "shape", problem: "\(shape.antennas) antennas × \(shape.taps) taps are no CIR",
        remedy: head.shape.count == 2
          ? "If its rows are CIRs of one antenna, say so with --rows cirs."
          : "Antennas are 1 … 64, antennas × taps 1 … 1048576.")
    }
    (count, antennaCount, tapCount) = (shape.cirs, shape.antennas, shape.taps)
    var notes = ["CIRs alone: no clock and no timestamps, so no distance"]
    if head.shape.count == 2, options.rows == .antennas, antennaCount > 1 {
      notes.append("its \(antennaCount) rows are taken for the antennas of one CIR; if each is a CIR, give --rows cirs")
    }
    if element == .complex128 { notes.append("double precision was rounded to single precision") }
    if options.profile == nil { notes.append("the array does not name its radio: dw1000 is assumed (--profile)") }
    header = CaptureHeader(format: "npy", profile: options.profile ?? RadioName.dw1000, notes: notes)
  }

  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    for index in 0..<min(start.count, NumPyHeader.magic.count) where start[index] != NumPyHeader.magic[index] {
      return .no
    }
    return start.count < NumPyHeader.magic.count ? .undecided : .yes
  }

  public var bytesRead: Int { source.bytesConsumed }

  public mutating func next() throws -> RangingExchange? {
    guard !isAtEnd else { return nil }
    guard index < count else {
      isAtEnd = true
      if try !source.buffered.isEmpty || source.fill() { skipped.add("surplusBytes", at: "after CIR \(count)") }
      return nil
    }
    let sampleCount = antennaCount * tapCount
    let storage = TapStorage(byteCount: sampleCount * (element == .int16Pair ? 4 : 8))
    guard try fill(storage, sampleCount: sampleCount) else {
      isAtEnd = true
      skipped.add("truncatedData", at: "CIR \(index + 1) of \(count)")
      return nil
    }
    let record = CIRRecord(
      firstPathTaps: options.firstPathTaps,
      impulseResponse: ChannelImpulseResponse(
        storage: storage, format: element == .int16Pair ? .int16 : .float32, antennaCount: antennaCount,
        tapCount: tapCount, scale: options.scale ?? 1, tapSpacing: options.tapSpacing ?? UWB.tap))
    defer { index += 1 }
    return record.rangingExchange(index: index, time: 0)
  }

  // Whole samples at a time, as they come.
  private func fill(_ storage: TapStorage, sampleCount: Int) throws -> Bool {
    let length = element.byteCount
    return try storage.withMutableBytes { target in
      var done = 0
      while done < sampleCount {
        let ready = min(source.buffered.count / length, sampleCount - done)
        if ready == 0 {
          guard try source.fill() else { return false }
          continue
        }
        let bytes = source.buffered
        if element == .complex128 {
          for part in 0..<2 * ready {
            let value = Double(
              bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * part, as: UInt64.self)))
            target.storeBytes(
              of: Float(value).bitPattern.littleEndian, toByteOffset: 8 * done + 4 * part, as: UInt32.self)
          }
        } else {
          UnsafeMutableRawBufferPointer(rebasing: target[(done * length)...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<(ready * length)]))
        }
        source.consume(ready * length)
        done += ready
      }
      return true
    }
  }

  private static func header(_ source: ByteSource) throws -> NumPyHeader {
    func failure(_ problem: String, _ remedy: String = "Write it again with numpy.save.") -> CaptureError {
      CaptureError(file: source.name, place: "header", problem: problem, remedy: remedy)
    }
    func need(_ count: Int) throws {
      while source.buffered.count < count {
        guard try source.fill() else { throw failure("the file ends inside its header") }
      }
    }
    try need(10)
    guard source.buffered.prefix(6).elementsEqual(NumPyHeader.magic) else { throw failure("is not a NumPy array file") }
    let version = source.buffered[6]
    guard (1...3).contains(version) else { throw failure("its format version \(version) is not known") }
    try need(version == 1 ? 10 : 12)
    let start = version == 1 ? 10 : 12
    let length = source.buffered[8..<start].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard length <= NumPyHeader.maximumLength else { throw failure("its header of \(length) bytes is too long") }
    try need(start + length)
    let dictionary = String(decoding: source.buffered[start..<start + length], as: UTF8.self)
    do {
      let header = try NumPyHeader(dictionary: dictionary)
      source.consume(start + length)
      return header
    } catch let problem as NumPyHeader.Problem {
      throw failure(problem.text, problem.remedy)
    }
  }
}
