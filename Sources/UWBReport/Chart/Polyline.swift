/// Path data of a series inside the plot area.
///
/// Lines are cut exactly where they leave the area (Liang & Barsky, ACM Transactions on Graphics 3, 1984), so that no
/// value, however large, can bend one. Many points in one half-pixel column shrink to the first, lowest, highest and
/// last (Jugel et al., "M4", VLDB 2014), which look the same.
struct Polyline {
  private let area: Rectangle
  private var column: [(x: Double, y: Double)] = []
  private var columnIndex = Int.min
  private var previous: (x: Double, y: Double)?
  private var pen: (x: Double, y: Double)?
  private var runLength = 0
  private(set) var data = ""

  init(in area: Rectangle) {
    self.area = area
  }

  mutating func add(_ x: Double, _ y: Double) {
    // Beyond this, differences of coordinates lose the picture's size.
    let bound = 1e12
    let point = (x: min(max(x, -bound), bound), y: min(max(y, -bound), bound))
    let index = Int((point.x * 2).rounded(.down))
    if index != columnIndex { flushColumn() }
    columnIndex = index
    column.append(point)
    if column.count > 64 { column = Self.extremes(of: column) }
  }

  /// Ends the present run: the next point starts another.
  mutating func breakLine() {
    flushColumn()
    // A lone point has no length; a round cap makes a dot of it.
    if runLength == 1, let point = previous, contains(point) {
      data += "M\(SVGBuilder.pair(point.x, point.y))h.01"
    }
    (previous, pen, runLength) = (nil, nil, 0)
  }

  func contains(_ point: (x: Double, y: Double)) -> Bool {
    point.x >= area.left - 0.01 && point.x <= area.right + 0.01 && point.y >= area.top - 0.01
      && point.y <= area.bottom + 0.01
  }

  private mutating func flushColumn() {
    for point in Self.extremes(of: column) { draw(to: point) }
    column.removeAll(keepingCapacity: true)
    columnIndex = Int.min
  }

  private mutating func draw(to point: (x: Double, y: Double)) {
    runLength += 1
    defer { previous = point }
    guard let from = previous, let (start, end) = clip(from, point) else { return }
    if pen == nil || pen?.x != start.x || pen?.y != start.y {
      data += "M\(SVGBuilder.pair(start.x, start.y))"
    }
    data += "L\(SVGBuilder.pair(end.x, end.y))"
    pen = end
  }

  private static func extremes(of column: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
    guard column.count > 4 else { return column }
    var (lowest, highest) = (0, 0)
    for index in column.indices {
      if column[index].y < column[lowest].y { lowest = index }
      if column[index].y > column[highest].y { highest = index }
    }
    return Set([0, lowest, highest, column.count - 1]).sorted().map { column[$0] }
  }

  private func clip(
    _ from: (x: Double, y: Double), _ to: (x: Double, y: Double)
  ) -> ((x: Double, y: Double), (x: Double, y: Double))? {
    let (dx, dy) = (to.x - from.x, to.y - from.y)
    var (start, end) = (0.0, 1.0)
    let edges = [
      (-dx, from.x - area.left), (dx, area.right - from.x), (-dy, from.y - area.top), (dy, area.bottom - from.y),
    ]
    for (slope, distance) in edges {
      if slope == 0 {
        if distance < 0 { return nil }
      } else if slope < 0 {
        start = max(start, distance / slope)
      } else {
        end = min(end, distance / slope)
      }
    }
    guard start <= end else { return nil }
    return (
      start == 0 ? from : (from.x + start * dx, from.y + start * dy),
      end == 1 ? to : (from.x + end * dx, from.y + end * dy)
    )
  }
}
