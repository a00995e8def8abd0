/// What a chart of a page shows: which columns of a track, as what, on which axes. `chart.js` draws it.
public struct PageChart: Sendable, Encodable {
  /// Colors by role; the stylesheet has them for light and dark.
  public struct Color: Sendable, Encodable, Hashable {
    let name: String

    /// One of eight that most eyes tell apart; larger numbers start again.
    public static func series(_ index: Int) -> Color { Color(name: "c\(index & 7)") }
    /// For what stands back.
    public static let neutral = Color(name: "cn")
    /// The color of text: truth, bounds.
    public static let strong = Color(name: "cs")

    /// Writes its name.
    public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
  }

  /// An axis with its unit.
  public struct Axis: Sendable, Encodable {
    var column: String?
    var label: String
    var unit: String
    /// Seconds that become minutes or hours where there are many.
    var scaled: Bool
    var log: Bool
    /// What is shown at first along the horizontal axis, and always along the vertical one.
    var range: [Double]?

    /// - Parameters:
    ///   - column: for the horizontal axis.
    ///   - isTime: whether s may become min or h.
    public init(
      column: String? = nil, _ label: String, unit: String, isTime: Bool = false, isLogarithmic: Bool = false,
      range: ClosedRange<Double>? = nil
    ) {
      self.column = column
      self.label = label
      self.unit = unit
      scaled = isTime
      log = isLogarithmic
      self.range = range.map { [$0.lowerBound, $0.upperBound] }
    }
  }

  /// How a series is drawn.
  public enum Style: String, Sendable, Encodable {
    /// A line, a thicker one, one with dots, dots alone, steps, or filled steps.
    case line, thick, marked, dots, steps, bars
  }

  /// One column over the horizontal axis.
  public struct Series: Sendable, Encodable {
    var label: String
    var column: String
    var style: Style
    var dash: [Int]
    var color: Color

    /// Creates one with the given values.
    public init(_ label: String, column: String, _ style: Style = .line, isDashed: Bool = false, color: Color) {
      self.init(label, column: column, style, dash: isDashed ? [7, 4] : [], color: color)
    }

    /// - Parameter dash: lengths of strokes and gaps, px; none for a whole line.
    init(_ label: String, column: String, _ style: Style, dash: [Int], color: Color) {
      self.label = label
      self.column = column
      self.style = style
      self.dash = dash
      self.color = color
    }
  }

  /// A column ± `factor` times the column of its standard deviation.
  public struct Band: Sendable, Encodable {
    var label: String
    var column: String
    var deviation: String
    var factor: Double
    var color: Color

    /// The bands that hold 68 % and 95 % where errors are normal.
    public static func both(_ label: String, column: String, deviation: String, color: Color) -> [Band] {
      [("95 %", 1.96), ("68 %", 1)].map {
        Band(label: "\(label) \($0.0)", column: column, deviation: deviation, factor: $0.1, color: color)
      }
    }
  }

  /// Heading.
  public var title: String
  /// Horizontal axis.
  public var x: Axis
  /// Vertical axis.
  public var y: Axis
  /// In the order in which they are drawn.
  public var series: [Series]
  /// Behind the series.
  public var bands: [Band]
  /// A sentence for who reads the chart for the first time.
  public var note: String?
  /// Whether rows are put in the order of the horizontal axis.
  public var sorted: Bool
  /// Whether lines run across missing values.
  public var connected: Bool

  /// Creates one with the given values.
  public init(
    _ title: String, x: Axis, y: Axis, series: [Series], bands: [Band] = [], note: String? = nil,
    isSorted: Bool = false,
    isConnected: Bool = false
  ) {
    self.title = title
    self.x = x
    self.y = y
    self.series = series
    self.bands = bands
    self.note = note
    sorted = isSorted
    connected = isConnected
  }
}
