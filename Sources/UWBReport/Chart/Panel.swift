/// One chart: axes and what is drawn between them, in the order series, reference lines.
public struct Panel: Sendable, Hashable {
  /// Title above the plot; `nil` for none.
  public var title: String?
  /// The horizontal axis.
  public var x: Axis
  /// The vertical axis.
  public var y: Axis
  /// The x axis in a second unit, along the top.
  public var topAxis: DerivedAxis?
  /// Of the plot area alone, px.
  public var height: Double
  /// Curves and points.
  public var series: [Series] = []
  /// Lines across the plot.
  public var lines: [ReferenceLine] = []
  /// Shown in the middle of the plot area, as in "no data".
  public var note: String?

  /// Creates one with the given values.
  public init(title: String? = nil, x: Axis, y: Axis, topAxis: DerivedAxis? = nil, height: Double = 240) {
    self.title = title
    self.x = x
    self.y = y
    self.topAxis = topAxis
    self.height = height
  }
}

/// Points in order. A value that is not finite leaves a gap; the longer of the two arrays is cut.
public struct Series: Sendable, Hashable {
  /// How points are joined.
  public enum Line: Sendable, Hashable {
    /// A style of line.
    case solid, thin, dashed, dotted, dashDotted
  }

  /// What stands at each point.
  public enum Marker: Int, Sendable, Hashable, CaseIterable {
    /// A shape that is told apart at a glance.
    case dot, square, diamond, triangle, ring, cross

    /// Those that are told apart at a glance.
    static let forSeries: [Marker] = [.dot, .square, .diamond, .triangle, .ring, .cross]
  }

  /// Its entry in the legend; `nil` for none.
  public var name: String?
  /// Places on the horizontal axis.
  public var x: [Double]
  /// Values on the vertical axis.
  public var y: [Double]
  /// Colour.
  public var ink: Ink
  /// How points are joined; `nil` for not at all.
  public var line: Line?
  /// What stands at each point; `nil` for nothing.
  public var marker: Marker?
  /// Whether a value holds until the next one's place.
  public var isStepped: Bool

  /// Creates one with the given values.
  public init(
    _ name: String? = nil, x: [Double], y: [Double], ink: Ink = .series(0), line: Line? = .solid,
    marker: Marker? = nil, isStepped: Bool = false
  ) {
    self.name = name
    self.x = x
    self.y = y
    self.ink = ink
    self.line = line
    self.marker = marker
    self.isStepped = isStepped
  }
}

/// A line across the plot at one value, with its label where no other label is.
public struct ReferenceLine: Sendable, Hashable {
  /// Axis on which the line's value is.
  public enum Axis: Sendable, Hashable {
    /// A vertical line.
    case x
    /// A horizontal line.
    case y
  }

  /// Axis on which the value is.
  public var axis: Axis
  /// Value at which the line stands.
  public var value: Double
  /// Text beside the line; `nil` for none.
  public var label: String?
  /// Colour.
  public var ink: Ink
  /// Style of the line.
  public var line: Series.Line
  /// Shades the line's standard deviation to both sides, in the axis' unit.
  public var deviation: Double?
  /// Whether a fitted range holds it.
  public var widensRange: Bool

  /// Creates one with the given values.
  public init(
    _ axis: Axis, at value: Double, label: String? = nil, ink: Ink = .strong, line: Series.Line = .thin,
    deviation: Double? = nil, widensRange: Bool = false
  ) {
    self.axis = axis
    self.value = value
    self.label = label
    self.ink = ink
    self.line = line
    self.deviation = deviation
    self.widensRange = widensRange
  }
}
