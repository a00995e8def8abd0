/// Columns of numbers over one axis, with what belongs to them: what the charts of a group draw.
public struct PageTrack: Sendable, Encodable {
  /// A straight line in one chart.
  public struct Line: Sendable, Encodable {
    var label: String
    var x: Double?
    var y: Double?
    /// Of its place, drawn as a band.
    var deviation: Double?
    var color: PageChart.Color

    /// An upright line at `x`, or a level one at `y`.
    public init(_ label: String, x: Double? = nil, y: Double? = nil, color: PageChart.Color) {
      self.label = label
      self.x = x
      self.y = y
      self.color = color
    }
  }

  /// Events of one kind. Where they are many, one mark stands for several: `time` is that of the first, `time_end` of the last.
  struct Mark: Sendable, Encodable {
    var label: String
    var count: Int
    var color: PageChart.Color
    var columns: [String: PageColumn]
  }

  /// Impulse responses, each moved so that its first path is at tap `before`.
  struct Waterfall: Sendable, Encodable {
    var rows: Int
    var taps: Int
    var before: Int
    /// ns
    var spacing: Double
    /// A byte a tap, in base64: quarters of a dB below the strongest tap shown; 255 outside the accumulator.
    var data: String
    var columns: [String: PageColumn]
  }

  /// Entry in the list to choose from.
  public var name: String
  /// What has to be said of it.
  public var note: String?
  /// Column of the horizontal axis that a group's charts share.
  var x: String?
  private(set) var columns: [String: PageColumn] = [:]
  /// Lines by the title of their chart.
  public var lines: [String: [Line]] = [:]
  var marks: [Mark] = []
  var waterfall: Waterfall?

  /// Without columns.
  public init(name: String, note: String? = nil) {
    self.name = name
    self.note = note
  }

  /// - Parameter step: to which the values are rounded.
  public mutating func add(_ name: String, _ values: some Sequence<Double>, step: Double) {
    columns[name] = PageColumn(values, step: step)
  }
}

/// Charts over the same tracks, one track at a time; the reader chooses which.
public struct PageCharts: Sendable, Encodable {
  /// What a track is: "Capture and peer".
  public var label: String
  /// The axis that linked charts share.
  public var x: PageChart.Axis
  /// To choose from.
  public var tracks: [PageTrack]
  /// One below the other.
  public var charts: [PageChart]
  /// Whether zoom and cursor are those of all.
  public var linked: Bool
  /// Whether charts stand beside each other where there is room.
  public var columns: Bool
  /// How to begin, beside the buttons.
  public var hint: String?

  /// Creates one with the given values.
  public init(
    label: String = "Shown", x: PageChart.Axis, tracks: [PageTrack], charts: [PageChart], isLinked: Bool = false,
    isBeside: Bool = false, hint: String? = nil
  ) {
    self.label = label
    self.x = x
    self.tracks = tracks
    self.charts = charts
    linked = isLinked
    columns = isBeside
    self.hint = hint
  }
}
