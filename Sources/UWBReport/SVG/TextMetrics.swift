/// Widths of text without a font at hand: enough to keep labels apart.
///
/// The figures are those of a wide sans serif (DejaVu Sans), so that narrower fonts leave room.
enum TextMetrics {
  /// px, at a font size in px
  static func width(_ text: String, size: Double) -> Double {
    text.unicodeScalars.reduce(0) { $0 + width(of: $1) } * size
  }

  /// `text`, or its beginning with an ellipsis where it is wider than `limit` px.
  static func shortened(_ text: String, to limit: Double, size: Double) -> String {
    guard width(text, size: size) > limit else { return text }
    var kept = String.UnicodeScalarView()
    var used = size
    for scalar in text.unicodeScalars {
      used += width(of: scalar) * size
      if used > limit { break }
      kept.append(scalar)
    }
    return String(kept) + "…"
  }

  /// `text` in lines of at most `limit` px, broken at spaces; a word that is longer than a line is broken anywhere. Of a text
  /// longer than any title, the end of the last line is an ellipsis.
  static func wrapped(_ text: String, to limit: Double, size: Double, lines most: Int = 12) -> [String] {
    guard width(text, size: size) > limit else { return [text] }
    var lines: [String] = []
    var rest = Substring(text)
    while !rest.isEmpty {
      guard lines.count + 1 < most, width(String(rest), size: size) > limit else {
        lines.append(shortened(String(rest), to: limit, size: size))
        break
      }
      let end = lineEnd(of: rest, to: limit, size: size)
      lines.append(String(rest[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    return lines
  }

  /// Where the first line of `text`, which is wider than `limit`, ends: one character at least is on it.
  private static func lineEnd(of text: Substring, to limit: Double, size: Double) -> Substring.Index {
    var used = 0.0
    var space: Substring.Index?
    for index in text.indices {
      used += width(String(text[index]), size: size)
      if used > limit { return space ?? max(index, text.index(after: text.startIndex)) }
      if text[index] == " ", index > text.startIndex { space = index }
    }
    return text.endIndex
  }

  /// em
  private static func width(of scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "l", "j", "I", ".", ",", ":", ";", "'", "|", "!", " ", "(", ")", "[", "]", "\u{202F}": 0.38
    case "f", "t", "r", "-", "/", "\"": 0.42
    case "m", "w", "M", "W", "@", "%", "…", "−", "×", "±", "+", "=", "<", ">", "~": 0.92
    case "A"..."Z": 0.72
    case "\u{1100}"...: 1.1
    default: 0.635
    }
  }
}
