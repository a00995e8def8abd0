import UWBTypes

/// A unit that a column's name ends in, or that the user gives: `Range (mm)`, `time_ms`, `--unit distance=cm`.
struct TableUnit: Hashable, Sendable {
  /// What a number counts.
  enum Dimension: Hashable, Sendable {
    case number, length, angle, time, power
    /// Reading of a radio's counter; ticks unless another unit is named.
    case counter
  }

  var dimension: Dimension
  /// SI units in one of this; ticks count as seconds.
  var factor: Double

  private static let known: [String: TableUnit] = [
    "m": TableUnit(dimension: .length, factor: 1), "cm": TableUnit(dimension: .length, factor: 0.01),
    "mm": TableUnit(dimension: .length, factor: 0.001), "ft": TableUnit(dimension: .length, factor: 0.3048),
    "deg": TableUnit(dimension: .angle, factor: .pi / 180), "degree": TableUnit(dimension: .angle, factor: .pi / 180),
    "degrees": TableUnit(dimension: .angle, factor: .pi / 180), "rad": TableUnit(dimension: .angle, factor: 1),
    "s": TableUnit(dimension: .time, factor: 1), "ms": TableUnit(dimension: .time, factor: 1e-3),
    "us": TableUnit(dimension: .time, factor: 1e-6), "µs": TableUnit(dimension: .time, factor: 1e-6),
    "ns": TableUnit(dimension: .time, factor: 1e-9), "ps": TableUnit(dimension: .time, factor: 1e-12),
    "ticks": TableUnit(dimension: .time, factor: UWB.tick), "dtu": TableUnit(dimension: .time, factor: UWB.tick),
    "dbm": TableUnit(dimension: .power, factor: 1), "ppm": TableUnit(dimension: .number, factor: 1),
  ]

  static let symbols = known.keys.sorted()

  static func named(_ symbol: String) -> TableUnit? { known[symbol.lowercased()] }

  /// The unit in which a factor counts; `nil` for numbers without one.
  static func symbol(factor: Double, as wanted: Dimension) -> String? {
    if wanted == .counter, factor == 1 { return "ticks" }
    return known.filter { $0.value.dimension != .number && $0.value.factor(as: wanted) == factor }.map(\.key).min {
      ($0.count, $0) < ($1.count, $1)
    }
  }

  /// What a number in this unit is multiplied by to be one of `wanted`, in SI units (counters in ticks); `nil` where it can't be.
  func factor(as wanted: Dimension) -> Double? {
    switch (dimension, wanted) {
    case _ where dimension == wanted: factor
    // A time of flight.
    case (.time, .length): factor * UWB.speedOfLightInAir
    case (.time, .counter): factor / UWB.tick
    default: nil
    }
  }
}
