import Foundation
import Testing

@Suite struct RuleTableTests {
  /// Rules whose type is in another target.
  private static let elsewhere = [41]

  @Test("the documentation's table has every rule, with suites that have tests of that number")
  func table() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let package = tests.deletingLastPathComponent().deletingLastPathComponent()
    let document = try String(
      contentsOf: package.appending(path: "Documentation/reference/NearbySession.md"), encoding: .utf8)
    var sources: [String: String] = [:]
    for case let file as URL in try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
    where file.pathExtension == "swift" {
      sources[file.deletingPathExtension().lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
    }
    let rows = document.split(separator: "\n").filter { $0.hasPrefix("| R") }
    for rule in 1...47 where !Self.elsewhere.contains(rule) {
      let number = (rule < 10 ? "R0" : "R") + String(rule)
      guard let row = rows.first(where: { $0.hasPrefix("| \(number) ") }), let last = row.split(separator: "|").last
      else {
        Issue.record("no row for \(number)")
        continue
      }
      let suites = last.split(separator: "`").map(String.init).filter { sources[$0] != nil }
      #expect(!suites.isEmpty, "\(number)")
      for suite in suites {
        let names = sources[suite]?.split(separator: "@Test(\"").dropFirst() ?? []
        let isTested = names.contains { $0.prefix { $0 != "\"" }.prefix(8).contains(number) }
        #expect(isTested, "\(number) in \(suite)")
      }
    }
  }
}
