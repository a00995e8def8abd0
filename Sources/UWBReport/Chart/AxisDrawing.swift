/// Grid, frame, ticks and titles of a panel.
struct AxisDrawing {
  let plot: PlotArea
  let panel: Panel

  /// Between labels of a vertical axis, px; small panels would else be left with one.
  static func spacing(height: Double) -> Double { height < 200 ? 22 : 34 }

  /// Between the lines of an axis title, px.
  static let titleSpacing = 15.0

  static func xTitle(_ panel: Panel, width: Double) -> [String] {
    TextMetrics.wrapped(panel.x.title, to: width, size: Theme.fontSize)
  }

  static func yTitle(_ panel: Panel) -> [String] {
    TextMetrics.wrapped(panel.y.title, to: panel.height + 40, size: Theme.fontSize, lines: 4)
  }

  private var area: Rectangle { plot.area }

  func draw(into builder: inout SVGBuilder) {
    let xTicks = plot.x.ticks(length: area.width, spacing: 76)
    let yTicks = plot.y.ticks(length: area.height, spacing: AxisDrawing.spacing(height: area.height))
    drawGrid(xTicks, yTicks, into: &builder)
    drawXLabels(xTicks, into: &builder)
    drawYLabels(yTicks, into: &builder)
    for (row, line) in Self.xTitle(panel, width: area.width).enumerated() {
      builder.text(
        line, area.left + area.width / 2, area.bottom + 34 + Double(row) * Self.titleSpacing, class: "quiet",
        anchor: .middle)
    }
    let yTitle = Self.yTitle(panel)
    let widest = yTicks.compactMap { $0.label }.map { TextMetrics.width($0, size: Theme.fontSize) }.max() ?? 0
    for (row, line) in yTitle.enumerated() {
      let across = area.left - widest - 18 - Double(yTitle.count - 1 - row) * Self.titleSpacing
      builder.text(line, across, area.top + area.height / 2, class: "quiet", anchor: .middle, isTurned: true)
    }
    if let topAxis = panel.topAxis { draw(topAxis, into: &builder) }
  }

  private func drawGrid(_ xTicks: [Tick], _ yTicks: [Tick], into builder: inout SVGBuilder) {
    var (major, minor) = ("", "")
    for tick in xTicks {
      guard let place = plot.x.place(tick.value) else { continue }
      let line = "M\(SVGBuilder.pair(area.left + place * area.width, area.top))V\(NumberText.coordinate(area.bottom))"
      if tick.label == nil { minor += line } else { major += line }
    }
    for tick in yTicks {
      guard let place = plot.y.place(tick.value) else { continue }
      let height = area.bottom - place * area.height
      let line = "M\(SVGBuilder.pair(area.left, height))H\(NumberText.coordinate(area.right))"
      if tick.label == nil { minor += line } else { major += line }
    }
    builder.path(minor, class: "minor")
    builder.path(major, class: "grid")
    builder.rect(area, class: "frame")
  }

  private func drawXLabels(_ ticks: [Tick], into builder: inout SVGBuilder) {
    var free = -Double.infinity
    for tick in ticks {
      guard let place = plot.x.place(tick.value), let label = tick.label else { continue }
      let (centre, width) = (area.left + place * area.width, TextMetrics.width(label, size: Theme.fontSize))
      guard centre - width / 2 > free + 4 else { continue }
      builder.text(label, centre, area.bottom + 16, anchor: .middle)
      free = centre + width / 2
    }
  }

  private func drawYLabels(_ ticks: [Tick], into builder: inout SVGBuilder) {
    var free = Double.infinity
    for tick in ticks {
      guard let place = plot.y.place(tick.value), let label = tick.label else { continue }
      let height = area.bottom - place * area.height
      guard height < free - 13 else { continue }
      builder.text(label, area.left - 6, height + 4, anchor: .end)
      free = height
    }
  }

  private func draw(_ axis: DerivedAxis, into builder: inout SVGBuilder) {
    let ends = [plot.x.lower, plot.x.upper].map { axis.offset + axis.factor * $0 }
    guard axis.factor != 0, ends.allSatisfy({ $0.isFinite }) else { return }
    let mapping = AxisMapping(Axis(axis.title, range: min(ends[0], ends[1])...max(ends[0], ends[1])), values: [])
    var data = ""
    for tick in mapping.ticks(length: area.width, spacing: 76) {
      guard let place = plot.x.place((tick.value - axis.offset) / axis.factor), let label = tick.label else { continue }
      let across = area.left + place * area.width
      data += "M\(SVGBuilder.pair(across, area.top))v-4"
      builder.text(label, across, area.top - 8, class: "quiet", anchor: .middle)
    }
    builder.path(data, class: "frame")
    builder.text(axis.title, area.left + area.width / 2, area.top - 23, class: "quiet", anchor: .middle)
  }
}
