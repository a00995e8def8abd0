/// One chart: axes and what is drawn between them, in the order heat map, bands, series, reference lines.
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
  /// Coloured cells below everything else; `nil` for none.
  public var heatMap: HeatMap?
  /// Shaded areas.
  public var bands: [Band] = []
  /// Curves and points.
  public var series: [Series] = []
  /// Lines across the plot.
  public var lines: [ReferenceLine] = []
  /// Places on the x axis where something happened, as short strokes at the bottom.
  public var events: Events?
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
    /// For clouds of many points.
    case speck
    /// A short upright stroke.
    case bar

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

/// A shaded area between two curves.
public struct Band: Sendable, Hashable {
  /// How the edges are joined.
  public enum Shape: Sendable, Hashable {
    /// Joined from point to point.
    case joined
    /// A box from each point's place to the next one's: the bars of a histogram. The last upper value is not used.
    case bars
  }

  /// Its entry in the legend; `nil` for none.
  public var name: String?
  /// Places on the horizontal axis.
  public var x: [Double]
  /// Lower edge at each place.
  public var lower: [Double]
  /// Upper edge at each place.
  public var upper: [Double]
  /// Colour.
  public var ink: Ink
  /// How the edges are joined.
  public var shape: Shape
  /// Whether a fitted y range holds all of it.
  public var widensRange: Bool

  /// Creates one with the given values.
  public init(
    _ name: String? = nil, x: [Double], lower: [Double], upper: [Double], ink: Ink = .series(0),
    shape: Shape = .joined, widensRange: Bool = true
  ) {
    self.name = name
    self.x = x
    self.lower = lower
    self.upper = upper
    self.ink = ink
    self.shape = shape
    self.widensRange = widensRange
  }
}

/// Things that have a place on the x axis but no value.
public struct Events: Sendable, Hashable {
  /// Entry in the legend.
  public var name: String
  /// Places on the horizontal axis.
  public var x: [Double]
  /// Colour.
  public var ink: Ink

  /// Creates one with the given values.
  public init(_ name: String, x: [Double], ink: Ink = .series(6)) {
    self.name = name
    self.x = x
    self.ink = ink
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

/// A value for each cell of a grid, as colour.
public struct HeatMap: Sendable, Hashable {
  /// Borders of the columns, one more than there are, rising.
  public var xEdges: [Double]
  /// Borders of the rows, one more than there are, rising.
  public var yEdges: [Double]
  /// rows × columns; a cell whose value is not finite stays empty.
  public var values: [[Double]]
  /// What the colours run over; `nil` for `range(of:)` of the values. Values beyond it have the colour of its end.
  public var range: ClosedRange<Double>?
  /// How values are placed along the colours.
  public var scale = Axis.Scale.linear
  /// Unit after each number, as in "°".
  public var unit: String
  /// Title of the colour scale.
  public var title: String

  /// Creates one with the given values.
  public init(
    title: String, xEdges: [Double], yEdges: [Double], values: [[Double]], range: ClosedRange<Double>? = nil,
    unit: String = ""
  ) {
    self.title = title
    self.xEdges = xEdges
    self.yEdges = yEdges
    self.values = values
    self.range = range
    self.unit = unit
  }

  /// From the 2nd to the 98th percentile of what is finite, so that a few outliers leave all others their colours; `nil` without any.
  public static func range(of values: some Sequence<Double>) -> ClosedRange<Double>? {
    let sorted = values.filter(\.isFinite).sorted()
    guard !sorted.isEmpty else { return nil }
    let cut = sorted.count / 50
    return sorted[cut]...sorted[sorted.count - 1 - cut]
  }
}
