import Foundation
import UWBDSP

/// What is true of captures that don't say so themselves: a CSV table with the columns
/// `capture,distance_m,azimuth_deg,elevation_deg,label`, those that are known; `label` is `LOS` or `NLOS`.
public struct TruthTable: Sendable, Hashable {
  /// The columns that a truth table may have, `capture` first, which it must have.
  public static let columns = ["capture", "distance_m", "azimuth_deg", "elevation_deg", "label"]

  private static let remedy =
    "A truth table has the columns capture,distance_m,azimuth_deg,elevation_deg,label (those that are known)."

  /// By the capture's path as the table gives it: its file name, or with as many folders as tell it from others.
  public private(set) var entries: [String: GroundTruth] = [:]
  /// What each entry's path ends in after a folder: shorter names that it goes by, and the entry where it is the only one.
  private var endings: [String: String?] = [:]

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

  public init(_ source: ByteSource) throws {
    var table = try CSVTable(source)
    func failure(_ place: String, _ problem: String) -> CaptureError {
      CaptureError(file: source.name, place: place, problem: problem, remedy: Self.remedy)
    }
    if let unknown = table.header.first(where: { !Self.columns.contains($0) }) {
      throw failure("header", "there is no column “\(unknown)” in a truth table")
    }
    guard let name = table.column("capture") else { throw failure("header", "the column “capture” is missing") }
    let distance = table.column("distance_m")
    let azimuth = table.column("azimuth_deg")
    let elevation = table.column("elevation_deg")
    let label = table.column("label")
    while let row = try table.next() {
      let place = "line \(row.line)"
      guard row.fields.count == table.header.count else {
        throw failure(place, "it has \(row.fields.count) fields, the header \(table.header.count)")
      }
      func number(_ column: Int?, in range: ClosedRange<Double>) throws -> Double? {
        guard let column, !row.fields[column].allSatisfy(\.isWhitespace) else { return nil }
        guard let value = row.number(column), range.contains(value) else {
          throw failure("\(place), \(table.header[column])", "“\(row.fields[column])” is out of range or no number")
        }
        return value
      }
      let degree = Double.pi / 180
      let truth = GroundTruth(
        distance: try number(distance, in: 0...1e6),
        azimuth: try number(azimuth, in: -180...180).map { $0 * degree },
        elevation: try number(elevation, in: -90...90).map { $0 * degree },
        isLineOfSight: try label.flatMap { column in
          switch row.fields[column].trimmingCharacters(in: .whitespaces) {
          case "LOS": true
          case "NLOS": false
          case "": nil
          default: throw failure("\(place), label", "“\(row.fields[column])” is neither LOS nor NLOS")
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

  /// The file name with at most so many of its folders.
  private static func key(_ path: String, folders: Int) -> String {
    let parts = path.split(separator: "/")
    return parts.isEmpty ? path : parts.suffix(folders < parts.count ? folders + 1 : parts.count).joined(separator: "/")
  }
}
