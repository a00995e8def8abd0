import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBTypes

/// UCI traffic as people's programs print it.
@Suite struct UCILogTests {
  private static let round = UCIRecordingTests.round
  private static let start = ["2000000100", "4000000100", "210000052a00000000", "410000050001000000"]

  /// The same text with something between pairs of digits.
  private static func spaced(_ hex: String, by separator: String, upper: Bool = false) -> String {
    let digits = Array(upper ? hex.uppercased() : hex)
    return stride(from: 0, to: digits.count, by: 2).map { String(digits[$0..<$0 + 2]) }.joined(separator: separator)
  }

  private static func read(_ text: String) throws -> ([RangingExchange], SkippedInput) {
    var reader = UCILog(source(text))
    var exchanges: [RangingExchange] = []
    while let exchange = try reader.next() { exchanges.append(exchange) }
    return (exchanges, reader.skipped)
  }

  private static func source(_ text: String) -> ByteSource {
    var rest = Array(text.utf8)[...]
    return ByteSource(name: "log") { target in
      let count = min(target.count, rest.count, 11)
      target.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
  }

  @Test(
    "prefixes and separators of all kinds",
    arguments: [
      ("> ", ""), ("< ", " "), ("2025-05-06T14:03:21.001000 NXPUCIR <= ", " "), ("send: ", "."), ("TX: ", ":"),
      ("11-23 05:27:17.123  1234  5678 D UwbUci: ", ""), ("", ""), ("[12.5] RX ", "-"), ("rx=", ", 0x"), (">", ""),
      ("2025-05-06 14:03:21.001 ", " "), ("1746540201.5 < ", " "),
    ])
  func forms(prefix: String, separator: String) throws {
    let lines = (Self.start + [Self.round]).map { hex in
      prefix + (separator.hasSuffix("0x") ? "0x" : "") + Self.spaced(hex, by: separator, upper: prefix.count % 2 == 0)
    }
    let text = lines.joined(separator: "\r\n") + "\n"
    let (exchanges, skipped) = try Self.read(text)
    #expect(exchanges.map(\.ready?.distance) == [2.1] && skipped.isEmpty, "\(skipped.counts)")
    #expect(try openCapture(Self.source(text)).header.format == "uci-log")
  }

  @Test("times of the lines, of the day, or the intervals of the rounds")
  func times() throws {
    func text(_ prefixes: [String]) -> String {
      prefixes.enumerated().map { index, prefix in
        var digits = Array(Self.round)
        digits[9] = Character(String(index))
        return prefix + String(digits) + "  # round \(index)\n"
      }.joined()
    }
    func seconds(_ prefixes: [String]) throws -> [Double] {
      try Self.read(text(prefixes)).0.map { ($0.time * 1000).rounded() / 1000 }
    }
    #expect(try seconds(["1.5 ", "1.75 ", "2.5 "]) == [0, 0.25, 1])
    #expect(try seconds(["23:59:59.5 < ", "00:00:00.5 < "]) == [0, 1])
    #expect(try seconds(["2025-05-06T14:03:21.25Z ", "2025-05-06T14:03:22Z "]) == [0, 0.75])
    #expect(try seconds(["", "> ", ""]) == [0, 0.2, 0.4])
  }

  @Test("lines of anything else are counted with their place, comments and blank ones are not")
  func otherLines() throws {
    let (exchanges, skipped) = try Self.read("# log\n\nhello\n12 34\n\(Self.round)\n6200\n")
    #expect(exchanges.count == 1 && skipped.counts == ["otherLine": 3] && skipped.firstPlaces["otherLine"] == "line 3")
  }

  @Test(
    "numbers in columns are no traffic", arguments: ["20000000\n30000000\n", "1,20000000\n2,40000000\n", "21 0 0 5\n"])
  func numbers(text: String) {
    #expect((try? openCapture(Self.source(text)))?.header.format != "uci-log")
  }

  @Test("cut off at every byte it gives no round but the whole one")
  func truncated() throws {
    let text = Array((Self.start + [Self.round]).map { "< " + $0 }.joined(separator: "\n").utf8)
    for count in 0...text.count {
      let (exchanges, _) = try Self.read(String(decoding: text.prefix(count), as: UTF8.self))
      #expect(exchanges.count == (count == text.count ? 1 : 0))
    }
  }

  @Test("the described dialogue", .needsRealData("uci"))
  func dialogue() throws {
    let path = try RealData.path("uci") + "/dialogue-constructed.txt"
    var reader = try openCapture(path)
    var exchanges: [RangingExchange] = []
    while let exchange = try reader.next() { exchanges.append(exchange) }
    #expect(exchanges.map { $0.ready?.distance.map { ($0 * 100).rounded() } } == [210, 211, nil])
    #expect(reader.skipped.isEmpty, "\(reader.skipped.counts)")
  }
}
