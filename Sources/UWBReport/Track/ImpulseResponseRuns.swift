import Foundation

/// Impulse responses of any number in bounded memory: of each run those whose value, such as the distance, is the lowest and the highest.
///
/// Runs merge as those of `MinMaxDecimator` do, so that a click on an outlier of a chart finds its response.
public struct ImpulseResponseRuns: Sendable {
  /// Taps kept of each, and how many of them lie before the first path.
  public static let taps = 96
  /// Taps kept before the first path.
  public static let before = 16
  private static let capacity = 512

  struct Row: Sendable {
    var key: MinMaxDecimator.Key
    var value: Double
    /// First paths, taps after tap `before`.
    var first: Double
    var chip: Double
    /// Quarters of a dB below the strongest; 255 for none.
    var levels: [UInt8]
  }

  private struct Run: Sendable {
    var low: Row
    var high: Row
    var count: Int
  }

  private var runs: [Run] = []
  private var perRun = 1
  /// ns
  private var spacing = 0.0

  /// Whether none has come.
  var isEmpty: Bool { runs.isEmpty }

  /// Takes one response; most of a long capture cost a comparison.
  ///
  /// - Parameters:
  ///   - first: first path by which it is moved, taps.
  ///   - spacing: of its taps, ns.
  ///   - levels: as `levels` gives them; asked for what is kept.
  mutating func add(
    _ key: MinMaxDecimator.Key, value: Double, first: Double, chip: Double?, spacing: Double,
    levels: @autoclosure () -> [UInt8]
  ) {
    guard first.isFinite, abs(first) < 1e6, spacing.isFinite, spacing > 0 else { return }
    self.spacing = spacing
    func row() -> Row {
      let tap = first.rounded(.down)
      return Row(
        key: key, value: value, first: first - tap, chip: chip.map { $0 - tap } ?? .nan, levels: levels())
    }
    guard let last = runs.last, last.count < perRun || (runs.count == Self.capacity) else {
      let row = row()
      runs.append(Run(low: row, high: row, count: 1))
      return
    }
    if last.count == perRun {
      halve()
      if runs[runs.count - 1].count == perRun {
        let row = row()
        runs.append(Run(low: row, high: row, count: 1))
        return
      }
    }
    let place = runs.count - 1
    runs[place].count += 1
    let isLower = value < runs[place].low.value
    guard isLower || value > runs[place].high.value else { return }
    if isLower { runs[place].low = row() } else { runs[place].high = row() }
  }

  /// The same with the magnitudes of the taps in a range, NaN outside the accumulator.
  mutating func add(
    _ key: MinMaxDecimator.Key, value: Double, first: Double, chip: Double?, spacing: Double,
    magnitudes: (Range<Int>) -> [Float]
  ) {
    add(
      key, value: value, first: first, chip: chip, spacing: spacing, levels: Self.levels(round: first, magnitudes))
  }

  /// Merges neighbouring runs by pairs.
  mutating func halve() {
    perRun *= 2
    runs = stride(from: 0, to: runs.count, by: 2).map { index in
      guard index + 1 < runs.count else { return runs[index] }
      let (early, late) = (runs[index], runs[index + 1])
      return Run(
        low: late.low.value < early.low.value ? late.low : early.low,
        high: late.high.value > early.high.value ? late.high : early.high, count: early.count + late.count)
    }
  }

  /// Both of each run, in the order in which they came.
  private var rows: [Row] {
    runs.flatMap { run in
      run.low.key == run.high.key
        ? [run.low] : run.low.key.exchange < run.high.key.exchange ? [run.low, run.high] : [run.high, run.low]
    }
  }

  var byteCount: Int { runs.count * (perRun > 1 ? 2 : 1) * Self.taps }

  var waterfall: PageTrack.Waterfall? {
    let rows = rows
    guard !rows.isEmpty else { return nil }
    return PageTrack.Waterfall(
      rows: rows.count, taps: Self.taps, before: Self.before, spacing: spacing,
      data: Data(rows.flatMap(\.levels)).base64EncodedString(),
      columns: [
        "time": PageColumn(rows.lazy.map(\.key.time), step: 1e-4),
        "exchange": PageColumn(rows.lazy.map { Double($0.key.exchange) }, step: 1),
        "first": PageColumn(rows.lazy.map { $0.first * spacing }, step: 0.01),
        "chip": PageColumn(rows.lazy.map { $0.chip * spacing }, step: 0.01),
      ])
  }

  /// Of the taps about a first path: quarters of a dB below the strongest of them, 255 for none.
  ///
  /// - Parameters:
  ///   - first: taps, less than 10⁶ from 0.
  ///   - magnitudes: of the taps in a range, NaN outside the accumulator.
  static func levels(round first: Double, _ magnitudes: (Range<Int>) -> [Float]) -> [UInt8] {
    let start = Int(first.rounded(.down)) - before
    let magnitudes = magnitudes(start..<start + taps)
    let strongest = magnitudes.reduce(0) { $1 > $0 ? $1 : $0 }
    return magnitudes.map { magnitude in
      guard strongest > 0, magnitude >= 0 else { return 255 }
      let level = -80 * commonLogarithm(Double(magnitude / strongest))
      return level < 254 ? UInt8(level.rounded()) : 254
    }
  }
}
