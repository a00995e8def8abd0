/// A table of a page. On a phone each row becomes a card.
public struct PageTable: Sendable {
  /// Caption.
  public var name: String?
  /// Headings, with units.
  public var columns: [String]
  /// Cells as text.
  public var rows: [[String]]
  /// Rows that are shown at once; the rest unfolds.
  static let openRows = 30
  /// Cells of a table that always stands open; a larger one is folded on a phone.
  static let plainCells = 16

  /// Creates one with the given values.
  public init(_ name: String? = nil, columns: [String], rows: [[String]] = []) {
    self.name = name
    self.columns = columns
    self.rows = rows
  }

  var html: String {
    let shown = rows.prefix(Self.openRows)
    let isLong = rows.count * columns.count > Self.plainCells
    var text = isLong ? "<details class=\"fold\" open=\"\"><summary>\(summary)</summary>\n" : ""
    text += table(isLong ? nil : name, shown)
    if rows.count > shown.count {
      text +=
        "<details><summary>\(NumberText.count(rows.count - shown.count)) rows more</summary>\n"
        + table(nil, rows.dropFirst(shown.count)) + "</details>\n"
    }
    return text + (isLong ? "</details>\n" : "")
  }

  private var summary: String {
    name.map(Markup.escape) ?? "\(NumberText.count(rows.count)) rows"
  }

  private func table(_ name: String?, _ rows: ArraySlice<[String]>) -> String {
    let numeric = columns.indices.map { column in
      self.rows.allSatisfy { row in column < row.count && Self.isNumber(row[column]) }
    }
    let kind = numeric.map { $0 ? " class=\"number\"" : "" }
    var text = "<div class=\"scroll\"><table class=\"records\">"
    if let name { text += "<caption>\(Markup.escape(name))</caption>" }
    text += "<thead><tr>"
    for (column, title) in columns.enumerated() {
      text += "<th scope=\"col\"\(kind[column])>\(Markup.escape(title))</th>"
    }
    text += "</tr></thead><tbody>\n"
    for row in rows {
      text += "<tr>"
      for (column, cell) in row.enumerated() where column < columns.count {
        text +=
          "<td data-label=\"\(Markup.escape(columns[column]))\"\(kind[column])><span>\(Markup.escape(cell))</span></td>"
      }
      text += "</tr>\n"
    }
    return text + "</tbody></table></div>\n"
  }

  private static func isNumber(_ cell: String) -> Bool {
    cell == "–" || cell.first.map { $0.isNumber || $0 == "−" || $0 == "-" } ?? true
  }
}
