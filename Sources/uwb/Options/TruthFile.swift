import UWBCapture
import UWBDSP

/// `--truth`: reads the table, and says what of it is not used.
enum TruthFile {
  /// - Throws: `CaptureError` for a table that can't be read.
  static func read(_ path: String?, captures: [String]) throws -> TruthTable? {
    guard let path else { return nil }
    let table = try TruthTable(path: path)
    if !table.otherColumns.isEmpty {
      Message.warn("\(path): columns that are not used: \(list(table.otherColumns)).")
    }
    let rest = table.rows(ofNone: captures)
    if !rest.isEmpty {
      Message.warn("\(path): rows that are of none of the captures given: \(list(rest)).")
    }
    return table
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(5).map { "“\($0)”" }.joined(separator: ", ")
    return names.count > 5 ? "\(shown) and \(names.count - 5) more" : shown
  }
}

/// Holds true distances against measured ones: a table in another unit is off by a factor that no radio is.
struct TruthScale {
  private static let suspicious = 20.0
  /// Between a hundred and a thousand, on a logarithmic scale.
  private static let betweenCentiAndMilli = 316.0
  private var ratios: [(ratio: Double, truth: Double, measured: Double)] = []
  private var distances: [Double] = []
  private var truth: Double?

  /// Takes one exchange of a capture; both in m, measured without calibration.
  mutating func add(truth: Double?, measured: Double?) {
    guard let truth, let measured, truth > 0, measured.isFinite, measured > 0 else { return }
    self.truth = truth
    distances.append(measured)
  }

  /// Ends a capture.
  mutating func endCapture() {
    if let truth, !distances.isEmpty {
      let measured = distances.sorted()[distances.count / 2]
      ratios.append((truth / measured, truth, measured))
    }
    (truth, distances) = (nil, [])
  }

  /// Warns where most captures are suspicious.
  func warn(_ file: String?) {
    let sorted = ratios.sorted { $0.ratio < $1.ratio }
    guard !sorted.isEmpty else { return }
    let typical = sorted[sorted.count / 2]
    guard typical.ratio > Self.suspicious else { return }
    let unit = typical.ratio < Self.betweenCentiAndMilli ? "centimetres (distance_cm)" : "millimetres (distance_mm)"
    Message.warn(
      "\(file ?? "the captures' truth"): \(String(decimal: typical.truth, places: 2)) m is given where "
        + "\(String(decimal: typical.measured, places: 2)) m is measured. Are its distances \(unit)?")
  }
}
