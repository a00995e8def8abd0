/// Cells and colour scale of a heat map.
struct HeatMapDrawing {
  /// Width that the colour scale takes beside the plot, px.
  static let scaleWidth = 92.0

  private let map: HeatMap
  private let mapping: AxisMapping

  init(_ map: HeatMap) {
    self.map = map
    let range = map.range ?? HeatMap.range(of: map.values.joined())
    mapping = AxisMapping(Axis(map.title, scale: map.scale, range: range, padding: 0), values: [])
  }

  /// A logarithmic scale has no place for zero; it is as low as can be.
  private func place(_ value: Double) -> Double? { mapping.place(value) ?? (value.isFinite ? 0 : nil) }

  func drawCells(in plot: PlotArea, into builder: inout SVGBuilder) {
    for (row, values) in map.values.enumerated() where row + 1 < map.yEdges.count {
      for (column, value) in values.enumerated() where column + 1 < map.xEdges.count {
        guard let place = place(value), let from = plot.point(map.xEdges[column], map.yEdges[row]),
          let to = plot.point(map.xEdges[column + 1], map.yEdges[row + 1])
        else { continue }
        let text = NumberText.fixed(value, decimals: mapping.upper < 1 ? 2 : abs(value) < 9.95 ? 1 : 0) + map.unit
        let cell = Rectangle(
          left: min(from.x, to.x), top: min(from.y, to.y), width: abs(to.x - from.x), height: abs(to.y - from.y))
        let span = { (edges: [Double], index: Int) in
          NumberText.significant(edges[index]) + " … " + NumberText.significant(edges[index + 1])
        }
        let title = "\(span(map.xEdges, column)) × \(span(map.yEdges, row)): \(text)"
        let colour = ColourRamp.colour(place)
        builder.rect(cell, class: "", fill: colour.text, title: title)
        if TextMetrics.width(text, size: 11) + 4 <= cell.width, cell.height >= 14 {
          builder.text(
            text, cell.left + cell.width / 2, cell.top + cell.height / 2 + 4,
            class: colour.isLight ? "small onlight" : "small ondark", anchor: .middle)
        }
      }
    }
  }

  func drawScale(beside area: Rectangle, into builder: inout SVGBuilder) {
    let (left, steps) = (area.right + 16, 48)
    for step in 0..<steps {
      let height = area.height / Double(steps)
      // Neighbours overlap a little, or a seam shows between them.
      let cell = Rectangle(
        left: left, top: area.bottom - Double(step + 1) * height, width: 14, height: height + (step > 0 ? 0.5 : 0))
      builder.rect(cell, class: "", fill: ColourRamp.colour((Double(step) + 0.5) / Double(steps)).text)
    }
    // An arrow at an end tells that values go on there.
    let values = map.values.joined().filter(\.isFinite)
    for (isTop, goesOn) in [
      (true, values.contains { $0 > mapping.upper * (1 + 1e-9) }), (false, values.contains { $0 < mapping.lower }),
    ] where goesOn {
      let (base, tip) = isTop ? (area.top, -9.0) : (area.bottom, 9.0)
      builder.triangle(
        left: left, base: base, width: 14, height: tip, fill: ColourRamp.colour(isTop ? 1 : 0).text)
    }
    for tick in mapping.ticks(length: area.height, spacing: 34) {
      guard let place = mapping.place(tick.value), let label = tick.label else { continue }
      builder.text(label, left + 20, area.bottom - place * area.height + 4, class: "quiet small")
    }
    builder.text(
      map.title, left + 62, area.top + area.height / 2, class: "quiet", anchor: .middle, isTurned: true)
  }
}

/// Ten points of the "viridis" colour scale (van der Walt & Smith, 2015, CC0): even steps to the eye, in grey as well.
enum ColourRamp {
  private static let stops: [SIMD3<Double>] = [
    0x44_01_54, 0x48_28_78, 0x3E_49_89, 0x31_68_8E, 0x26_82_8E, 0x1F_9E_89, 0x35_B7_79, 0x6E_CE_58, 0xB5_DE_2B,
    0xFD_E7_25,
  ].map { (code: Int) in SIMD3(Double(code >> 16), Double(code >> 8 & 255), Double(code & 255)) }

  static func colour(_ place: Double) -> (text: String, isLight: Bool) {
    let position = (place.isNaN ? 0 : min(max(place, 0), 1)) * Double(stops.count - 1)
    let index = min(Int(position), stops.count - 2)
    let mix = stops[index] + (stops[index + 1] - stops[index]) * (position - Double(index))
    let figures = [mix.x, mix.y, mix.z].map { value -> String in
      let text = String(Int(value.rounded()), radix: 16)
      return text.count < 2 ? "0" + text : text
    }
    return ("#" + figures.joined(), (mix * SIMD3(0.299, 0.587, 0.114)).sum() > 125)
  }
}
