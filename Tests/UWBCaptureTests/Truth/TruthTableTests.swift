import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

@Suite("truth tables")
struct TruthTableTests {
  private static func table(_ text: String) throws -> TruthTable {
    try TruthTable(byteSource(text))
  }

  private static func byteSource(_ text: String) -> ByteSource {
    var left = ArraySlice(Array(text.utf8))
    return ByteSource(name: "truth.csv") { buffer in
      let count = min(buffer.count, left.count)
      buffer.copyBytes(from: left.prefix(count))
      left = left.dropFirst(count)
      return count
    }
  }

  @Test("all columns, in any order, absent ones absent")
  func columns() throws {
    let whole = try Self.table("label,capture,distance_m,elevation_deg,azimuth_deg\nLOS,a/b/1.log,2.5,-10,90\n")
    let truth = try #require(whole[capture: "elsewhere/1.log"])
    #expect(truth.distance == 2.5)
    #expect(truth.isLineOfSight == true)
    #expect(abs((truth.azimuth ?? 0) - .pi / 2) < 1e-15)
    #expect(abs((truth.elevation ?? 0) + .pi / 18) < 1e-15)
    let some = try Self.table("# a comment\r\ncapture,distance_m,label\r\n\"x,y.log\", 3 ,\r\nz.log,,NLOS\r\n")
    #expect(some[capture: "x,y.log"] == GroundTruth(distance: 3))
    #expect(some[capture: "z.log"] == GroundTruth(isLineOfSight: false))
    #expect(some[capture: "other.log"] == nil)
  }

  @Test(
    "what makes no sense is refused with its line",
    arguments: [
      ("", "is empty"), ("distance_m\n1\n", "capture"), ("capture,distance\na,1\n", "distance"),
      ("capture,distance_m\na,1\nb,far\n", "line 3"), ("capture,distance_m\na,-1\n", "line 2"),
      ("capture,azimuth_deg\na,181\n", "line 2"), ("capture,label\na,maybe\n", "line 2"),
      ("capture,label\na,LOS\nx/a,LOS\n", "line 3"), ("capture,label\na\n", "line 2"),
    ])
  func hostile(text: String, shown: String) {
    expectRefusal(of: text, showing: [shown, "truth.csv"]) { _ = try Self.table(text) }
  }

  @Test("names and their endings: what is there twice is found as by comparing each with each")
  func twice() throws {
    var random = DecaRangingGenerator(seed: 9)
    for _ in 0..<300 {
      let paths = (0..<6).map { _ in
        (0..<Int.random(in: 1...3, using: &random)).map { _ in ["a", "b", "c"].randomElement(using: &random) ?? "a" }
          .joined(separator: "/")
      }
      let isTwice = paths.indices.contains { one in
        paths[..<one].contains { $0 == paths[one] || $0.hasSuffix("/" + paths[one]) || paths[one].hasSuffix("/" + $0) }
      }
      let text = "capture,distance_m\n" + paths.enumerated().map { "\($1),\($0)\n" }.joined()
      let table = try? TruthTable(ByteSource(text: text))
      #expect((table == nil) == isTwice, "\(paths)")
      guard let table else { continue }
      for (index, path) in paths.enumerated() {
        #expect(table[capture: "/x/" + path]?.distance == Double(index))
        // A file of that name in another folder is meant where the table has the name once.
        let name = path.split(separator: "/").last ?? ""
        let isOnly = paths.count { $0 == name || $0.hasSuffix("/" + name) } == 1
        #expect((table[capture: "elsewhere/\(name)"]?.distance == Double(index)) == isOnly, "\(paths)")
      }
    }
  }

  @Test("a path of more folders than any file system has is refused")
  func deep() {
    let path = Array(repeating: "a", count: 5000).joined(separator: "/")
    expectRefusal(of: path, showing: ["line 2", "folders"]) {
      _ = try TruthTable(ByteSource(text: "capture,distance_m\n\(path),1\n"))
    }
  }
}
