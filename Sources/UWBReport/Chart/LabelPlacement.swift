/// Places for labels so that none covers another.
enum LabelPlacement {
  struct Placed: Hashable {
    /// Counted from the top.
    var row: Int
    /// px
    var left: Double
  }

  /// Labels beside vertical lines, in the first row where one fits to the right of its line or to the left.
  ///
  /// A label keeps clear of the other lines too where at most four rows allow it. Results are in the order of `lines`.
  static func besideLines(
    _ lines: [(x: Double, width: Double)], between left: Double, and right: Double, gap: Double = 4
  ) -> [Placed] {
    var taken: [[ClosedRange<Double>]] = []
    var placed = [Placed](repeating: Placed(row: 0, left: left), count: lines.count)
    for index in lines.indices.sorted(by: { (lines[$0].x, $0) < (lines[$1].x, $1) }) {
      let (x, width) = lines[index]
      let others = lines.indices.filter { $0 != index }.map { lines[$0].x }
      // Of two lines close together, the left one's label goes to the left.
      let isCrowded = others.contains { $0 >= x && $0 < x + gap + width }
      let sides = isCrowded ? [x - gap - width, x + gap] : [x + gap, x - gap - width]
      let candidates = sides.filter { $0 >= left && $0 + width <= right }
      let starts = candidates.isEmpty ? [max(left, min(x + gap, right - width))] : candidates

      func isFree(_ row: Int, _ start: Double) -> Bool {
        row >= taken.count
          || !taken[row].contains { $0.lowerBound < start + width + gap && start < $0.upperBound + gap }
      }
      func isClear(_ start: Double) -> Bool {
        !others.contains { $0 > start - 2 && $0 < start + width + 2 && abs($0 - x) > 2 }
      }
      let rows = 0..<(taken.count + 1)
      let choice =
        rows.prefix(4).lazy.flatMap { row in starts.map { (row, $0) } }.first { isFree($0, $1) && isClear($1) }
        ?? rows.lazy.flatMap { row in starts.map { (row, $0) } }.first { isFree($0, $1) }
      guard let (row, start) = choice else { continue }
      while taken.count <= row { taken.append([]) }
      taken[row].append(start...(start + width))
      placed[index] = Placed(row: row, left: start)
    }
    return placed
  }

  /// Heights near `wanted`, at least `spacing` apart and between the limits as far as there is room, in order of `wanted`.
  static func spread(_ wanted: [Double], spacing: Double, between top: Double, and bottom: Double) -> [Double] {
    let order = wanted.indices.sorted { (wanted[$0], $0) < (wanted[$1], $1) }
    var heights = wanted
    var limit = top
    for index in order {
      heights[index] = max(heights[index], limit)
      limit = heights[index] + spacing
    }
    limit = bottom
    for index in order.reversed() {
      heights[index] = min(heights[index], limit)
      limit = heights[index] - spacing
    }
    return heights
  }
}
