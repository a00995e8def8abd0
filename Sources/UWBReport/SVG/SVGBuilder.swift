/// Collects SVG elements in drawing order.
///
/// Every piece of text passes through `Markup.escape`, every coordinate through `NumberText.coordinate`, so that no
/// input can make the document ill-formed.
struct SVGBuilder {
  private(set) var markup = ""

  /// A group; `title` is what a browser shows when the pointer rests on it.
  mutating func group(
    class name: String = "", clip: String? = nil, title: String? = nil, _ content: (inout SVGBuilder) -> Void
  ) {
    open("g", class: name)
    if let clip { attribute("clip-path", "url(#\(clip))") }
    markup += ">"
    if let title { element("title", title) }
    content(&self)
    markup += "</g>\n"
  }

  mutating func path(_ data: String, class name: String) {
    guard !data.isEmpty else { return }
    open("path", class: name)
    attribute("d", data)
    markup += "/>\n"
  }

  mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, class name: String) {
    let (from, to) = (Self.pair(x1, y1), Self.pair(x2, y2))
    path("M\(from)L\(to)", class: name)
  }

  mutating func rect(_ area: Rectangle, class name: String) {
    open("rect", class: name)
    coordinates([("x", area.left), ("y", area.top), ("width", area.width), ("height", area.height)])
    markup += "/>\n"
  }

  enum Anchor: String {
    case start, middle, end
  }

  mutating func text(
    _ content: String, _ x: Double, _ y: Double, class name: String = "", anchor: Anchor = .start,
    isTurned: Bool = false
  ) {
    open("text", class: name)
    if isTurned {
      attribute("transform", "translate(\(Self.pair(x, y))) rotate(-90)")
    } else {
      coordinates([("x", x), ("y", y)])
    }
    if anchor != .start { attribute("text-anchor", anchor.rawValue) }
    markup += ">\(Markup.escape(content))</text>\n"
  }

  mutating func clipPath(id: String, _ area: Rectangle) {
    open("clipPath", class: "")
    attribute("id", id)
    markup += ">"
    rect(area, class: "")
    markup += "</clipPath>\n"
  }

  mutating func element(_ name: String, _ content: String) {
    markup += "<\(name)>\(Markup.escape(content))</\(name)>\n"
  }

  static func pair(_ x: Double, _ y: Double) -> String {
    NumberText.coordinate(x) + " " + NumberText.coordinate(y)
  }

  private mutating func open(_ name: String, class className: String) {
    markup += "<\(name)"
    if !className.isEmpty { attribute("class", className) }
  }

  private mutating func attribute(_ name: String, _ value: String) {
    markup += " \(name)=\"\(Markup.escape(value))\""
  }

  private mutating func coordinates(_ values: [(String, Double)]) {
    for (name, value) in values { attribute(name, NumberText.coordinate(value)) }
  }
}

/// An area of a picture; y grows downwards, in pixels.
struct Rectangle: Hashable {
  var left: Double
  var top: Double
  var width: Double
  var height: Double

  var right: Double { left + width }
  var bottom: Double { top + height }
}
