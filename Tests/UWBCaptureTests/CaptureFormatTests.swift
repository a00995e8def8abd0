import Foundation
import TestSupport
import Testing
import UWBCapture

@Suite struct CaptureFormatTests {
  private func text(tapCount: Int = 5) -> String {
    var writer = DecaRangingLogWriter(seed: 5)
    let exchanges = (0..<3).map { _ in writer.exchange(tapCount: tapCount) }
    return writer.head + exchanges.map { writer.text($0) }.joined()
  }

  private func count(_ reader: any CaptureReader) throws -> Int {
    var reader = reader
    var count = 0
    while try reader.next() != nil { count += 1 }
    return count
  }

  @Test(arguments: [1, 50, .max]) func contentDecides(_ chunk: Int) throws {
    let reader = try openCapture(ByteSource(text: text(), chunk: chunk))
    #expect(reader.header.format == "decaranging")
    #expect(try count(reader) == 3)
  }

  @Test func aFileIsOpenedByNameOfFormatOrWithout() throws {
    let file = try TemporaryFile(Array(text().utf8))
    #expect(try count(openCapture(file.path)) == 3)
    #expect(try count(openCapture(file.path, format: "decaranging")) == 3)
    #expect(captureByteCount(file.path) == text().utf8.count)
    #expect(captureByteCount("-") == nil)
    #expect(captureByteCount("/nowhere/missing.log") == nil)
  }

  @Test func aLogThatIsJoinedInsideAnAccumulatorIsRecognised() throws {
    let whole = text(tapCount: 1016)
    let start = try #require(whole.range(of: "Accum Len 1016\r\n")).upperBound
    let reader = try openCapture(ByteSource(text: String(whole[start...]), chunk: 64))
    #expect(try count(reader) == 2)
    #expect(reader.header.notes.isEmpty)
  }

  @Test func recognitionAsksForNoMoreThanItNeeds() throws {
    var parts = [Array("File:x.log, created by DecaRanging MP\r\n".utf8)]
    struct AskedForMore: Error {}
    let source = ByteSource(name: "live") { target in
      guard !parts.isEmpty else { throw AskedForMore() }
      let part = parts.removeFirst()
      target.copyBytes(from: part)
      return part.count
    }
    #expect(try openCapture(source).header.format == "decaranging")
  }

  @Test func emptyInputIsAnError() throws {
    let file = try TemporaryFile([])
    for format in ["auto", "decaranging"] {
      let error = #expect(throws: CaptureError.self) { try openCapture(file.path, format: format) }
      #expect(error?.problem == "is empty")
    }
  }

  @Test func unknownContentNamesTheKnownFormats() throws {
    var random = DecaRangingGenerator(seed: 1)
    let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    for content in [noise, Array("just some text\n".utf8), [0]] {
      let error = #expect(throws: CaptureError.self) { try openCapture(ByteSource(content: content)) }
      #expect(error?.remedy.contains("decaranging") == true)
    }
  }

  @Test func anUnknownFormatNameIsAnError() throws {
    let error = #expect(throws: CaptureError.self) { try openCapture("x.log", format: "pcap") }
    #expect(error?.remedy.contains("auto, ndjson, decaranging") == true)
  }
}
