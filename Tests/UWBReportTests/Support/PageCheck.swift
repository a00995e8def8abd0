import Foundation
import Testing

@testable import UWBReport

/// What a page holds: its markup by an XML parser, its data by a JSON parser.
struct PageCheck {
  let html: String
  let markup: PictureCheck
  let json: String
  let data: [String: Any]

  init(_ page: Page) throws {
    html = page.html { _ in "sha512-x" }
    // Scripts are no XML.
    let parts = html.components(separatedBy: "<script")
    var text = parts[0]
    for part in parts.dropFirst() {
      if let end = part.range(of: "</script>") { text += part[end.upperBound...] }
    }
    markup = PictureCheck(text)
    let start = try #require(html.range(of: "<script type=\"application/json\" id=\"data\">"))
    let rest = html[start.upperBound...]
    let end = try #require(rest.range(of: "</script>"))
    json = String(rest[..<end.lowerBound])
    data = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
  }

  var pictures: [[String: Any]] { data["pictures"] as? [[String: Any]] ?? [] }
  var groups: [[String: Any]] { data["groups"] as? [[String: Any]] ?? [] }
  /// Of the first group.
  var tracks: [[String: Any]] { groups.first?["tracks"] as? [[String: Any]] ?? [] }

  /// A column of a track as `data.js` reads it.
  static func column(_ name: String, of track: [String: Any]) throws -> [Double?]? {
    guard let column = (track["columns"] as? [String: Any])?[name] as? [String: Any] else { return nil }
    return try decoded(#require(column["data"] as? String), step: #require(column["step"] as? Double))
  }

  static func waterfall(of track: [String: Any]) -> [UInt8] {
    ((track["waterfall"] as? [String: Any])?["data"] as? String).flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
      ?? []
  }
}

/// A whole page with nothing from elsewhere, whose data no text has ended.
func expectSound(_ page: Page, sourceLocation: SourceLocation = #_sourceLocation) throws -> PageCheck {
  let check = try PageCheck(page)
  #expect(check.markup.isWellFormed, sourceLocation: sourceLocation)
  #expect(check.html.hasSuffix("</html>\n"), sourceLocation: sourceLocation)
  #expect(check.html.components(separatedBy: "</script>").count == 4, "scripts", sourceLocation: sourceLocation)
  #expect(!check.json.contains("<"), sourceLocation: sourceLocation)
  #expect(check.markup.attributes["src"] == nil && check.markup.elements["link"] == nil, sourceLocation: sourceLocation)
  #expect(check.markup.attributes["href"]?.allSatisfy { $0.hasPrefix("#") } == true, sourceLocation: sourceLocation)
  #expect(
    !check.markup.attributes.keys.contains { $0.hasPrefix("on") || $0 == "style" }, sourceLocation: sourceLocation)
  let ids = check.markup.attributes["id"] ?? []
  #expect(Set(ids).count == ids.count && ids.contains("made"), sourceLocation: sourceLocation)
  // Every link has its place, every place of charts its data.
  #expect(
    Set(check.markup.attributes["href"] ?? []).isSubset(of: ids.map { "#\($0)" }), sourceLocation: sourceLocation)
  #expect(check.data["groups"] is [Any], "the data were not encoded", sourceLocation: sourceLocation)
  #expect(
    check.markup.attributes["data-picture"] ?? [] == check.pictures.indices.map(String.init),
    sourceLocation: sourceLocation)
  #expect(
    check.markup.attributes["data-group"] ?? [] == check.groups.indices.map(String.init), sourceLocation: sourceLocation
  )
  return check
}

func decoded(_ column: PageColumn) throws -> [Double?] { try decoded(column.data, step: column.step) }

/// Variable-length integers of 7 bits a byte, low bits first: 0 for none, else 1 + the zigzag of the difference.
func decoded(_ text: String, step: Double) throws -> [Double?] {
  var (values, last, code, shift): ([Double?], Int, UInt, UInt) = ([], 0, 0, 0)
  for byte in try #require(Data(base64Encoded: text)) {
    code |= UInt(byte & 127) << shift
    shift += 7
    guard byte < 128 else { continue }
    if code == 0 {
      values.append(nil)
    } else {
      let zigzag = code - 1
      last += zigzag.isMultiple(of: 2) ? Int(zigzag / 2) : -Int(zigzag / 2) - 1
      values.append(Double(last) * step)
    }
    (code, shift) = (0, 0)
  }
  #expect(shift == 0, "the last number is cut")
  return values
}
