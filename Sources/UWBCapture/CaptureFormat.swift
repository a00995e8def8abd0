import Foundation
import UWBTypes

/// A capture format that can be read: its name on the command line, how it is recognised, how it is opened.
public struct CaptureFormat: Sendable {
  /// What the start of a stream says about its format.
  enum Recognition {
    case yes, no
    /// More bytes could tell.
    case undecided
  }

  /// As `--format` takes it.
  public let name: String
  /// One line: what writes such files.
  public let summary: String
  /// Whether it can be read from standard input.
  public let isStream: Bool
  let recognise: @Sendable (Span<UInt8>) -> Recognition
  let open: @Sendable (ByteSource) throws -> any CaptureReader
  /// For formats of more than one file.
  var openPath: (@Sendable (String) throws -> any CaptureReader)?
  /// For formats that have to be told what they don't say.
  var openWithOptions: (@Sendable (ByteSource, CaptureOptions) throws -> any CaptureReader)?

  func reader(_ source: ByteSource, _ options: CaptureOptions) throws -> any CaptureReader {
    try openWithOptions?(source, options) ?? open(source)
  }

  /// All formats, in the order in which content is tried.
  public static let all: [CaptureFormat] = [
    // First, because its header quotes notes that other formats are told by.
    CaptureFormat(
      name: "ndjson", summary: "lines of JSON, as uwb convert writes them", isStream: true,
      recognise: { NDJSONReader.recognise($0) }, open: { NDJSONReader($0) }),
    CaptureFormat(
      name: "decaranging", summary: "text log of DecaRanging (EVK1000, DW1000) with accumulators", isStream: true,
      recognise: { DecaRangingLog.recognise($0) }, open: { DecaRangingLog($0) }),
    CaptureFormat(
      name: "sigmf", summary: "SigMF recording, archive or collection with the uwb extension",
      isStream: false, recognise: { SigMFReader.recognise($0) }, open: { throw SigMFReader.notAStream($0) },
      openPath: { try SigMFCapture.open($0) }),
    CaptureFormat(
      name: "uci", summary: "pcapng recording of a UCI radio's traffic, as uwb range and Android write them",
      isStream: true,
      recognise: { UCIRecording.recognise($0) }, open: { UCIRecording($0) }),
    table(.ranging, "table of two-way ranging: timestamps of two, three or four messages"),
    CaptureFormat(
      name: "csv", summary: "table that uwb convert wrote", isStream: true,
      recognise: { CSVCapture.recognise($0) }, open: { try CSVCapture($0) }),
    table(.phases, "CSV table of phase differences of arrival (NXP SR150), with true angles or without"),
    log("uwb-core", "CIR JSON lines of Decawave's uwb-core", UwbCoreLines.self),
    log("contiki-uwb", "CIR[start:count] lines of Contiki-UWB (DW1000)", ContikiLines.self),
    log("dw3000-cir", "CIR_BEGIN … CIR_END text of DW3000 programs", DW3000Lines.self),
    log(
      "ultrawidelock", "ev=uwb.diag and ev=uwb.cir lines of the ultrawidelock firmware (DW3000)",
      UltraWideLockLines.self),
    log("eth-dual-antenna", "logs of ETH Zürich's dual-antenna firmware (DW3220), blobs in base64", ETHLines.self),
    CaptureFormat(
      name: "bregar", summary: "data.json of K. Bregar's multi-room set (DW1000)", isStream: true,
      recognise: { BregarReader.recognise($0) }, open: { try BregarReader($0) }),
    CaptureFormat(
      name: "dwm3001-cli", summary: "what a DWM3001CDK's command-line firmware prints: distances, angles",
      isStream: true, recognise: { DWM3001Lines.recognise($0) }, open: { DWM3001Lines($0) }),
    CaptureFormat(
      name: "dw3000-hex", summary: "DW3000 accumulators as hexadecimal octets, 100 taps a frame", isStream: true,
      recognise: { DW3000HexReader.recognise($0) }, open: { DW3000HexReader($0) }),
    log("ewine", "eWINE CSV tables of CIR magnitudes (DWM1000), no phase", EWINELines.self),
    CaptureFormat(
      name: "uci-log", summary: "text log of a UCI radio's traffic, a packet a line in hexadecimal digits",
      isStream: true,
      recognise: { UCILog.recognise($0) }, open: { UCILog($0) }),
    CaptureFormat(
      name: "npy", summary: "NumPy array: CIRs × antennas × taps, complex64 or pairs of int16", isStream: true,
      recognise: { NumPyReader.recognise($0) }, open: { try NumPyReader($0) },
      openWithOptions: { try NumPyReader($0, options: $1) }),
    // Last, because many tables have a column that is called a distance.
    table(.ranges, "table of distances that chips have measured, a row or a column a pair of radios"),
  ]

  private static func table(_ kind: MeasurementTable.Kind, _ summary: String) -> CaptureFormat {
    CaptureFormat(
      name: kind.rawValue, summary: summary, isStream: true, recognise: { MeasurementTable.recognise($0, kind) },
      open: { try MeasurementTable($0, kind: kind) },
      openWithOptions: { try MeasurementTable($0, kind: kind, options: $1) })
  }

  private static func log<Parser: CIRLineParser>(
    _ name: String, _ summary: String, _ parser: Parser.Type
  ) -> CaptureFormat {
    CaptureFormat(
      name: name, summary: summary, isStream: true, recognise: { Parser.recognise($0) },
      open: { CIRLog(Parser(), $0) })
  }

  /// The format of that name.
  ///
  /// - Throws: `CaptureError` where there is none, with the nearest name.
  static func known(_ name: String, file: String) throws -> CaptureFormat {
    if let format = named(name) { return format }
    let names = ["auto"] + all.map(\.name)
    throw CaptureError(
      file: file, problem: "there is no capture format “\(name)”",
      remedy: "\(Suggestion.question(for: name, among: names))Choose one of: \(names.joined(separator: ", ")).")
  }

  /// The format of that name.
  public static func named(_ name: String) -> CaptureFormat? {
    all.first { $0.name == name }
  }

  /// Opens `source` as the format of that name.
  ///
  /// - Throws: `CaptureError` where there is no such format, or the source can't be read as it.
  public static func open(
    _ name: String, _ source: ByteSource, _ options: CaptureOptions = CaptureOptions()
  ) throws -> any CaptureReader {
    try known(name, file: source.name).reader(source, options)
  }

  /// Bytes of a stream's start that are looked at before it is given up as unknown.
  static let peekLimit = 64 * 1024

  /// The format that the start of `source` shows; nothing of it is consumed.
  ///
  /// It reads no more than it takes to decide, so a live stream's first exchange is not held up.
  static func recognised(in source: ByteSource) throws -> CaptureFormat? {
    var candidates = all
    var seen = 0
    while true {
      // Only whole lines are news: a port that hands over byte by byte would else be searched at every byte.
      while !source.buffered[seen...].contains(0x0A), source.buffered.count < peekLimit, try source.fill() {}
      seen = source.buffered.count
      let prefix = source.buffered.bindMemory(to: UInt8.self)
      let isEnough = prefix.count >= peekLimit
      // The first that is sure ends it: those after it may cost as much as reading the capture.
      var undecided: [CaptureFormat] = []
      for format in candidates {
        switch format.recognise(prefix.span) {
        case .yes: return format
        case .undecided: undecided.append(format)
        case .no: break
        }
      }
      candidates = undecided
      guard !candidates.isEmpty, !isEnough, try source.fill() else { return nil }
    }
  }
}

/// Opens the capture at `path` (`-` is standard input) for reading.
///
/// - Parameters:
///   - format: a format's name, or `auto` to tell it by its content.
///   - options: what the capture does not say of itself.
/// - Throws: `CaptureError` where it can't be read, is empty, or is of no known format.
public func openCapture(
  _ path: String, format: String = "auto", options: CaptureOptions = CaptureOptions()
) throws -> any CaptureReader {
  if format == "auto", options.columns.names.isEmpty, SigMFPaths.isRecording(path) {
    return try SigMFCapture.open(path)
  }
  let chosen = format == "auto" ? nil : try CaptureFormat.known(format, file: path)
  if path != "-", let openPath = chosen?.openPath { return try openPath(path) }
  return try openCapture(ByteSource(path: path, endDescriptor: options.endDescriptor), format: format, options: options)
}

/// The files of the capture at `path`: itself, or those of the recording that it names.
public func captureFiles(_ path: String) -> [String] {
  SigMFPaths.isRecording(path) ? SigMFPaths.files(path) : [path]
}

/// Bytes that the capture at `path` takes, over all of its files: what `CaptureReader.bytesRead` runs up to. `nil` for a
/// stream, and where there is no such capture.
public func captureByteCount(_ path: String) -> Int? {
  let sizes = captureFiles(path).map { file -> Int? in
    var status = stat()
    guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
  return sizes.reduce(0) { sum, size in sum.flatMap { sum in size.map { sum + $0 } } }
}

/// Opens a stream for reading, packed (gzip) or not, text in UTF-8 or UTF-16.
///
/// - Parameters:
///   - format: a format's name, or `auto` to tell it by its content.
///   - options: what the capture does not say of itself.
/// - Throws: `CaptureError` where it can't be read, is empty, or is of no known format.
public func openCapture(
  _ source: ByteSource, format: String = "auto", options: CaptureOptions = CaptureOptions()
) throws -> any CaptureReader {
  try PreparedCapture.open(source) { bytes in
    if !options.columns.names.isEmpty {
      return try MeasurementTable(bytes, kind: MeasurementTable.Kind(rawValue: format), options: options)
    }
    if format != "auto" { return try CaptureFormat.open(format, bytes, options) }
    guard let recognised = try CaptureFormat.recognised(in: bytes) else {
      throw ForeignContent.text(bytes.buffered).error(bytes.name)
    }
    return try recognised.reader(bytes, options)
  }
}
