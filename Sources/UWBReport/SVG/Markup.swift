/// Text that is safe inside an XML or HTML element or a quoted attribute.
enum Markup {
  /// Escapes the five markup characters and makes whatever XML 1.0 forbids visible.
  ///
  /// Capture and peer names come from files that anybody may have written. Line breaks and tabs become spaces.
  /// Control characters, non-characters and direction overrides (which would let a name reorder the text round it)
  /// become U+FFFD.
  static func escape(_ text: String) -> String {
    var safe = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: safe.append(contentsOf: "&amp;".unicodeScalars)
      case 0x3C: safe.append(contentsOf: "&lt;".unicodeScalars)
      case 0x3E: safe.append(contentsOf: "&gt;".unicodeScalars)
      case 0x22: safe.append(contentsOf: "&quot;".unicodeScalars)
      case 0x27: safe.append(contentsOf: "&#39;".unicodeScalars)
      case 0x09, 0x0A, 0x0D: safe.append(" ")
      case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: safe.append("\u{FFFD}")
      case let value where value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(value): safe.append("\u{FFFD}")
      default: safe.append(scalar)
      }
    }
    return String(safe)
  }
}
