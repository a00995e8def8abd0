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
    case .square: "box"
    case .diamond, .triangle: "mark"
    case .ring, .cross: "ring"
    }
  }

  /// Drawn from the point itself.
  var outline: String {
    switch self {
    case .dot, .square: "h.01"
    case .diamond: "m0-4l4 4-4 4-4-4z"
    case .triangle: "m0-4l4 7h-8z"
    case .ring: "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"
    case .cross: "m-3-3l6 6m0-6l-6 6"
    }
  }
}
