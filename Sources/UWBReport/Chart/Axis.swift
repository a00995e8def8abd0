/// One axis of a panel.
public struct Axis: Sendable, Hashable {
  /// How values are placed along the axis.
  public enum Scale: Sendable, Hashable {
    /// Evenly.
    case linear
    /// Logarithmic to base 10; what is not positive leaves a gap.
    case logarithmic
    /// Linear over values that are decibels already: ticks at 1, 3, 6, 10, 20 … dB.
    case decibel
  }

  /// Quantity and unit, as in "delay (taps)".
  public var title: String
  /// How values are placed along the axis.
  public var scale: Scale
  /// What the axis spans; `nil` to fit the data.
  public var range: ClosedRange<Double>?
  /// Values that a fitted range holds in any case.
  public var includes: [Double]
  /// The part of a fitted range that is added at each end.
  public var padding: Double
  /// Names of the values 0, 1, 2 …, in the place of numbers; empty for numbers.
  public var names: [String] = []

  /// Creates one with the given values.
  public init(
    _ title: String, scale: Scale = .linear, range: ClosedRange<Double>? = nil, includes: [Double] = [],
    padding: Double = 0.05
  ) {
    self.title = title
    self.scale = scale
    self.range = range
    self.includes = includes
    self.padding = padding
  }
}

/// The same axis in another unit, drawn opposite: value = `offset` + `factor` · the axis' own value.
public struct DerivedAxis: Sendable, Hashable {
  /// Title of the axis, with its unit.
  public var title: String
  /// Value where the axis' own value is 0.
  public var offset: Double
  /// Units of this axis in one unit of the axis' own.
  public var factor: Double

  /// Creates one with the given values.
  public init(_ title: String, offset: Double = 0, factor: Double) {
    self.title = title
    self.offset = offset
    self.factor = factor
  }
}

/// An axis with its range settled: values to places between 0 and 1 along it.
struct AxisMapping {
  let scale: Axis.Scale
  private let names: [String]
  private(set) var lower: Double
  private(set) var upper: Double

  init(_ axis: Axis, values: some Sequence<Double>) {
    scale = axis.scale
    names = axis.names
    let isLogarithmic = axis.scale == .logarithmic
    let limits = isLogarithmic ? 1e-15...1e15 : -1e15...1e15
    var (low, high) = (Double.infinity, -Double.infinity)
    if let range = axis.range, limits.contains(range.lowerBound), limits.contains(range.upperBound) {
      (low, high) = (range.lowerBound, range.upperBound)
    } else {
      for value in values where limits.contains(value) {
        (low, high) = (min(low, value), max(high, value))
      }
      for value in axis.includes where limits.contains(value) {
        (low, high) = (min(low, value), max(high, value))
      }
      if low < high {
        let (start, end) = (Self.transform(low, scale), Self.transform(high, scale))
        let pad = (end - start) * min(max(axis.padding, 0), 10)
        (low, high) = (Self.inverse(start - pad, scale), Self.inverse(end + pad, scale))
      }
    }
    if low > high { (low, high) = isLogarithmic ? (0.1, 10) : (0, 1) }
    // A constant still gets an axis round it; so does a range too narrow for its numbers to be told apart.
    if isLogarithmic {
      if high / low < 1 + 1e-9 { (low, high) = (low / 3, high * 3) }
    } else if high - low <= max(abs(low), abs(high)) * 1e-9 || high - low < 1e-290 {
      let pad = abs(low) < 1e-290 ? 1 : abs(low) * 0.1
      (low, high) = (low - pad, high + pad)
    }
    (lower, upper) = (low, high)
  }

  /// 0 at the lower end, 1 at the upper, less or more outside; `nil` where the axis has no place for the value.
  func place(_ value: Double) -> Double? {
    guard value.isFinite, scale != .logarithmic || value > 0 else { return nil }
    let (start, end) = (Self.transform(lower, scale), Self.transform(upper, scale))
    return (Self.transform(value, scale) - start) / (end - start)
  }

  /// Moves the upper end so that the present range fills only `fraction` of the axis.
  mutating func leaveHeadroom(filling fraction: Double) {
    let (start, end) = (Self.transform(lower, scale), Self.transform(upper, scale))
    upper = Self.inverse(start + (end - start) / min(max(fraction, 0.2), 1), scale)
  }

  func ticks(length: Double, spacing: Double) -> [Tick] {
    guard names.isEmpty else { return names.enumerated().map { Tick(value: Double($0), label: $1) } }
    let count = max(Int(length / spacing), 2)
    switch scale {
    case .linear: return Ticks.linear(lower...upper, count: count)
    case .decibel: return Ticks.decibel(lower...upper, count: count)
    case .logarithmic: return Ticks.logarithmic(lower...upper, count: count)
    }
  }

  private static func transform(_ value: Double, _ scale: Axis.Scale) -> Double {
    scale == .logarithmic ? commonLogarithm(value) : value
  }

  private static func inverse(_ value: Double, _ scale: Axis.Scale) -> Double {
    scale == .logarithmic ? powerOfTen(value) : value
  }
}
