import Foundation
import UWBTypes

/// Writes a capture's CIRs as a MATLAB file (`.mat`, version 5: "MAT-File Format", The MathWorks), which `load` of MATLAB and Octave and
/// `scipy.io.loadmat` open.
///
/// | variable | size | |
/// |---|---|---|
/// | `cirs` | taps × antennas × CIRs | complex single: stored samples times their scale |
/// | `exchange`, `message` | CIRs × 1 | numbers from 0: of the exchange; poll, response, second poll, final |
/// | `peer` | CIRs × 1 | address, 64 bits |
/// | `time_s`, `transmitted_ticks`, `received_ticks` | CIRs × 1 | NaN where unknown |
/// | `first_path_taps`, `received_power_dbm`, `tap_spacing_s`, `true_distance_m` | CIRs × 1 | NaN where unknown |
///
/// `lost` counts `profile`, `antennaPositions`, `notes`, `stsSegments`, `otherShape` (CIRs unlike the first) and `exchangesWithoutCIR`. Real
/// and imaginary parts stand apart in such a file: the imaginary ones wait in a file of their own until `finish`. Memory: 80 bytes a CIR.
public final class MATLABWriter: CaptureWriter {
  /// Names of numbers from 0 to 3.
  private static let messages: [SigMFMessageName] = [.poll, .response, .secondPoll, .final]
  /// Bytes that a variable of this version may have.
  private static let limit = Int(Int32.max)

  public private(set) var lost = SkippedInput()
  private let path: String
  private let file: OutputFile
  private let imaginary: OutputFile
  private var shape: (taps: Int, antennas: Int)?
  /// Bytes of all real parts so far.
  private var partLength = 0
  private var peers: [UInt64] = []
  private var columns: [(name: String, values: [Double])] = [
    "exchange", "message", "time_s", "transmitted_ticks", "received_ticks", "first_path_taps", "received_power_dbm",
    "tap_spacing_s", "true_distance_m",
  ].map { ($0, []) }

  /// Begins the file, which is at its name once it is finished.
  public init(path: String, header: CaptureHeader) throws {
    self.path = path
    file = try OutputFile(path: path)
    imaginary = try OutputFile(path: path)
    header.countAll(in: &lost)
    try file.append(Self.header)
    try file.append(cirsHead)
  }

  public func append(_ exchange: RangingExchange) throws {
    var hasResponse = false
    for (name, message) in exchange.namedMessages {
      message.countStsSegments(in: &lost)
      guard let reception = message.reception, let response = reception.impulseResponse else { continue }
      hasResponse = true
      let own = (taps: response.tapCount, antennas: response.antennaCount)
      guard own == shape ?? own else {
        lost.add("otherShape")
        continue
      }
      shape = own
      let length = 4 * own.taps * own.antennas
      guard 2 * (partLength + length) <= Self.limit - 1024 else {
        throw CaptureError(
          file: path, place: "exchange \(exchange.index)",
          problem: "a variable of a MATLAB file holds two gigabytes at most",
          remedy: "Convert the capture in parts, or to .npy.")
      }
      try file.append(Self.samples(response, part: 0))
      try imaginary.append(Self.samples(response, part: 1))
      partLength += length
      peers.append(exchange.peer.rawValue)
      let values: [Double?] = [
        Double(exchange.index), Self.messages.firstIndex(of: name).map(Double.init), exchange.time,
        message.transmitted.map { Double($0.ticks) }, Double(reception.time.ticks), reception.chipFirstPathTaps,
        reception.receivedPowerdBm, response.tapSpacing, exchange.truth?.distance,
      ]
      for (column, value) in values.enumerated() { columns[column].values.append(value ?? .nan) }
    }
    if !hasResponse { lost.add("exchangesWithoutCIR") }
  }

  public func finish() throws {
    let padding = Data(count: Self.padding(partLength))
    try file.append(padding)
    try file.append(Self.tag(.single, partLength))
    try appendImaginary()
    try file.append(padding)
    try file.append(Self.variable("peer", Code.uint64Class, .uint64, peers.map { $0.littleEndian }))
    for (name, values) in columns {
      try file.append(Self.variable(name, Code.doubleClass, .double, values.map { $0.bitPattern.littleEndian }))
    }
    // The sizes are known now.
    try file.write(cirsHead, at: Self.header.count)
    try file.commit()
  }

  private func appendImaginary() throws {
    guard let source = FileHandle(forReadingAtPath: imaginary.writtenPath) else {
      throw CaptureError(file: path, problem: "its imaginary parts are gone", remedy: "Try again.")
    }
    defer { try? source.close() }
    while let block = try source.read(upToCount: 1 << 20), !block.isEmpty { try file.append(block) }
  }

  private static func samples(_ response: ChannelImpulseResponse, part: Int) -> Data {
    var numbers: [UInt32] = []
    numbers.reserveCapacity(response.antennaCount * response.tapCount)
    for antenna in 0..<response.antennaCount {
      response.forEachPart(part, antenna: antenna) { numbers.append($1.bitPattern.littleEndian) }
    }
    return numbers.withUnsafeBytes { Data($0) }
  }

  // MARK: Layout

  /// Types of data elements, and classes of arrays.
  private enum Code: UInt32 {
    case int8 = 1
    case int32 = 5
    case uint32 = 6
    case single = 7
    case double = 9
    case uint64 = 13
    case matrix = 14

    static let doubleClass: UInt32 = 6
    static let singleClass: UInt32 = 7
    static let uint64Class: UInt32 = 15
    static let isComplex: UInt32 = 0x800
  }

  /// 116 bytes of text, 8 for nothing, the version, and the order of bytes.
  private static let header: Data = {
    let text = "MATLAB 5.0 MAT-file, written by UWBDSP"
    return Data(text.utf8) + Data(repeating: 0x20, count: 116 - text.utf8.count) + Data(count: 8)
      + Data([0, 1, 0x49, 0x4D])
  }()

  private static func tag(_ code: Code, _ length: Int) -> Data { bytes([code.rawValue, UInt32(length)]) }
  private static func padding(_ length: Int) -> Int { -length & 7 }

  private static func bytes(_ numbers: [UInt32]) -> Data {
    numbers.map(\.littleEndian).withUnsafeBytes { Data($0) }
  }

  /// Flags, sizes and name of an array.
  private static func head(_ name: String, _ flags: UInt32, _ sizes: [Int]) -> Data {
    let sizeLength = 4 * sizes.count
    return tag(.uint32, 8) + bytes([flags, 0]) + tag(.int32, sizeLength) + bytes(sizes.map { UInt32($0) })
      + Data(count: padding(sizeLength)) + tag(.int8, name.utf8.count) + Data(name.utf8)
      + Data(count: padding(name.utf8.count))
  }

  private static func variable(_ name: String, _ class: UInt32, _ code: Code, _ values: [UInt64]) -> Data {
    let content =
      head(name, `class`, [values.count, 1]) + tag(code, 8 * values.count) + values.withUnsafeBytes { Data($0) }
    return tag(.matrix, content.count) + content
  }

  /// All of `cirs` before its real parts.
  private var cirsHead: Data {
    let shape = shape ?? (0, 1)
    let head = Self.head("cirs", Code.singleClass | Code.isComplex, [shape.taps, shape.antennas, peers.count])
    let part = 8 + partLength + Self.padding(partLength)
    return Self.tag(.matrix, head.count + 2 * part) + head + Self.tag(.single, partLength)
  }
}
