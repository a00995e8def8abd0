/// Errors over a grid of true directions, as one heat map for each set of them, on one colour scale.
public struct AngleErrorPicture: Sendable, Hashable {
  /// Errors over azimuth and elevation, of one method.
  public struct Map: Sendable, Hashable {
    /// Title of the map.
    public var title: String
    /// rad, elevations × azimuths; not finite where there is no answer.
    public var errors: [[Double]]

    /// Creates one with the given values.
    public init(title: String, errors: [[Double]]) {
      self.title = title
      self.errors = errors
    }
  }

  /// Title above the figure.
  public var title: String
  /// A line below the title; `nil` for none.
  public var subtitle: String?
  /// rad, positive to the right, rising
  public var azimuths: [Double]
  /// rad, positive upwards, rising
  public var elevations: [Double]
  /// The maps, side by side.
  public var maps: [Map]
  /// What the numbers are, without the unit, as in "azimuth error, rms".
  public var quantity: String

  /// Creates one with the given values.
  public init(
    title: String, subtitle: String? = nil, azimuths: [Double], elevations: [Double], maps: [Map],
    quantity: String = "rms error"
  ) {
    self.title = title
    self.subtitle = subtitle
    self.azimuths = azimuths
    self.elevations = elevations
    self.maps = maps
    self.quantity = quantity
  }

  /// A whole SVG file.
  public func svg() -> String { figure.svg() }

  /// The picture as a figure.
  public var figure: Figure {
    let isWide = maps.count > 1
    return Figure(
      title: title, subtitle: subtitle, panels: panels, columns: isWide ? 2 : 1, width: isWide ? 1240 : 760)
  }

  /// The maps as plots.
  public var panels: [Panel] {
    let (columns, rows) = (Self.edges(round: azimuths), Self.edges(round: elevations))
    let degrees = maps.map { $0.errors.map { row in row.map { abs($0) * 180 / .pi } } }
    let all = degrees.joined().joined()
    let positive = HeatMap.range(of: all.filter { $0 > 0 })
    // Errors of a few degrees must be told apart beside some of 90°.
    let isWide = positive.map { $0.upperBound > 8 * $0.lowerBound } ?? false
    let range = isWide ? positive : HeatMap.range(of: all)
    return zip(maps, degrees).map { map, values in
      var panel = Panel(
        title: map.title, x: Axis("azimuth (°)", padding: 0), y: Axis("elevation (°)", padding: 0), height: 380)
      panel.heatMap = HeatMap(
        title: "\(quantity) (°)", xEdges: columns, yEdges: rows, values: values, range: range)
      if isWide { panel.heatMap?.scale = .logarithmic }
      return panel
    }
  }

  /// Borders midway between the grid's points, in degrees.
  static func edges(round centres: [Double]) -> [Double] {
    let degrees = centres.map { $0 * 180 / .pi }
    guard let first = degrees.first, let last = degrees.last else { return [] }
    let middles = zip(degrees, degrees.dropFirst()).map { ($0 + $1) / 2 }
    let (before, after) = ((middles.first ?? first + 0.5) - first, last - (middles.last ?? last - 0.5))
    return [first - before] + middles + [last + after]
  }
}
