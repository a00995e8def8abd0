/// A panel with its axes settled, ready to be drawn at a place.
struct PanelDrawing {
  private static let rowHeight = 16.0
  private static let labelSpacing = 14.0
  private static let titleSpacing = 17.0

  let panel: Panel
  private let x: AxisMapping
  private let y: AxisMapping

  init(_ panel: Panel) {
    var panel = panel
    panel.height = panel.height.isFinite ? min(max(panel.height, 40), 4000) : 240
    self.panel = panel
    let x = AxisMapping(panel.x, values: panel.xValues)
    self.x = x
    // A panel that shows part of the x range scales its y axis to that part.
    y = AxisMapping(panel.y, values: panel.yValues(between: x.lower, and: x.upper))
  }

  /// Room for the y axis' labels, px.
  var leftMargin: Double {
    let widths = y.ticks(length: panel.height, spacing: AxisDrawing.spacing(height: panel.height)).compactMap {
      $0.label
    }
    .map { TextMetrics.width($0, size: Theme.fontSize) }
    // One figure more: headroom for labels may lengthen the largest number.
    return (widths.max() ?? 0) + 8 + 34 + Double(AxisDrawing.yTitle(panel).count - 1) * AxisDrawing.titleSpacing
  }

  /// Room for the labels of horizontal lines, px.
  var rightMargin: Double {
    let widths = rightLabels.map { TextMetrics.width($0.label ?? "", size: 11) + 24 }
    return max(widths.max() ?? 0, 28)
  }

  /// Of the whole panel, axes included, px.
  func height(plotWidth: Double) -> Double {
    let titles = AxisDrawing.xTitle(panel, width: plotWidth).count
    return header(plotWidth: plotWidth) + panel.height
      + (panel.x.title.isEmpty ? 24 : 42 + Double(titles - 1) * AxisDrawing.titleSpacing)
  }

  func draw(left: Double, top: Double, width plotWidth: Double, clip: String, into builder: inout SVGBuilder) {
    let area = Rectangle(
      left: left, top: top + header(plotWidth: plotWidth), width: plotWidth, height: panel.height)
    let labels = topLabels(in: area)
    var y = self.y
    if panel.y.range == nil, let rows = labels.map({ $0.placed.row + 1 }).max() {
      y.leaveHeadroom(filling: 1 - (Double(rows) * Self.rowHeight + 4) / area.height)
    }
    let plot = PlotArea(area: area, x: x, y: y)
    for (row, line) in title(plotWidth).enumerated() {
      builder.text(line, left, top + 14 + Double(row) * Self.titleSpacing, class: "name")
    }
    Legend(panel, width: plotWidth).draw(left: left, top: top + titleHeight(plotWidth), into: &builder)
    builder.clipPath(id: clip, area)
    AxisDrawing(plot: plot, panel: panel).draw(into: &builder)
    builder.group(clip: clip) { builder in
      for line in panel.lines { shade(line, in: plot, into: &builder) }
    }
    for series in panel.series { plot.draw(series, into: &builder) }
    for line in panel.lines { draw(line, in: plot, into: &builder) }
    for label in labels {
      builder.group(class: label.line.ink.className) { builder in
        builder.text(
          label.line.label ?? "", label.placed.left,
          area.top + (Double(label.placed.row) + 1) * Self.rowHeight - 3, class: "small ink halo")
      }
    }
    drawRightLabels(in: plot, into: &builder)
    if let note = panel.note ?? (panel.isEmpty ? "no data" : nil) {
      builder.text(
        TextMetrics.shortened(note, to: plotWidth - 20, size: Theme.fontSize), left + plotWidth / 2,
        area.top + area.height / 2, class: "quiet halo", anchor: .middle)
    }
  }

  private func title(_ plotWidth: Double) -> [String] {
    panel.title.map { TextMetrics.wrapped($0, to: plotWidth, size: 13) } ?? []
  }

  private func titleHeight(_ plotWidth: Double) -> Double {
    panel.title == nil ? 0 : 22 + Double(title(plotWidth).count - 1) * Self.titleSpacing
  }

  private func header(plotWidth: Double) -> Double {
    titleHeight(plotWidth) + Legend(panel, width: plotWidth).height + (panel.topAxis == nil ? 6 : 38)
  }

  private func topLabels(in area: Rectangle) -> [(line: ReferenceLine, placed: LabelPlacement.Placed)] {
    let lines = panel.lines.filter { line in
      line.axis == .x && line.label != nil && x.place(line.value).map { (0...1).contains($0) } == true
    }
    let places = lines.map { line in
      (
        x: area.left + (x.place(line.value) ?? 0) * area.width,
        width: TextMetrics.width(line.label ?? "", size: 11)
      )
    }
    return Array(zip(lines, LabelPlacement.besideLines(places, between: area.left + 2, and: area.right - 2)))
  }

  private var rightLabels: [ReferenceLine] {
    panel.lines.filter { line in
      line.axis == .y && line.label != nil && y.place(line.value).map { (0...1).contains($0) } == true
    }
  }

  private func drawRightLabels(in plot: PlotArea, into builder: inout SVGBuilder) {
    let area = plot.area
    let wanted = rightLabels.map { area.bottom - (plot.y.place($0.value) ?? 0) * area.height }
    let heights = LabelPlacement.spread(
      wanted, spacing: Self.labelSpacing, between: area.top + 4, and: area.bottom - 2)
    for (index, line) in rightLabels.enumerated() {
      builder.group(class: line.ink.className) { builder in
        let (from, to) = (SVGBuilder.pair(area.right, wanted[index]), SVGBuilder.pair(area.right + 12, heights[index]))
        builder.path("M\(from)L\(to)", class: "line thin")
        builder.text(line.label ?? "", area.right + 16, heights[index] + 4, class: "small ink")
      }
    }
  }

  private func shade(_ line: ReferenceLine, in plot: PlotArea, into builder: inout SVGBuilder) {
    guard let deviation = line.deviation, deviation.isFinite, deviation > 0, line.value.isFinite else { return }
    let mapping = line.axis == .x ? plot.x : plot.y
    guard let from = mapping.place(line.value - deviation), let to = mapping.place(line.value + deviation) else {
      return
    }
    let (low, high) = (min(max(from, 0), 1), min(max(to, 0), 1))
    guard high > low else { return }
    let area = plot.area
    let band =
      line.axis == .x
      ? Rectangle(
        left: area.left + low * area.width, top: area.top, width: (high - low) * area.width, height: area.height)
      : Rectangle(
        left: area.left, top: area.bottom - high * area.height, width: area.width, height: (high - low) * area.height)
    builder.group(class: line.ink.className) { $0.rect(band, class: "band") }
  }

  private func draw(_ line: ReferenceLine, in plot: PlotArea, into builder: inout SVGBuilder) {
    let mapping = line.axis == .x ? plot.x : plot.y
    guard let place = mapping.place(line.value), (0...1).contains(place) else { return }
    let area = plot.area
    builder.group(class: line.ink.className, title: line.label) { builder in
      let name = "line thin" + (line.line == .thin ? "" : line.line.classSuffix)
      if line.axis == .x {
        let across = area.left + place * area.width
        builder.line(across, area.top, across, area.bottom, class: name)
      } else {
        let height = area.bottom - place * area.height
        builder.line(area.left, height, area.right, height, class: name)
      }
    }
  }
}

extension Panel {
  fileprivate var xValues: [Double] {
    series.flatMap { $0.x.prefix($0.y.count) }
      + lines.filter { $0.axis == .x && $0.widensRange }.map { $0.value }
  }

  fileprivate func yValues(between low: Double, and high: Double) -> [Double] {
    var values: [Double] = []
    for series in series {
      values += zip(series.x, series.y).lazy.filter { $0.0 >= low && $0.0 <= high }.map { $0.1 }
    }
    return values + lines.filter { $0.axis == .y && $0.widensRange }.map { $0.value }
  }

  fileprivate var isEmpty: Bool {
    !series.contains { zip($0.x, $0.y).contains { $0.isFinite && $1.isFinite } }
  }
}
