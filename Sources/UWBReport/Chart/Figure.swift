/// Panels under one heading: a picture of its own, or a part of a page.
public struct Figure: Sendable, Hashable {
  /// Title above the figure.
  public var title: String
  /// A line below the title; `nil` for none.
  public var subtitle: String?
  /// Plots, row by row.
  public var panels: [Panel]
  /// Panels fill the rows from left to right.
  public var columns: Int
  /// px
  public var width: Double

  /// Creates one with the given values.
  public init(
    title: String, subtitle: String? = nil, panels: [Panel], columns: Int = 1, width: Double = 960
  ) {
    self.title = title
    self.subtitle = subtitle
    self.panels = panels
    self.columns = columns
    self.width = width.isFinite ? min(max(width, 240), 8000) : 960
  }

  /// A whole SVG file: its own stylesheet, nothing from elsewhere.
  public func svg() -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + element(prefix: "u", hasStyle: true)
  }

  /// The `<svg>` element; `prefix` keeps its ids apart from those of other pictures in the page.
  func element(prefix: String, hasStyle: Bool) -> String {
    var content = SVGBuilder()
    let height = drawContent(prefix: prefix, into: &content)
    let size = [width, height].map(NumberText.coordinate)
    var root =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"uwb\" width=\"\(size[0])\" height=\"\(size[1])\" "
      + "viewBox=\"0 0 \(size[0]) \(size[1])\" role=\"img\">\n<title>\(Markup.escape(spokenTitle))</title>\n"
    if hasStyle { root += "<style>\n\(Theme.css)\n</style>\n" }
    var background = SVGBuilder()
    background.rect(Rectangle(left: 0, top: 0, width: width, height: height), class: "bg")
    return root + background.markup + content.markup + "</svg>\n"
  }

  /// What a screen reader says; a part of a page has its heading outside of the picture.
  private var spokenTitle: String {
    title.isEmpty ? panels.map { $0.title ?? $0.y.title }.joined(separator: ", ") : title
  }

  /// Returns the height that the content takes, px.
  private func drawContent(prefix: String, into builder: inout SVGBuilder) -> Double {
    var top = 12.0
    for (text, size, name) in [(title, 16.0, "head"), (subtitle ?? "", Theme.fontSize, "quiet")] where !text.isEmpty {
      for line in TextMetrics.wrapped(text, to: width - 32, size: size) {
        top += size + 4
        builder.text(line, 16, top, class: name)
      }
    }
    top = top > 12 ? top + 14 : 2
    let drawings = panels.map(PanelDrawing.init)
    let columns = max(self.columns, 1)
    let columnWidth = (width - 8) / Double(columns)
    let margins = (0..<columns).map { column in
      // Plots of a column line up, so that one x axis can be read against another.
      let members = stride(from: column, to: drawings.count, by: columns).map { drawings[$0] }
      return (left: members.map(\.leftMargin).max() ?? 0, right: members.map(\.rightMargin).max() ?? 0)
    }
    for row in stride(from: 0, to: drawings.count, by: columns) {
      var rowHeight = 0.0
      for column in 0..<min(columns, drawings.count - row) {
        let left = Double(column) * columnWidth + 4 + margins[column].left
        let plotWidth = max(columnWidth - margins[column].left - margins[column].right, 60)
        let drawing = drawings[row + column]
        drawing.draw(
          left: left, top: top, width: plotWidth, clip: "\(prefix)\(row + column)", into: &builder)
        rowHeight = max(rowHeight, drawing.height(plotWidth: plotWidth))
      }
      top += rowHeight + 18
    }
    return top
  }
}
