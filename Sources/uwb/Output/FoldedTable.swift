/// An aligned table that is wider than the terminal, as several below each other: each has the column of names and as many others
/// as fit.
struct FoldedTable {
  /// The first column's characters, its indent included.
  let nameWidth: Int
  /// Where each of the other columns ends, in characters.
  private let ends: [Int]

  /// - Parameters:
  ///   - heading: the line of column names, numbers to the right: two blanks at least between them.
  ///   - nameWidth: characters up to the end of the first column.
  init(heading: String, nameWidth: Int) {
    self.nameWidth = nameWidth
    let characters = Array(heading)
    ends = characters.indices.dropFirst(nameWidth).filter { index in
      characters[index] != " " && characters[(index + 1)...].prefix(2).allSatisfy { $0 == " " }
        && (index + 1 == characters.count || index + 2 < characters.count)
    }.map { $0 + 1 }
  }

  init(nameWidth: Int, ends: [Int]) {
    self.nameWidth = nameWidth
    self.ends = ends
  }

  /// `lines` as they are where they fit `width`; the first is the heading. `nil` for a width keeps them, too.
  func fold(_ lines: [String], to width: Int?) -> [String] {
    guard let width, lines.contains(where: { $0.count > width }), ends.count > 1 else { return lines }
    var blocks: [Range<Int>] = []
    var start = nameWidth
    var last = nameWidth
    for end in ends {
      if nameWidth + end - start > width, last > start {
        blocks.append(start..<last)
        start = last
      }
      last = end
    }
    blocks.append(start..<max(last, lines.map(\.count).max() ?? last))
    return blocks.enumerated().flatMap { number, block in
      (number > 0 ? [""] : [])
        + lines.map { line in
          let characters = Array(line)
          let name = characters.prefix(nameWidth)
          let rest = characters[min(block.lowerBound, characters.count)..<min(block.upperBound, characters.count)]
          var text = String(name) + String(rest)
          while text.hasSuffix(" ") { text.removeLast() }
          return text
        }
    }
  }
}
