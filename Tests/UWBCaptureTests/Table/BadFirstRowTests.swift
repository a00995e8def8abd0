import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// Outdoor tables whose first row's distance, and so its carrier offset, does not belong to its counters.
@Suite("tables with a bad first row (needs UWB_DATA)", .needsRealData("ss-twr-outdoor/bad-first-row"))
struct BadFirstRowTests {
  private func distances(_ text: String) throws -> [Double?] {
    var reader = try MeasurementTable(ByteSource(content: Array(text.utf8)), kind: .ranging)
    let engine = RangingEngine(RangingEngine.Configuration(profile: .dw1000, delay: .chip))
    let workspace = engine.makeWorkspace()
    var clock = ClockTracker()
    var distances: [Double?] = []
    while let exchange = try reader.next() {
      let estimate = clock.update(exchange)
      distances.append(engine.measure(exchange, clock: estimate, using: workspace).distance)
    }
    return distances
  }

  /// Every later row is within 5 cm of what it is in the same table without the first.
  @Test(arguments: ["LOS-height-150cm-8m.csv", "NLOS-height-50cm-48m.csv"])
  func theFirstRowDoesNotMatter(name: String) throws {
    let folder = URL(fileURLWithPath: try RealData.path("ss-twr-outdoor/bad-first-row"))
    let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let whole = try distances(text)
    lines.remove(at: 1)
    let without = try distances(lines.joined(separator: "\n"))
    #expect(without.count > 50 && whole.count == without.count + 1)
    for (one, other) in zip(whole.dropFirst(), without) {
      #expect(abs(try #require(one) - (try #require(other))) < 0.05)
    }
  }
}
