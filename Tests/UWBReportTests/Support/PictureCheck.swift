import Foundation
import Testing
import UWBReport

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// What a document holds, by an XML parser that knows nothing of how it was written.
final class PictureCheck: NSObject, XMLParserDelegate {
  private(set) var isWellFormed = false
  private(set) var texts: [String] = []
  private(set) var elements: [String: Int] = [:]
  private(set) var attributes: [String: [String]] = [:]
  /// The path data with the class of each path.
  private(set) var paths: [(name: String, data: String)] = []
  private var text: String?

  init(_ document: String) {
    super.init()
    let parser = XMLParser(data: Data(document.utf8))
    parser.delegate = self
    isWellFormed = parser.parse()
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes values: [String: String]
  ) {
    elements[name, default: 0] += 1
    for (key, value) in values { attributes[key, default: []].append(value) }
    if name == "path" { paths.append((values["class"] ?? "", values["d"] ?? "")) }
    if name == "text" || name == "title" { text = "" }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    text? += string
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    if name == "text" || name == "title", let text {
      texts.append(text)
      self.text = nil
    }
  }

  /// Absolute coordinates of the path data (`M`, `L`) of paths of a class.
  func points(class name: String) -> [(x: Double, y: Double)] {
    paths.filter { $0.name.split(separator: " ").contains(Substring(name)) }.flatMap { Self.points($0.data) }
  }

  static func points(_ data: String) -> [(x: Double, y: Double)] {
    var values: [(Double, Double)] = []
    for piece in data.split(whereSeparator: { "MLZ".contains($0) }) {
      let numbers = piece.split(whereSeparator: { !"-.0123456789".contains($0) }).compactMap { Double($0) }
      if numbers.count >= 2 { values.append((numbers[0], numbers[1])) }
    }
    return values.map { (x: $0.0, y: $0.1) }
  }
}

/// Checks what every picture must be: well-formed XML with no number that a viewer can't read and nothing from elsewhere.
func expectSound(_ svg: String, sourceLocation: SourceLocation = #_sourceLocation) {
  let check = PictureCheck(svg)
  #expect(check.isWellFormed, sourceLocation: sourceLocation)
  for (key, values) in check.attributes where ["d", "x", "y", "width", "height", "transform"].contains(key) {
    #expect(
      !values.contains { $0.contains("nan") || $0.contains("inf") || $0.contains("e") && key != "transform" },
      "\(key)", sourceLocation: sourceLocation)
  }
  #expect(check.elements["script"] == nil, sourceLocation: sourceLocation)
  #expect(check.attributes["href"] == nil && check.attributes["src"] == nil, sourceLocation: sourceLocation)
  let withoutNamespace = svg.replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
  #expect(
    !withoutNamespace.contains("url(http") && !withoutNamespace.contains("@import"), sourceLocation: sourceLocation)
}

/// Names as a hostile capture might carry them.
let hostileNames =
  [
    "</text></svg><script>alert(1)</script>", "\" onload=\"alert(1)", "' x='", "&amp;&#0;&unknown;", "]]>", "<!--",
    "\u{0}\u{1}\u{7F}", "\u{202E}gnp.exe", "line\nbreak\ttab", "", String(repeating: "W", count: 5000),
    "距離 📏 Ünï",
  ] + [
    String(
      String.UnicodeScalarView([0xFFFE, 0xFFFF, 0xFDD0, 0x1FFFE, 0x2028].compactMap { Unicode.Scalar($0 as UInt32) }))
  ]
