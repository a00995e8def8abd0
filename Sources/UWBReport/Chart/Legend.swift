/// Names of a panel's series, in rows over the plot, where they cover nothing.
struct Legend {
  private struct Entry {
    var name: String
    var ink: Ink
    var line: Series.Line?
    var marker: Series.Marker?
    /// px
    var width: Double
  }

  static let rowHeight = 18.0
  private static let swatch = 30.0
  private let rows: [[Entry]]

  init(_ panel: Panel, width: Double) {
    var rows: [[Entry]] = []
    var used = Double.infinity
    for series in panel.series {
      guard let name = series.name else { continue }
      let lines = TextMetrics.wrapped(name, to: width - Self.swatch - 8, size: Theme.fontSize)
      let entryWidth = Self.swatch + 6 + TextMetrics.width(lines[0], size: Theme.fontSize) + 14
      if used + entryWidth > width {
        rows.append([])
        used = 0
      }
      rows[rows.count - 1].append(
        Entry(name: lines[0], ink: series.ink, line: series.line, marker: series.marker, width: entryWidth))
      used += entryWidth
      // A name of several lines has rows of its own.
      for line in lines.dropFirst() {
        rows.append([Entry(name: line, ink: series.ink, line: nil, marker: nil, width: width)])
        used = .infinity
      }
    }
    self.rows = rows
  }

  /// px
  var height: Double { Double(rows.count) * Self.rowHeight }

  func draw(left: Double, top: Double, into builder: inout SVGBuilder) {
    for (index, row) in rows.enumerated() {
      var x = left
      let middle = top + (Double(index) + 0.5) * Self.rowHeight
      for entry in row {
        builder.group(class: entry.ink.className) { builder in
          if let line = entry.line {
            builder.line(x, middle, x + Self.swatch, middle, class: "line" + line.classSuffix)
          }
          if let marker = entry.marker {
            builder.path(
              "M" + SVGBuilder.pair(x + Self.swatch / 2, middle) + marker.outline, class: marker.className)
          }
        }
        builder.text(entry.name, x + Self.swatch + 6, middle + 4)
        x += entry.width
      }
    }
  }
}
