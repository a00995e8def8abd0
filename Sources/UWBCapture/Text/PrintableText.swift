extension String {
  /// The text with characters that steer a terminal (escape sequences, carriage returns, changes of direction) written out, as in
  /// `\u{1b}`: what files and names hold is shown, never obeyed.
  ///
  /// - Parameter keepingLines: leaves line ends and tabs as they are.
  package func printable(keepingLines: Bool = false) -> String {
    func isSteering(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x09, 0x0A: !keepingLines
      case 0...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
    guard unicodeScalars.contains(where: isSteering) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if isSteering(scalar) {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
