import Foundation
import Testing

@testable import UWBCapture

/// Tables as spreadsheets of many countries write them.
@Suite struct CSVTableTests {
  private static func rows(_ text: String) throws -> (header: [String], numbers: [[Double?]]) {
    var table = try CSVTable(ByteSource(text: text))
    var rows: [[Double?]] = []
    while let row = try table.next() { rows.append(row.fields.indices.map { row.number($0) }) }
    return (table.header, rows)
  }

  @Test(arguments: [
    "a,b\n1.5,-2\n", "a;b\n1,5;-2\n", "a\tb\n1,5\t-2\n", "a;b\n1.5;-2\n", "sep=;\r\na;b\r\n1,5;-2\r\n",
    "# made by hand\n\na , b\n 1.5 , \u{2212}2 \n", "\"a\",\"b\"\n\"1.5\",\"-2\"\n", "a,b\n1.5,-2,,\n", "a,b\r\n1.5,-2",
  ])
  func oneTable(_ text: String) throws {
    let (header, numbers) = try Self.rows(text)
    #expect(header == ["a", "b"])
    #expect(numbers.map { $0.prefix(2) } == [[1.5, -2]])
  }

  @Test("a comma within a number is none where commas separate, nor beside a point, nor twice")
  func noNumbers() throws {
    #expect(try Self.rows("a,b\n\"1,5\",2\n").numbers == [[nil, 2]])
    #expect(try Self.rows("a;b\n1.234,5;1,2,3\n").numbers == [[nil, nil]])
  }

  @Test func absent() {
    for word in ["", " ", "NaN", "n/a", "NULL", "-", "#N/A", "None"] { #expect(CSVDialect.isAbsent(word), "\(word)") }
    for word in ["0", "-1", "x", "nano"] { #expect(!CSVDialect.isAbsent(word), "\(word)") }
  }

  /// Against `date -u -d TIME +%s`.
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2024-02-29 12:34:56.250", 1_709_210_096.25),
    ("2024-05-17T09:30:00+02:00", 1_715_931_000),
    ("2024-05-17T09:30:00-0530", 1_715_958_000), ("2000-03-01T00:00Z", 951_868_800),
    ("1999-12-31T23:59:59,5Z", 946_684_799.5),
    ("2024/05/17 07:30:00 +00:00", 1_715_931_000), ("1.5e3", 1500), ("09:30:00.5", 34_200.5),
  ])
  func times(_ text: String, _ seconds: Double) {
    var clock = TableClock()
    #expect(clock.seconds(text, CSVDialect()) == seconds)
  }

  @Test(arguments: [
    "", "yesterday", "2024-13-01T00:00:00Z", "2024-05-17", "2024-05-17T25:00:00Z", "2024-05-17T09:30:00.Z",
    "2024-05/17T09:30Z",
    "2024-05-17T09:30:00Zx", "9:30", "2024-05-17T09:61:00Z",
  ])
  func noTimes(_ text: String) {
    var clock = TableClock()
    #expect(clock.seconds(text, CSVDialect()) == nil)
  }

  @Test("times of the day go on over midnight, a small step back does not pass it")
  func midnight() {
    var clock = TableClock()
    #expect(clock.seconds("23:59:59", CSVDialect()) == 86_399)
    #expect(clock.seconds("00:00:01", CSVDialect()) == 86_401)
    #expect(clock.seconds("00:00:00", CSVDialect()) == 86_400)
  }

  @Test func suggestions() {
    let known = ["replay", "merge", "info", "pulse-fit", "phase-fit", "dw1000"]
    for (given, meant) in [
      ("replya", "replay"), ("REPLAY", "replay"), ("inf", "info"), ("pulsefit", "pulse-fit"), ("dw100", "dw1000"),
      ("mrege", "merge"),
    ] { #expect(Suggestion.nearest(to: given, among: known) == meant) }
    for given in ["x", "nonsense", "11.log", ""] {
      #expect(Suggestion.nearest(to: given, among: known) == nil, "\(given)")
    }
  }

  @Test func printable() {
    #expect("a\u{1B}[31mb\r\n\u{9B}\u{202E}ü😀".printable() == "a\\u{1b}[31mb\\u{d}\\u{a}\\u{9b}\\u{202e}ü😀")
    #expect("a\n\tb\u{7}".printable(keepingLines: true) == "a\n\tb\\u{7}")
  }
}
