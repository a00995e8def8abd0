import TestSupport
import Testing

@testable import UWBCapture

@Suite struct TapLinesTests {
  private func read(_ text: String, from tap: Int = 0, tapCount: Int = 100) -> (used: String, taps: [Int16]) {
    var samples = [Int16](repeating: 0, count: 2 * tapCount)
    let bytes = Array(text.utf8)
    let used = bytes.withUnsafeBufferPointer { TapLines.read($0, into: &samples, from: tap, tapCount: tapCount) }
    return (
      String(decoding: bytes.prefix(used.byteCount), as: UTF8.self),
      Array(samples[(2 * tap)..<(2 * (tap + used.lineCount))])
    )
  }

  private let tail = "and so on, some twenty bytes more\n"

  @Test func linesAreReadUpToTheFirstOther() {
    let text = "12, -345\r\n-32768, 32767\n0, 0\r\n"
    #expect(read(text + tail) == (text, [12, -345, -32768, 32767, 0, 0]))
  }

  @Test(arguments: [
    "32768, 0\n", "0, -32769\n", "123456, 1\n", "1,2\n", "1 , 2\n", " 1, 2\n", "--1, 2\n", "1, 2 \n", "1, \n", ", 2\n",
    "1, 2\r\r\n",
    "\n", "1, 2\0\n", "1., 2\n", "12345678, 9\n", "\u{FF}1, 2\n",
  ])
  func otherShapesAreLeftToTheLineParser(_ line: String) {
    #expect(read(line + tail).used.isEmpty)
    #expect(read("7, 8\n" + line + tail) == ("7, 8\n", [7, 8]))
  }

  @Test func noMoreThanTheTapsDueAreTaken() {
    #expect(read("1, 2\n3, 4\n5, 6\n" + tail, from: 1, tapCount: 3) == ("1, 2\n3, 4\n", [1, 2, 3, 4]))
  }

  @Test func aCutLineIsLeft() {
    #expect(read("").used.isEmpty)
    #expect(read("1, 2").used.isEmpty)
  }

  @Test func randomTapsAgreeWithTheLineParser() {
    for seed in 0..<50 as Range<UInt64> {
      var random = DecaRangingGenerator(seed: seed)
      let lines = (0..<100).map { _ in
        let shift = Int16.random(in: 0...15, using: &random)
        return
          "\(Int16.random(in: .min ... .max, using: &random) >> shift), \(Int16.random(in: .min ... .max, using: &random))"
      }
      let expected = lines.flatMap { line -> [Int16] in
        guard case .tap(let real, let imaginary) = DecaRangingLine(Array(line.utf8).span) else { return [] }
        return [Int16(real), Int16(imaginary)]
      }
      let text = lines.map { $0 + "\r\n" }.joined()
      #expect(read(text + tail) == (text, expected), "seed \(seed)")
      #expect(expected.count == 200)
    }
  }
}
