import Testing

@testable import UWBReport

@Suite struct MarkupTests {
  @Test func markupCharactersAreEscaped() {
    #expect(Markup.escape("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;")
  }

  @Test func forbiddenCharactersBecomeVisible() {
    let nonCharacters = String(
      String.UnicodeScalarView([0xFFFE, 0x1FFFF, 0xFDD1].compactMap { Unicode.Scalar($0 as UInt32) }))
    #expect(nonCharacters.unicodeScalars.count == 3)
    #expect(Markup.escape(nonCharacters) == "\u{FFFD}\u{FFFD}\u{FFFD}")
    #expect(Markup.escape("a\u{0}b\u{7F}c\u{9F}") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}")
    #expect(Markup.escape("\u{202E}x\u{2066}") == "\u{FFFD}x\u{FFFD}")
  }

  @Test func lineBreaksBecomeSpacesAndOtherScriptsStay() {
    #expect(Markup.escape("a\nb\tc\r") == "a b c ")
    #expect(Markup.escape("距離 📏 ±σ") == "距離 📏 ±σ")
  }

  @Test(arguments: hostileNames) func hostileTextSurvivesAParser(_ name: String) {
    var builder = SVGBuilder()
    builder.group(class: name, title: name) { builder in
      builder.text(name, 0, 0, class: name)
      builder.rect(Rectangle(left: 0, top: 0, width: 1, height: 1), class: name)
    }
    let check = PictureCheck(builder.markup)
    #expect(check.isWellFormed)
    #expect(check.elements == ["g": 1, "text": 1, "rect": 1, "title": 1])
    let cleaned = name.unicodeScalars.contains { $0.value < 0x20 || $0.value > 0x7E } ? nil : name
    if let cleaned { #expect(check.texts.contains(cleaned)) }
  }
}
