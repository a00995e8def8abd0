/// The known name that somebody who misspelt one may have meant.
public enum Suggestion {
  /// The name of `known` that is fewest edits (letters put in, left out, changed or swapped) from `name`, whatever the case;
  /// `nil` where none is within a third of its length. Cost O(length²) a name.
  public static func nearest(to name: String, among known: [String]) -> String? {
    let name = Array(name.lowercased().prefix(64))
    guard name.count > 1 else { return nil }
    let ranked = known.map { (name: $0, distance: distance(name, Array($0.lowercased().prefix(64)))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= max(1, name.count / 3) else {
      // A name that was begun.
      let begun = known.filter { $0.lowercased().starts(with: name) }
      return name.count >= 3 && begun.count == 1 ? begun.first : nil
    }
    return best.name
  }

  /// `Did you mean “name”? `, or nothing.
  public static func question(for name: String, among known: [String]) -> String {
    nearest(to: name, among: known).map { "Did you mean “\($0)”? " } ?? ""
  }

  /// Edits between two texts (optimal string alignment).
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var before: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var next = [row + 1]
      for (column, against) in other.enumerated() {
        var cost = min(last[column] + (letter == against ? 0 : 1), last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == against {
          cost = min(cost, before[column - 1] + 1)
        }
        next.append(cost)
      }
      (before, last) = (last, next)
    }
    return last[other.count]
  }
}
