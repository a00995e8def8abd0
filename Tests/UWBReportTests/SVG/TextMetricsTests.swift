import Testing

@testable import UWBReport

@Suite struct TextMetricsTests {
  @Test func widthGrowsWithTheText() {
    #expect(TextMetrics.width("", size: 12) == 0)
    #expect(TextMetrics.width("antenna 1", size: 12) < TextMetrics.width("antenna 12", size: 12))
    #expect(TextMetrics.width("iiii", size: 12) < TextMetrics.width("mmmm", size: 12))
  }

  @Test func longTextIsShortenedToFit() {
    #expect(TextMetrics.shortened("short", to: 100, size: 12) == "short")
    for limit in [20.0, 57, 300] {
      let text = TextMetrics.shortened(String(repeating: "距Wi", count: 400), to: limit, size: 12)
      #expect(text.hasSuffix("…"))
      #expect(TextMetrics.width(text, size: 12) <= limit)
    }
  }

  @Test func longTextIsBrokenAtSpaces() {
    #expect(TextMetrics.wrapped("short", to: 100, size: 12) == ["short"])
    #expect(TextMetrics.wrapped("", to: 1, size: 12) == [""])
    let text = "first path of antenna one · chip · 3 taps later than that of the chip"
    let lines = TextMetrics.wrapped(text, to: 150, size: 12)
    #expect(lines.joined(separator: " ") == text && lines.count > 2)
    #expect(lines.allSatisfy { TextMetrics.width($0, size: 12) <= 150 })
    let word = String(repeating: "W", count: 50)
    #expect(TextMetrics.wrapped(word, to: 150, size: 12).joined() == word)
    #expect(TextMetrics.wrapped(word, to: 1, size: 12, lines: 5).count == 5)
    #expect(TextMetrics.wrapped(String(repeating: word, count: 100), to: 300, size: 12).last?.hasSuffix("…") == true)
  }
}
