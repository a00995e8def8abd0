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
}
