/// One quantity against another, point by point: estimate over truth, say.
public struct ScatterPicture: Sendable, Hashable {
  public struct Group: Sendable, Hashable {
    public var name: String
    public var x: [Double]
    public var y: [Double]

    public init(name: String, x: [Double], y: [Double]) {
      self.name = name
      self.x = x
      self.y = y
    }
  }

  public var title: String
  public var subtitle: String?
  public var x: Axis
  public var y: Axis
  public var groups: [Group]
  /// Draws the line y = x.
  public var hasDiagonal: Bool

  public init(
    title: String, subtitle: String? = nil, x: Axis, y: Axis, groups: [Group], hasDiagonal: Bool = false
  ) {
    self.title = title
    self.subtitle = subtitle
    self.x = x
    self.y = y
    self.groups = groups
    self.hasDiagonal = hasDiagonal
  }

  /// A whole SVG file.
  public func svg() -> String { figure.svg() }

  public var figure: Figure { Figure(title: title, subtitle: subtitle, panels: [panel], width: 760) }

  public var panel: Panel {
    var panel = Panel(x: x, y: y, height: 520)
    panel.series = groups.enumerated().map { index, group in
      var series = Series(group.name, x: group.x, y: group.y).told(apartBy: index)
      series.line = nil
      return series
    }
    if hasDiagonal {
      let values = groups.flatMap { $0.x }.filter { $0.isFinite }
      if let low = values.min(), let high = values.max() {
        // Many points, since the line is straight on linear axes only.
        let points = (0...64).map { low + (high - low) * Double($0) / 64 }
        panel.series.append(Series("equal", x: points, y: points, ink: .strong, line: .dashed))
      }
    }
    return panel
  }
}
