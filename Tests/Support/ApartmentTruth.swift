import Foundation
import UWBDSP

/// Truth of the DecaRanging logs of a furnished flat (Kolakowski 2021, doi 10.5281/zenodo.4742391), from its tables:
/// plane distance of the pair's coordinates, and the label of each log.
public enum ApartmentTruth {
  /// File number → what is true of `<number>.log`. Empty where the tables can't be read.
  public static func load(folder: URL) -> [Int: GroundTruth] {
    let anchors = places(folder.appendingPathComponent("anchors.csv"))
    let tags = places(folder.appendingPathComponent("tags.csv"))
    var labels: [Int: String] = [:]
    for row in rows(folder.appendingPathComponent("labels.csv")) where row.count == 2 {
      if let file = Int(row[0]) { labels[file] = row[1] }
    }
    var truth: [Int: GroundTruth] = [:]
    for row in rows(folder.appendingPathComponent("pairs.csv")) where row.count == 3 {
      guard let file = Int(row[0]), let anchor = Int(row[1]).flatMap({ anchors[$0] }),
        let tag = Int(row[2]).flatMap({ tags[$0] }), let label = labels[file]
      else { continue }
      let apart = anchor - tag
      truth[file] = GroundTruth(distance: (apart * apart).sum().squareRoot(), isLineOfSight: label == "LOS")
    }
    return truth
  }

  /// The same as a truth table for `--truth`, for the logs that are in `folder`.
  public static func table(folder: URL) -> String {
    var text = "capture,distance_m,label\n"
    for (file, truth) in load(folder: folder).sorted(by: { $0.key < $1.key }) {
      text += "\(file).log,\(truth.distance ?? 0),\(truth.isLineOfSight == true ? "LOS" : "NLOS")\n"
    }
    return text
  }

  private static func places(_ file: URL) -> [Int: SIMD2<Double>] {
    var places: [Int: SIMD2<Double>] = [:]
    for row in rows(file) where row.count == 3 {
      if let place = Int(row[0]), let x = Double(row[1]), let y = Double(row[2]) { places[place] = SIMD2(x, y) }
    }
    return places
  }

  private static func rows(_ file: URL) -> [[String]] {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    return text.split(whereSeparator: \.isNewline).map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }
}
