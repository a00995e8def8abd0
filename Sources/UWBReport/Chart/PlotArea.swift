/// The inside of a panel's axes: where values land in the picture, and how marks are drawn there.
struct PlotArea {
  let area: Rectangle
  let x: AxisMapping
  let y: AxisMapping

  func point(_ xValue: Double, _ yValue: Double) -> (x: Double, y: Double)? {
    guard let across = x.place(xValue), let up = y.place(yValue) else { return nil }
    return (area.left + across * area.width, area.bottom - up * area.height)
  }

  func draw(_ series: Series, into builder: inout SVGBuilder) {
    builder.group(class: series.ink.className, title: series.name) { builder in
      if let line = series.line {
        builder.path(path(of: series), class: "line" + line.classSuffix)
      }
      if let marker = series.marker {
        builder.path(markers(of: series, marker), class: marker.className)
      }
    }
  }

  private func path(of series: Series) -> String {
    var polyline = Polyline(in: area)
    var last: (x: Double, y: Double)?
    for (xValue, yValue) in zip(series.x, series.y) {
      guard let place = point(xValue, yValue) else {
        polyline.breakLine()
        last = nil
        continue
      }
      if series.isStepped, let last { polyline.add(place.x, last.y) }
      polyline.add(place.x, place.y)
      last = place
    }
    polyline.breakLine()
    return polyline.data
  }

  private func markers(of series: Series, _ marker: Series.Marker) -> String {
    struct Pixel: Hashable {
      var x: Int
      var y: Int
    }
    var seen: Set<Pixel> = []
    let inside = Polyline(in: area)
    var data = ""
    for (xValue, yValue) in zip(series.x, series.y) {
      guard let place = point(xValue, yValue), inside.contains(place) else { continue }
      // Markers on the same half pixel look like one.
      guard seen.insert(Pixel(x: Int(place.x * 2), y: Int(place.y * 2))).inserted else { continue }
      data += "M" + SVGBuilder.pair(place.x, place.y) + marker.outline
    }
    return data
  }

  func draw(_ band: Band, into builder: inout SVGBuilder) {
    builder.group(class: band.ink.className, title: band.name) { builder in
      switch band.shape {
      case .joined: builder.path(outline(of: band), class: "band")
      case .bars: builder.path(bars(of: band), class: "bar")
      }
    }
  }

  /// Heights stop just outside of the plot, whose clip path hides the rest.
  private func bounded(_ value: Double) -> Double {
    min(max(value, area.top - area.height), area.bottom + area.height)
  }

  private func outline(of band: Band) -> String {
    var data = ""
    var run: [(x: Double, low: Double, high: Double)] = []

    func flush(_ run: inout [(x: Double, low: Double, high: Double)]) {
      defer { run.removeAll(keepingCapacity: true) }
      guard run.count > 1 else { return }
      data += "M" + run.map { SVGBuilder.pair($0.x, $0.high) }.joined(separator: "L")
      data += "L" + run.reversed().map { SVGBuilder.pair($0.x, $0.low) }.joined(separator: "L") + "Z"
    }
    for (index, xValue) in band.x.enumerated() {
      guard index < band.lower.count, index < band.upper.count, let low = point(xValue, band.lower[index]),
        let high = point(xValue, band.upper[index])
      else {
        flush(&run)
        continue
      }
      let (left, lower, upper) = (min(max(low.x, area.left), area.right), bounded(low.y), bounded(high.y))
      // As many points as half pixels are enough; the widest of those that share one stays.
      if let last = run.last, last.x > area.left, Int(last.x * 2) == Int(left * 2) {
        run[run.count - 1] = (last.x, max(last.low, lower), min(last.high, upper))
      } else {
        run.append((left, lower, upper))
      }
    }
    flush(&run)
    return data
  }

  private func bars(of band: Band) -> String {
    var data = ""
    for index in band.x.indices.dropLast() where index < band.lower.count && index < band.upper.count {
      guard let from = point(band.x[index], band.lower[index]), let to = point(band.x[index + 1], band.upper[index])
      else { continue }
      let (left, right) = (min(max(from.x, area.left), area.right), min(max(to.x, area.left), area.right))
      guard right > left else { continue }
      let gap = right - left > 4 ? 0.5 : 0
      let (low, high) = (SVGBuilder.pair(left + gap, bounded(from.y)), SVGBuilder.pair(right - gap, bounded(to.y)))
      data += "M\(low)V\(NumberText.coordinate(bounded(to.y)))L\(high)V\(NumberText.coordinate(bounded(from.y)))Z"
    }
    return data
  }
}

extension Series.Line {
  var classSuffix: String {
    switch self {
    case .solid: ""
    case .thin: " thin"
    case .dashed: " dash"
    case .dotted: " dots"
    case .dashDotted: " dashdot"
    }
  }
}

extension Series.Marker {
  var className: String {
    switch self {
    case .dot: "dot"
    case .speck: "speck"
    case .square: "box"
    case .diamond, .triangle: "mark"
    case .ring, .cross, .bar: "ring"
    }
  }

  /// Drawn from the point itself.
  var outline: String {
    switch self {
    case .dot, .square, .speck: "h.01"
    case .diamond: "m0-4l4 4-4 4-4-4z"
    case .triangle: "m0-4l4 7h-8z"
    case .ring: "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"
    case .cross: "m-3-3l6 6m0-6l-6 6"
    case .bar: "m0-4v8"
    }
  }
}
