import Foundation

/// Numbers as text: the same on every machine, whatever its locale.
enum NumberText {
  /// A picture coordinate: at most two decimals, no exponent, never "-0".
  ///
  /// What is not finite becomes 0, and what is far outside of any picture stops at ±1,000,000: a drawing with such
  /// values must still be valid.
  static func coordinate(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let hundredths = Int((min(max(value, -1e6), 1e6) * 100).rounded())
    return trimmed(digits(hundredths.magnitude, decimals: 2), isNegative: hundredths < 0, minus: "-")
  }

  /// Exactly `decimals` (0 … 9) places after the point, with a typographic minus; "–" for NaN.
  static func fixed(_ value: Double, decimals: Int) -> String {
    guard value.isFinite else { return notFinite(value) }
    let places = min(max(decimals, 0), 9)
    let scaled = (abs(value) * power(places)).rounded()
    guard scaled < 1e15 else { return scientific(value, digits: 4) }
    return (value < 0 && scaled > 0 ? "−" : "") + digits(UInt(scaled), decimals: places)
  }

  /// The same with its unit behind it; "–" for no value.
  static func fixed(_ value: Double?, decimals: Int, unit: String) -> String {
    value.map { "\(fixed($0, decimals: decimals)) \(unit)" } ?? "–"
  }

  /// At most `digits` significant digits, trailing zeros dropped; a power of ten below 10⁻⁵ and from 10⁷ on.
  static func significant(_ value: Double, digits count: Int = 3) -> String {
    guard value.isFinite else { return notFinite(value) }
    guard value != 0 else { return "0" }
    let exponent = Int(log10(abs(value)).rounded(.down))
    guard (-5..<7).contains(exponent) else { return scientific(value, digits: count) }
    let places = min(max(count - 1 - exponent, 0), 9)
    let scaled = UInt((abs(value) * power(places)).rounded())
    return trimmed(digits(scaled, decimals: places), isNegative: value < 0 && scaled > 0, minus: "−")
  }

  /// 10 to an integer power, as in "10⁻³".
  static func powerOfTen(_ exponent: Int) -> String {
    let superscripts: [Character: Character] = [
      "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
    ]
    return "10" + String(String(exponent).map { superscripts[$0] ?? $0 })
  }

  /// Whole numbers in groups of three, as in "12 345" (with no-break spaces).
  static func count(_ value: Int) -> String {
    let figures = Array(String(value.magnitude))
    var text = value < 0 ? "−" : ""
    for (index, figure) in figures.enumerated() {
      if index > 0, figures.count > 4, (figures.count - index).isMultiple(of: 3) { text.append("\u{202F}") }
      text.append(figure)
    }
    return text
  }

  private static func scientific(_ value: Double, digits: Int) -> String {
    var exponent = Int(log10(abs(value)).rounded(.down))
    // Two steps: 10^±320 is not a normal number.
    var mantissa = abs(value) * pow(10, Double(-exponent / 2)) * pow(10, Double(-exponent - (-exponent / 2)))
    if (mantissa * power(digits - 1)).rounded() >= power(digits) {
      mantissa /= 10
      exponent += 1
    }
    let places = min(max(digits - 1, 0), 9)
    let text = trimmed(
      self.digits(UInt((mantissa * power(places)).rounded()), decimals: places), isNegative: value < 0, minus: "−")
    return text + "×" + powerOfTen(exponent)
  }

  private static func notFinite(_ value: Double) -> String {
    value.isNaN ? "–" : value < 0 ? "−∞" : "∞"
  }

  private static func power(_ exponent: Int) -> Double {
    (0..<max(exponent, 0)).reduce(1) { product, _ in product * 10 }
  }

  private static func digits(_ scaled: UInt, decimals: Int) -> String {
    guard decimals > 0 else { return String(scaled) }
    let figures = String(scaled)
    let padded = String(repeating: "0", count: max(decimals + 1 - figures.count, 0)) + figures
    return padded.dropLast(decimals) + "." + padded.suffix(decimals)
  }

  private static func trimmed(_ text: String, isNegative: Bool, minus: String) -> String {
    var figures = Substring(text)
    if figures.contains(".") {
      while figures.last == "0" { figures.removeLast() }
      if figures.last == "." { figures.removeLast() }
    }
    return (isNegative && figures != "0" ? minus : "") + figures
  }
}
