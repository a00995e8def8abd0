extension PageCharts {
  /// Panels as charts to explore, one below the other.
  public init(_ panels: [Panel], isBeside: Bool = false) {
    var track = PageTrack(name: "all")
    var charts: [PageChart] = []
    for (number, panel) in panels.enumerated() {
      let title = Self.unused(panel.title ?? panel.y.title, charts.map(\.title))
      let grid = PanelGrid(panel)
      grid.add(to: &track, prefix: "p\(number)", names: panel.series.indices.map(String.init))
      track.lines[title] = panel.lines.map(PageTrack.Line.init)
      charts.append(
        PageChart(panel, title: title, prefix: "p\(number)", names: panel.series.indices.map(String.init)))
    }
    self.init(x: .init("", unit: ""), tracks: [track], charts: charts, isBeside: isBeside)
  }

  /// Panels with the same axes, one at a time; the reader chooses which.
  ///
  /// - Parameter label: what a panel is, as "Channel".
  public init(choosing label: String, from panels: [Panel]) {
    var names: [String] = []
    var series: [Series] = []
    for one in panels.flatMap(\.series) where !names.contains(one.name ?? "") {
      names.append(one.name ?? "")
      series.append(one)
    }
    var shown = panels.first ?? Panel(x: Axis(""), y: Axis(""))
    shown.series = series
    let title = shown.y.title.prefix { $0 != "(" }.trimmingSpaces
    let tracks = panels.map { panel in
      var track = PageTrack(name: panel.title ?? panel.y.title)
      PanelGrid(panel).add(
        to: &track, prefix: "p", names: panel.series.map { String(names.firstIndex(of: $0.name ?? "") ?? 0) })
      track.lines[title] = panel.lines.map(PageTrack.Line.init)
      return track
    }
    self.init(
      label: label, x: .init("", unit: ""), tracks: tracks,
      charts: [PageChart(shown, title: title, prefix: "p", names: names.indices.map(String.init))])
  }

  private static func unused(_ title: String, _ taken: [String]) -> String {
    guard taken.contains(title) else { return title }
    return (2...taken.count + 1).lazy.map { "\(title) (\($0))" }.first { !taken.contains($0) } ?? title
  }
}

extension PageTrack.Line {
  fileprivate init(_ line: ReferenceLine) {
    self.init(
      line.label ?? "", x: line.axis == .x ? line.value : nil, y: line.axis == .y ? line.value : nil,
      color: .init(line.ink))
    deviation = line.deviation
  }
}

extension PageChart {
  fileprivate init(_ panel: Panel, title: String, prefix: String, names: [String]) {
    self.init(
      title, x: Axis(panel.x, column: prefix + "x"), y: Axis(panel.y, column: nil),
      series: zip(panel.series, names).map { series, name in
        let style: Style =
          series.isStepped ? .steps : series.line == nil ? .dots : series.marker == nil ? .line : .marked
        return .init(
          series.name ?? panel.y.title.prefix { $0 != "(" }.trimmingSpaces, column: prefix + name, style,
          dash: series.line?.dash ?? [], color: .init(series.ink))
      }, note: panel.note, isConnected: true)
  }
}

extension PageChart.Axis {
  /// A title as "delay (taps)" holds its unit.
  fileprivate init(_ axis: Axis, column: String?) {
    var (label, unit) = (axis.title, "")
    if axis.title.hasSuffix(")"), let open = axis.title.lastIndex(of: "(") {
      label = axis.title[..<open].trimmingSpaces
      unit = String(axis.title[axis.title.index(after: open)...].dropLast())
    }
    self.init(
      column: column, label, unit: unit, isLogarithmic: axis.scale == .logarithmic, range: axis.range)
  }
}

extension PageChart.Color {
  fileprivate init(_ ink: Ink) {
    switch ink {
    case .series(let index): self = .series(index)
    case .neutral: self = .neutral
    case .strong: self = .strong
    }
  }
}

extension Series.Line {
  /// Lengths of strokes and gaps, px; none for a whole line.
  fileprivate var dash: [Int] {
    switch self {
    case .solid, .thin: []
    case .dashed: [7, 4]
    case .dotted: [2, 4]
    case .dashDotted: [9, 3, 2, 3]
    }
  }
}

extension StringProtocol {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

/// A panel's series on one list of places, as the columns of a chart.
private struct PanelGrid {
  /// Runs of points that a series keeps; of each the lowest and the highest value.
  private static let runs = 1024
  private let panel: Panel
  private var x: [Double] = []
  private var values: [[Double]]

  init(_ panel: Panel) {
    self.panel = panel
    values = panel.series.map { _ in [] }
    struct Point {
      var x: Double
      var series: Int
      var y: Double
    }
    var points: [Point] = []
    for (index, series) in panel.series.enumerated() {
      for (x, y) in Self.thinned(series, panel) { points.append(Point(x: x, series: index, y: y)) }
    }
    // As they came where places are equal: upright pieces of a curve stay so.
    let order = points.indices.sorted { (points[$0].x, $0) < (points[$1].x, $1) }
    for place in order {
      let point = points[place]
      if x.last != point.x || values[point.series].last?.isNaN == false {
        x.append(point.x)
        for index in values.indices { values[index].append(.nan) }
      }
      values[point.series][x.count - 1] = point.y
    }
  }

  private static func thinned(_ series: Series, _ panel: Panel) -> [(x: Double, y: Double)] {
    let points = zip(series.x, series.y).filter { x, y in
      x.isFinite && y.isFinite && (panel.x.scale != .logarithmic || x > 0) && (panel.y.scale != .logarithmic || y > 0)
    }
    guard points.count > 2 * runs else { return points.map { ($0, $1) } }
    var kept = MinMaxDecimator(capacity: runs, columns: 1)
    for (index, point) in points.enumerated() {
      kept.add(.init(exchange: index, time: point.0), [point.1])
    }
    return zip(kept.keys, kept.values(of: 0)).map { ($0.time, $1) }
  }

  func add(to track: inout PageTrack, prefix: String, names: [String]) {
    track.add(prefix + "x", x, step: Self.step(x, isLogarithmic: panel.x.scale == .logarithmic))
    let step = Self.step(values.joined(), isLogarithmic: panel.y.scale == .logarithmic)
    for (column, name) in zip(values, names) where column.contains(where: { !$0.isNaN }) {
      track.add(prefix + name, column, step: step)
    }
  }

  /// To which values are rounded: some thousandth of what they span, on logarithmic axes of the smallest.
  private static func step(_ values: some Sequence<Double>, isLogarithmic: Bool) -> Double {
    var (low, high) = (Double.infinity, -Double.infinity)
    for value in values where value.isFinite { (low, high) = (min(low, value), max(high, value)) }
    let size = isLogarithmic ? low : high > low ? high - low : abs(high)
    guard size > 0, size.isFinite else { return 1e-3 }
    return powerOfTen((commonLogarithm(size) - (isLogarithmic ? 2 : 4)).rounded(.down))
  }
}
