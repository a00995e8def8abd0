import Foundation
import UWBTypes

/// What is true of captures that don't say so themselves: a CSV table with the columns
/// `capture,distance_m,azimuth_deg,elevation_deg,label`, those that are known. Distances may be `distance_cm` or `distance_mm`,
/// angles `_rad`; `label` is `LOS`, or `NLOS` or `NDP NLOS` (no direct path), whatever the case. Other columns are passed over.
public struct TruthTable: Sendable, Hashable {
  /// The columns that a truth table may have, `capture` first, which it must have.
  public static let columns = ["capture", "distance_m", "azimuth_deg", "elevation_deg", "label"]

  private static let remedy =
    "A truth table has the columns capture,distance_m,azimuth_deg,elevation_deg,label (those that are known)."

  /// Columns of the file that say nothing a truth table knows.
  public private(set) var otherColumns: [String] = []
  /// By the capture's path as the table gives it: its file name, or with as many folders as tell it from others.
  public private(set) var entries: [String: GroundTruth] = [:]
  /// What each entry's path ends in after a folder: shorter names that it goes by, and the entry where it is the only one.
  private var endings: [String: String?] = [:]

  /// A table of known truths by name of the capture.
  public init(_ entries: [String: GroundTruth] = [:]) {
    for (capture, truth) in entries { insert(truth, for: capture) }
  }

  private mutating func insert(_ truth: GroundTruth, for capture: String) {
    entries[capture] = truth
    for ending in Self.endings(of: capture) {
      endings[ending] = endings[ending] == nil ? .some(capture) : .some(nil)
    }
  }

  /// - Throws: `CaptureError` that names the line, for a file that can't be read, a column that is not known, a field
  ///   that makes no sense, or a capture that is named twice.
  public init(path: String) throws {
    try self.init(ByteSource(path: path))
  }

  /// Reads a table.
  public init(_ source: ByteSource) throws {
    var table = try CSVTable(source)
    func failure(_ place: String, _ problem: String) -> CaptureError {
      CaptureError(file: source.name, place: place, problem: problem, remedy: Self.remedy)
    }
    let parsed = table.header.map(TableColumns.parse)
    func column(_ name: String, hasUnit: Bool = true) throws -> (index: Int, unit: Double)? {
      let found = parsed.indices.filter { parsed[$0].name == name && (parsed[$0].unit != nil) == hasUnit }
      guard found.count < 2 else { throw failure("header", "the column “\(table.header[found[1]])” is there twice") }
      return found.first.map { ($0, parsed[$0].unit?.factor ?? 1) }
    }
    guard let name = try column("capture", hasUnit: false)?.index else {
      let given = table.header.joined(separator: ", ")
      throw failure("header", "the column “capture” is missing among \(given.prefix(120))")
    }
    let distance = try column("distance")
    let azimuth = try column("azimuth")
    let elevation = try column("elevation")
    let label = try column("label", hasUnit: false)?.index
    let used = [name, distance?.index, azimuth?.index, elevation?.index, label].compactMap { $0 }
    otherColumns = table.header.indices.filter { !used.contains($0) && !table.header[$0].isEmpty }.map {
      table.header[$0]
    }
    guard used.count > 1 else {
      throw failure(
        "header", "none of its columns tells a truth with its unit: \(otherColumns.joined(separator: ", ").prefix(120))"
      )
    }
    while let row = try table.next() {
      let place = "line \(row.line)"
      guard row.fields.count == table.header.count else {
        throw failure(place, "it has \(row.fields.count) fields, the header \(table.header.count)")
      }
      func number(_ column: (index: Int, unit: Double)?, in range: ClosedRange<Double>) throws -> Double? {
        guard let column, row.isPresent(column.index) else { return nil }
        guard let value = row.number(column.index), range.contains(value * column.unit) else {
          throw failure(
            "\(place), \(table.header[column.index])", "“\(row.fields[column.index])” is out of range or no number")
        }
        return value * column.unit
      }
      let truth = GroundTruth(
        distance: try number(distance, in: 0...1e6),
        azimuth: try number(azimuth, in: -.pi...(.pi)),
        elevation: try number(elevation, in: -.pi / 2...(.pi / 2)),
        isLineOfSight: try label.flatMap { column in
          guard row.isPresent(column) else { return nil }
          switch row.fields[column].split(whereSeparator: { !$0.isLetter }).joined(separator: " ").uppercased() {
          case "LOS": return true
          case "NLOS", "NDP NLOS", "N LOS": return false
          default: throw failure("\(place), label", "“\(row.fields[column])” is none of LOS, NLOS and NDP NLOS")
          }
        })
      let capture = Self.key(row.fields[name].trimmingCharacters(in: .whitespaces), folders: .max)
      let (folders, most) = (capture.split(separator: "/").count - 1, Self.mostFolders)
      guard folders <= most else { throw failure(place, "“\(capture.prefix(80))…” has more than \(most) folders") }
      // “a” would also mean “x/a”.
      let isTwice =
        entries[capture] != nil || endings[capture] != nil
        || Self.endings(of: capture).contains { entries[$0] != nil }
      guard !isTwice else { throw failure(place, "“\(capture)” is there twice") }
      insert(truth, for: capture)
    }
  }

  /// What is known of the capture at `path`: by the longest part of its path that the table has; else by its file name, where
  /// the table has that in one folder alone.
  public subscript(capture path: String) -> GroundTruth? {
    let depth = min(path.split(separator: "/").count - 1, Self.mostFolders)
    for folders in stride(from: depth, through: 0, by: -1) {
      if let truth = entries[Self.key(path, folders: folders)] { return truth }
    }
    return endings[Self.key(path, folders: 0)]?.flatMap { entries[$0] }
  }

  /// Folders of a capture's path that are looked at.
  private static let mostFolders = 64

  /// The path without its first folders, down to its file name.
  private static func endings(of capture: String) -> [String] {
    var parts = capture.split(separator: "/")[...]
    var endings: [String] = []
    while parts.count > 1 {
      parts.removeFirst()
      endings.append(parts.joined(separator: "/"))
    }
    return endings
  }

  /// Rows that are of none of `captures`.
  public func rows(ofNone captures: [String]) -> [String] {
    let named = Dictionary(grouping: entries.keys) { Self.key($0, folders: 0) }
    var rest = Set(entries.keys)
    for capture in captures {
      for entry in named[Self.key(capture, folders: 0)] ?? [] where "/\(capture)".hasSuffix("/\(entry)") {
        rest.remove(entry)
      }
      // A row may name another folder where its file name is the only one of its kind.
      if let alone = named[Self.key(capture, folders: 0)], alone.count == 1 { rest.subtract(alone) }
    }
    return rest.sorted()
  }

  /// The file name with at most so many of its folders.
  private static func key(_ path: String, folders: Int) -> String {
    let parts = path.split(separator: "/")
    return parts.isEmpty ? path : parts.suffix(folders < parts.count ? folders + 1 : parts.count).joined(separator: "/")
  }
}
