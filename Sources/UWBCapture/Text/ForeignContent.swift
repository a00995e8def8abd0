import Foundation

/// What a file is that people give for a capture or a table and that is none, and what to do with it.
struct ForeignContent {
  var problem: String
  var remedy: String

  func error(_ file: String, place: String? = nil) -> CaptureError {
    CaptureError(file: file, place: place, problem: problem, remedy: remedy)
  }

  /// Compressed files, archives and documents, by their first bytes.
  static func packed(_ start: UnsafeRawBufferPointer) -> ForeignContent? {
    packedKinds.first { start.starts(with: $0.magic) }?.content ?? (start.starts(with: zip) ? zipped(start) : nil)
  }

  private static let zip: [UInt8] = [0x50, 0x4B, 0x03, 0x04]

  private static let packedKinds: [(magic: [UInt8], content: ForeignContent)] = [
    (Array("BZh".utf8), compressed("bzip2", "bzip2 -dc")),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], compressed("xz", "xz -dc")),
    ([0x28, 0xB5, 0x2F, 0xFD], compressed("zstd", "zstd -dc")),
    (
      [0x37, 0x7A, 0xBC, 0xAF],
      ForeignContent(problem: "is a 7-Zip archive", remedy: "Unpack it with 7z x FILE, and give the files in it.")
    ),
    (
      [0xD0, 0xCF, 0x11, 0xE0],
      ForeignContent(problem: "is an Excel or other Office document", remedy: "Save the sheet as CSV and give that.")
    ),
    (
      [0x89, 0x48, 0x44, 0x46],
      ForeignContent(
        problem: "is an HDF5 file (MATLAB 7.3 writes such .mat files, too)",
        remedy: "Write its CIRs as a NumPy array (numpy.save, complex64: CIRs × antennas × taps), and give that.")
    ),
    (
      Array("MATLAB 5.0 MAT".utf8),
      ForeignContent(
        problem: "is a MATLAB file",
        remedy:
          "Write its CIRs as a NumPy array: numpy.save(\"cirs.npy\", scipy.io.loadmat(FILE)[NAME]), and give that.")
    ),
    (
      Array("%PDF".utf8), ForeignContent(problem: "is a PDF document", remedy: "Give the recording it tells of.")
    ),
    (
      [0x89, 0x50, 0x4E, 0x47],
      ForeignContent(problem: "is a PNG picture", remedy: "Give the recording it was drawn from.")
    ),
    (
      Array("PAR1".utf8),
      ForeignContent(
        problem: "is a Parquet table", remedy: "Write it as CSV: pandas.read_parquet(FILE).to_csv(NEW, index=False)")
    ),
    (
      Array("ARROW1".utf8),
      ForeignContent(
        problem: "is an Arrow (Feather) table",
        remedy: "Write it as CSV: pandas.read_feather(FILE).to_csv(NEW, index=False)")
    ),
    (
      [0x80, 0x04, 0x95],
      ForeignContent(
        problem: "is a Python pickle",
        remedy: "Load it in Python, and write its CIRs with numpy.save or its rows with to_csv.")
    ),
    (
      Array("#ROSBAG".utf8),
      ForeignContent(
        problem: "is a ROS bag", remedy: "Write the topic as CSV (rostopic echo -b FILE -p TOPIC > NEW.csv).")
    ),
    ([0xD4, 0xC3, 0xB2, 0xA1], packets), ([0xA1, 0xB2, 0xC3, 0xD4], packets),
    (
      Array("SQLite format".utf8),
      ForeignContent(problem: "is an SQLite database", remedy: "Export the table as CSV and give that.")
    ),
  ]

  private static let packets = ForeignContent(
    problem: "is a packet recording of the older kind (pcap)",
    remedy: "Write it as pcapng if it holds UCI: editcap -F pcapng FILE NEW.pcapng")

  private static func compressed(_ name: String, _ command: String) -> ForeignContent {
    ForeignContent(
      problem: "is compressed (\(name))",
      remedy: "Unpack it first (\(command) FILE > NEW), or read it from a pipe: \(command) FILE | uwb replay -")
  }

  /// A zip file names its first member behind a header of 30 bytes.
  private static func zipped(_ start: UnsafeRawBufferPointer) -> ForeignContent {
    let member = String(decoding: start.dropFirst(30).prefix(200), as: UTF8.self)
    if member.contains(".npy") {
      return ForeignContent(
        problem: "is a NumPy archive of several arrays (.npz)",
        remedy: "Save the array of CIRs by itself: numpy.save(\"cirs.npy\", numpy.load(FILE)[NAME]), and give that.")
    }
    if member.hasPrefix("[Content_Types].xml") || member.hasPrefix("_rels/") || member.hasPrefix("docProps/") {
      return ForeignContent(problem: "is an Excel workbook (.xlsx)", remedy: "Save the sheet as CSV and give that.")
    }
    return ForeignContent(
      problem: "is a zip archive", remedy: "Unpack it with unzip FILE, and give the captures in it one by one.")
  }

  /// What text is that no capture format is recognised in.
  static func text(_ start: UnsafeRawBufferPointer) -> ForeignContent {
    let text = String(decoding: start.prefix(16_384), as: UTF8.self)
    let lines = text.split(omittingEmptySubsequences: true) { $0.isNewline }
    let first = lines.first { !$0.hasPrefix("#") }.map(String.init) ?? ""
    if let known = known(text, first) { return known }
    if start.count > 262, start[257..<262].elementsEqual("ustar".utf8) {
      return ForeignContent(
        problem: "is a tar archive",
        remedy: "A SigMF archive has to be called NAME.sigmf; unpack others with tar -xf FILE, and give the folder.")
    }
    if start.prefix(16_384).contains(where: { $0 == 0 }) { return unknown("is binary, and of no known format") }
    if text.contains("\r"), !text.contains("\n") {
      return ForeignContent(
        problem: "its lines end with CR alone, as old Macintosh programs write them",
        remedy: "Give them their usual ends: tr '\\r' '\\n' < FILE > NEW")
    }
    let names = CSVDialect(header: first).fields(first).map { $0.trimmingCharacters(in: .whitespaces) }
    if let content = json(lines) { return content }
    if names.count > 1 {
      if names.allSatisfy({ Double($0) != nil }) {
        return unknown("is a table without a header: its first line is numbers, \(shortened(first))")
      }
      if names.contains(where: { $0.last == "j" && $0.first.map { $0.isNumber || "(+-".contains($0) } == true })
        || names.contains(where: { $0.hasSuffix("j)") })
      {
        return ForeignContent(
          problem: "is a table of complex numbers without a header",
          remedy:
            "Write it as a NumPy array: numpy.save(\"cirs.npy\", numpy.loadtxt(FILE, dtype=complex, delimiter=\",\")); "
            + "then uwb paths cirs.npy --rows cirs")
      }
      return ForeignContent(
        problem: "is a table whose columns are those of no known format: \(shortened(names.joined(separator: ", ")))",
        remedy:
          "A table of two-way ranging has poll_tx_ts, poll_rx_ts, resp_tx_ts and resp_rx_ts; one of phase differences "
          + "PDoA1, or the column that --columns \"phase1=HEADER\" names; one of ranges the column that "
          + "--columns \"distance=HEADER\" names. Write CIRs as a NumPy array, and give it to uwb paths.")
    }
    return unknown("its content is of no known format")
  }

  /// JSON whose values are not one a line, or not those of a capture.
  private static func json(_ lines: [Substring]) -> ForeignContent? {
    guard let first = lines.first?.drop(while: \.isWhitespace), let bracket = first.first, "[{".contains(bracket) else {
      return nil
    }
    if bracket == "[" {
      return ForeignContent(
        problem: "is one JSON array, not a line of JSON for each exchange",
        remedy: "Write an element a line: jq -c '.[]' FILE > NEW.ndjson")
    }
    var keys: [String] = []
    var line = String(first)
    let isWhole = line.withUTF8 { bytes in
      var cursor = JSONCursor(UnsafeRawBufferPointer(bytes))
      return cursor.object { key, cursor in
        keys.append(key.text)
        return cursor.skipValue()
      }
    }
    if !isWhole, lines.count > 1 {
      return ForeignContent(
        problem: "is JSON whose objects run over several lines", remedy: "Write one a line: jq -c . FILE > NEW.ndjson")
    }
    return unknown("is JSON whose fields are those of no known format: \(shortened(keys.joined(separator: ", ")))")
  }

  private static func unknown(_ problem: String) -> ForeignContent {
    ForeignContent(
      problem: problem,
      remedy: "Known formats are: \(CaptureFormat.all.map(\.name).joined(separator: ", ")). Name one with --format; "
        + "Documentation/reference/Captures.md has an example of each.")
  }

  private static func shortened(_ text: String) -> String { text.count > 120 ? "\(text.prefix(120))…" : text }

  /// The project's own files that are no captures, and a few of others.
  private static func known(_ text: String, _ first: String) -> ForeignContent? {
    let lower = first.lowercased()
    if lower.hasPrefix("{\"event\":") || lower.hasPrefix("event,capture,") {
      return ForeignContent(
        problem: "is what uwb replay wrote, not a capture", remedy: "Give the capture it came from.")
    }
    if lower.contains("\"shard\":") {
      return ForeignContent(problem: "is what uwb replay --shard wrote", remedy: "Give all shards to uwb merge.")
    }
    if lower.hasPrefix("<!doctype html") || lower.hasPrefix("<html") || lower.hasPrefix("<svg")
      || lower.hasPrefix("<?xml")
    {
      return ForeignContent(
        problem: "is a web page or a picture, not a capture", remedy: "Check the download, or the file's name.")
    }
    if lower.hasPrefix("version https://git-lfs") {
      return ForeignContent(
        problem: "is a Git LFS pointer, not the file itself", remedy: "Fetch the file with git lfs pull.")
    }
    if first.hasPrefix("{") {
      for (mark, option) in [
        ("\"carrier_hz\"", "--array"), ("\"peak_index\"", "--pulse"), ("\"delay\"", "--calibration"),
        ("\"quality\"", "--calibration"), ("\"angle\"", "--calibration"),
      ] where text.contains(mark) {
        return ForeignContent(problem: "is a file for \(option), not a capture", remedy: "Give it with \(option) FILE.")
      }
    }
    let columns = Set(CSVDialect(header: lower).fields(lower))
    if columns.contains("capture"), !columns.isDisjoint(with: ["distance_m", "azimuth_deg", "label"]) {
      return ForeignContent(problem: "is a truth table, not a capture", remedy: "Give it with --truth FILE.")
    }
    if columns.contains("time_s"), !columns.isDisjoint(with: ["qx", "yaw_deg"]) {
      return ForeignContent(problem: "is a pose table, not a capture", remedy: "Give it with --pose FILE.")
    }
    return nil
  }
}
