/// What somebody may have meant by a name that is not known.
enum Spelling {
  /// The nearest of `known` by insertions, deletions, replacements and swaps of neighbours (Damerau 1964), ignoring case; `nil`
  /// where more than a third of the letters would have to change.
  static func nearest(_ word: String, _ known: [String]) -> String? {
    let found = known.map { (name: $0, steps: distance(word.lowercased(), $0.lowercased())) }
      .min { $0.steps < $1.steps }
    guard let found, found.steps <= max(1, max(word.count, found.name.count) / 3) else { return nil }
    return found.name
  }

  /// ` (did you mean “delay”?)`, or the known names where none is near.
  static func hint(_ word: String, _ known: [String]) -> String {
    nearest(word, known).map { " (did you mean “\($0)”?)" } ?? "; known ones: \(known.joined(separator: ", "))"
  }

  private static func distance(_ one: String, _ other: String) -> Int {
    let (a, b) = (Array(one.unicodeScalars.prefix(64)), Array(other.unicodeScalars.prefix(64)))
    var before: [Int] = []
    var last = Array(0...b.count)
    for row in a.indices {
      var next = [row + 1]
      for column in b.indices {
        var least = min(last[column] + (a[row] == b[column] ? 0 : 1), last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, a[row] == b[column - 1], a[row - 1] == b[column] {
          least = min(least, before[column - 1] + 1)
        }
        next.append(least)
      }
      (before, last) = (last, next)
    }
    return last[b.count]
  }
}
