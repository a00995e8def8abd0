import Foundation
import UWBTypes

/// Writes a capture's CIRs as one NumPy array (`.npy`, format version 1), CIRs × antennas × taps, in the order poll,
/// response, final of each exchange: `numpy.load("x.npy")` opens it.
///
/// As complex64 the samples are stored ones times their scale; as `int16` (a last axis of 2) they are as stored, and the
/// scale is lost. Nothing but samples is kept: `lost` counts `exchangeFields` (exchanges whose timestamps and other
/// fields stay behind), `otherShape` (CIRs unlike the first: an array has one shape), `notIntegers`, `scale`, `profile`,
/// `antennaPositions`, `notes`, `tapSpacing`. The file is whole after every exchange but for its count, which `finish`
/// writes.
public final class NumPyWriter: CaptureWriter {
  private static let headerLength = 128

  public private(set) var lost = SkippedInput()
  private let file: OutputFile
  private let samples: CaptureWriterOptions.Samples
  private var shape: (antennas: Int, taps: Int)?
  private var count = 0
  private var buffer: [UInt8] = []
  private var hasHeader = false

  /// Begins the file. A live one is at its name at once.
  public init(
    path: String, header: CaptureHeader, samples: CaptureWriterOptions.Samples = .complex64, isLive: Bool = false
  ) throws {
    file = try OutputFile(path: path)
    self.samples = samples
    header.countAll(in: &lost)
    try writeHeader()
    if isLive { try file.publish() }
  }

  public func append(_ exchange: RangingExchange) throws {
    lost.add("exchangeFields")
    for message in exchange.messages {
      message.countStsSegments(in: &lost)
      guard let response = message.reception?.impulseResponse else { continue }
      if shape == nil {
        shape = (response.antennaCount, response.tapCount)
        try writeHeader()
      }
      guard shape?.antennas == response.antennaCount, shape?.taps == response.tapCount else {
        lost.add("otherShape")
        continue
      }
      if samples == .int16, response.format != .int16 {
        lost.add("notIntegers")
        continue
      }
      try write(response)
    }
  }

  public func finish() throws {
    try writeHeader()
    try file.commit()
  }

  private func write(_ response: ChannelImpulseResponse) throws {
    buffer.removeAll(keepingCapacity: true)
    if samples == .int16, response.scale != 1 { lost.add("scale") }
    if response.tapSpacing != UWB.tap { lost.add("tapSpacing") }
    for antenna in 0..<response.antennaCount {
      switch samples {
      case .complex64:
        let start = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: 8 * response.tapCount))
        for part in 0..<2 {
          response.forEachPart(part, antenna: antenna) { tap, value in
            withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes in
              for index in 0..<4 { buffer[start + 8 * tap + 4 * part + index] = bytes[index] }
            }
          }
        }
      case .int16:
        response.storage.withBytes { bytes in
          for tap in 0..<response.tapCount {
            let start = response.byteOffset(antenna: antenna, tap: tap)
            buffer.append(contentsOf: bytes[start..<start + 4])
          }
        }
      }
    }
    try buffer.withUnsafeBytes { try file.append($0) }
    count += 1
  }

  private func writeHeader() throws {
    let shape = shape ?? (1, 0)
    let type = samples == .complex64 ? "<c8" : "<i2"
    let pair = samples == .complex64 ? "" : ", 2"
    var text =
      "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(count), \(shape.antennas), \(shape.taps)\(pair)), }"
    text += String(repeating: " ", count: Self.headerLength - 10 - 1 - text.utf8.count) + "\n"
    var bytes = NumPyHeader.magic + [1, 0]
    bytes += [UInt8(text.utf8.count & 255), UInt8(text.utf8.count >> 8)] + Array(text.utf8)
    if hasHeader {
      try file.write(Data(bytes), at: 0)
    } else {
      try bytes.withUnsafeBytes { try file.append($0) }
      hasHeader = true
    }
  }
}
