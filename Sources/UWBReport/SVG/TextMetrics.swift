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
