import Foundation
import TestSupport
import Testing
import UWBDSP

@testable import UWBCapture

/// The formats of one firmware or data set each, on fixtures made from their field tables.
@Suite struct ReaderTests {
  private func read(_ reader: any CaptureReader) throws -> (records: [ReaderFixture.Expected], skipped: [String: Int]) {
    let reading = try CaptureReading(reader)
    return (reading.exchanges.map { ReaderFixture.Expected($0) }, reading.skipped)
  }

  private func read(_ format: String, _ bytes: [UInt8], chunk: Int = .max) throws -> (
    records: [ReaderFixture.Expected], skipped: [String: Int]
  ) {
    try read(CaptureFormat.open(format, ByteSource(content: bytes, chunk: chunk)))
  }

  @Test(arguments: ReaderFixture.formats, [7, .max])
  func everyFieldIsReadAndTheFormatRecognised(_ format: String, _ chunk: Int) throws {
    let fixture = ReaderFixture(format, count: 9, seed: 41)
    let reader = try openCapture(ByteSource(content: fixture.bytes, chunk: chunk))
    #expect(reader.header.format == format)
    let reading = try read(reader)
    #expect(reading.records.count == 9 && reading.skipped.isEmpty, "\(reading.skipped)")
    for (one, other) in zip(reading.records, fixture.expected) { #expect(one == other) }
  }

  @Test(arguments: ReaderFixture.formats)
  func cutAtEveryByte(_ format: String) throws {
    let fixture = ReaderFixture(format, count: 2, seed: 42, hasAccumulators: false)
    for cut in fixture.bytes.indices {
      do {
        let reading = try read(format, Array(fixture.bytes[..<cut]), chunk: cut % 3 == 0 ? 11 : .max)
        // A CR ends a line, too.
        let slack = format == "ultrawidelock" ? 1 : 0
        let whole = fixture.ends.count { $0 <= cut + slack }
        #expect(Array(reading.records.prefix(whole)) == Array(fixture.expected.prefix(whole)), "cut at \(cut)")
        // What of a frame stands before its CIR is a reception without one; whether more would have come nobody knows.
        let hasHead = reading.records.count == whole + 1 && reading.records.last?.responses.isEmpty == true
        #expect(reading.records.count == whole || hasHead, "cut at \(cut)")
        let isBetween =
          hasHead || whole == 2 || cut == 0 || fixture.ends.contains { $0 == cut + slack || $0 == cut || $0 + 1 == cut }
        #expect(format == "eth-dual-antenna" || isBetween || !reading.skipped.isEmpty, "cut at \(cut): lost in silence")
      } catch let error as CaptureError {
        #expect(format == "bregar" && cut < 200 && !error.remedy.isEmpty, "cut at \(cut): \(error)")
      }
    }
  }

  @Test("an accumulator of 12 kB, cut at every byte: the reception stays, its CIR is counted as lost")
  func ethAccumulatorCutAtEveryByte() throws {
    let fixture = ReaderFixture("eth-dual-antenna", count: 1, seed: 50)
    let whole = try #require(fixture.expected.first)
    let mark = Array("BLOB / twr".utf8)
    let lastLine = try #require(fixture.bytes.indices.last { fixture.bytes[$0...].starts(with: mark) })
    for cut in fixture.bytes.indices {
      let reading = try read("eth-dual-antenna", Array(fixture.bytes[..<cut]), chunk: cut % 3 == 0 ? 1011 : .max)
      #expect(reading.records.count <= 1, "cut at \(cut)")
      guard let record = reading.records.first else { continue }
      if record.responses.isEmpty {
        #expect(cut < lastLine, "cut at \(cut)")
      } else {
        #expect(record.responses == whole.responses && cut + 20 > lastLine, "cut at \(cut)")
      }
    }
  }

  @Test(
    "complex numbers as Python writes them",
    arguments: [
      ("(12-7j)", SIMD2<Float>(12, -7)), ("(-12+7j)", SIMD2(-12, 7)), ("12-7j", SIMD2(12, -7)), ("7j", SIMD2(0, 7)),
      ("(0-0j)", SIMD2(0, 0)), ("(12345678-7j)", SIMD2(12_345_678, -7)), ("(1.5-7e1j)", SIMD2(1.5, -70)),
      ("(12+-7j)", nil), ("(12--7j)", nil), ("(12-7)", nil), ("(12-7j", nil), ("(-j)", nil), ("(-)", nil), ("(", nil),
    ])
  func complexNumbers(_ text: String, _ expected: SIMD2<Float>?) throws {
    let sample = Array("\"\(text)\"".utf8).withUnsafeBytes { bytes in
      var cursor = JSONCursor(bytes)
      return cursor.complex()
    }
    #expect(sample.map { SIMD2($0.real, $0.imaginary) } == expected)
  }

  @Test(arguments: ReaderFixture.formats)
  func mutated(_ format: String) throws {
    let fixture = ReaderFixture(format, count: 2, seed: 43, hasAccumulators: false)
    var random = DecaRangingGenerator(seed: 44)
    for round in 0..<2000 {
      let mutation = MutatedBytes(
        fixture.bytes, most: 3, [.flippedBit, .otherByte, .nine, .lostByte, .strayByte], using: &random)
      do {
        let reading = try read(format, mutation.bytes, chunk: round % 5 == 0 ? 13 : .max)
        let whole = fixture.ends.count { $0 <= mutation.firstError }
        #expect(
          Array(reading.records.prefix(whole)) == Array(fixture.expected.prefix(whole)),
          "\(format), seed 44, round \(round)")
        #expect(
          reading.records.count >= 2 || !reading.skipped.isEmpty, "\(format), seed 44, round \(round): lost in silence")
        #expect(reading.records.count <= 4, "\(format), seed 44, round \(round)")
      } catch let error as CaptureError {
        #expect(
          format == "bregar" && mutation.firstError < 200 && !error.remedy.isEmpty, "\(error), seed 44, round \(round)")
      }
    }
  }

  @Test func eachIsToldFromAllOthers() throws {
    let fixtures = ReaderFixture.formats.map { ($0, ReaderFixture($0, count: 1, seed: 45).bytes) }
    let captures = MadeUpCapture.formats.map { ($0, MadeUpCapture.make($0, count: 1, tapCount: 8, seed: 46).bytes) }
    for (format, bytes) in fixtures + captures {
      let matches = CaptureFormat.all.filter { $0.recognise(bytes.span) == .yes }.map(\.name)
      #expect(matches == [format])
    }
  }

  @Test("STS segments come back from a recording and from lines", arguments: ["a.sigmf-meta", "a.ndjson"])
  func stsSegments(_ name: String) throws {
    let folder = try TemporaryFolder()
    let fixture = ReaderFixture("eth-dual-antenna", count: 3, seed: 47)
    var reader = try openCapture(ByteSource(content: fixture.bytes))
    let writer = try createCapture("\(folder.path)/\(name)", header: reader.header)
    while let exchange = try reader.next() { try writer.append(exchange) }
    try writer.finish()
    #expect(writer.lost.isEmpty)
    let reading = try read(openCapture("\(folder.path)/\(name)"))
    #expect(reading.skipped.isEmpty && reading.records == fixture.expected)
  }

  @Test("formats without a place for STS segments say so", arguments: ["a.csv", "a.npy"])
  func stsSegmentsAreLost(_ name: String) throws {
    let folder = try TemporaryFolder()
    var reader = try openCapture(ByteSource(content: ReaderFixture("eth-dual-antenna", count: 2, seed: 48).bytes))
    let writer = try createCapture("\(folder.path)/\(name)", header: reader.header)
    while let exchange = try reader.next() { try writer.append(exchange) }
    try writer.finish()
    #expect(writer.lost.counts["stsSegments"] == 4)
  }

  @Test func anStsSegmentWithoutItsMessageIsStray() throws {
    let folder = try TemporaryFolder()
    var reader = try openCapture(ByteSource(content: ReaderFixture("eth-dual-antenna", count: 1, seed: 49).bytes))
    let writer = try createCapture("\(folder.path)/a.sigmf-meta", header: reader.header)
    while let exchange = try reader.next() { try writer.append(exchange) }
    try writer.finish()
    let path = "\(folder.path)/a.sigmf-meta"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try text.replacing("\"uwb:sts_segment\":1", with: "\"uwb:sts_segment\":3").write(
      toFile: path, atomically: true, encoding: .utf8)
    let reading = try CaptureReading(openCapture(path))
    #expect(reading.skipped == ["strayStsSegment": 2] && reading.exchanges.count == 1)
    #expect(reading.exchanges[0].poll.reception?.stsImpulseResponses.isEmpty == true)
  }

  // MARK: Lines by hand

  @Test("the firmware's published example", .needsRealData("uci"))
  func ethExample() throws {
    struct Example: Decodable { var lines: [String] }
    let file = try RealData.path("uci/reader-eth-blobs.json")
    let example = try JSONDecoder().decode(Example.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    let text = example.lines.joined(separator: "\n") + "\n"
    let record = try #require(try read("eth-dual-antenna", Array(text.utf8)).records.first)
    #expect(record.phaseDifferences == [-515.0 / 2048] && record.firstPath == 737.25 && record.preambleCount == 63)
    #expect(record.amplitudes == SIMD3<Double>(2250, 3000, 2000))
    #expect(record.distance == 7131.221 && record.ticks == 0x55_4433_2211)
    let turned = 35 * Double.pi / 180
    #expect(abs((record.trueAzimuth ?? 0) - turned) < 1e-9)
  }

  @Test func ethFailuresAndOddBlobs() throws {
    let text = """
      0001.00000: New Frame: poll: 1
      0001.10000: Timeout
      0001.10000: bad STS
      0001.10000: BLOB / toa / v4 / 43
      XXXX.XXXXX: Data: AAAA
      XXXX.XXXXX: Data: AAAA
      0001.10000: BLOB / toa / v3 / 43
      XXXX.XXXXX: Data: AAAA
      0001.20000: BLOB / toa
      hello

      """
    let reading = try read("eth-dual-antenna", Array(text.utf8))
    #expect(reading.records.isEmpty)
    #expect(reading.skipped == ["failedFrame": 2, "otherBlob": 1, "strayBlob": 1, "damagedBlob": 2, "otherLine": 1])
  }

  @Test func lockFramesWithoutTapsAndDamagedOnes() throws {
    let fixture = ReaderFixture("ultrawidelock", count: 2, seed: 50)
    let lines = String(decoding: fixture.bytes, as: UTF8.self).split(separator: "\r\n").map { "\($0)\n" }
    let diagnosticsAlone = try read("ultrawidelock", Array((lines[0] + lines[65...].joined()).utf8))
    #expect(diagnosticsAlone.records.count == 2 && diagnosticsAlone.skipped.isEmpty)
    #expect(
      diagnosticsAlone.records[0].responses.isEmpty
        && diagnosticsAlone.records[1].responses == fixture.expected[1].responses)
    let missing = try read("ultrawidelock", Array((lines[..<10].joined() + lines[11...].joined()).utf8))
    #expect(missing.records.count == 1 && missing.skipped == ["damagedAccumulator": 1])
    let joinedLate = try read("ultrawidelock", Array(lines[30...].joined().utf8))
    #expect(joinedLate.records.count == 1 && joinedLate.skipped == ["strayRow": 1])
  }

  @Test("hexadecimal frames: lines of whole frames find back, others can't")
  func hexAlignment() throws {
    let fixture = ReaderFixture("dw3000-hex", count: 4, seed: 51)
    let text = String(decoding: fixture.bytes, as: UTF8.self)
    let octets = text.split(separator: " ").map(String.init)
    func lines(_ length: Int, without lost: Int) -> [UInt8] {
      var rows = stride(from: 0, to: octets.count, by: length).map {
        Array(octets[$0..<min(octets.count, $0 + length)])
      }
      if lost >= 0 { rows[lost].remove(at: 5) }
      return Array(rows.map { $0.joined(separator: " ") + "\r\n" }.joined().utf8)
    }
    for length in [16, 600, 1200] {
      #expect(try read("dw3000-hex", lines(length, without: -1)).records == fixture.expected)
    }
    let found = try read("dw3000-hex", lines(600, without: 1))
    #expect(found.records == [fixture.expected[0], fixture.expected[2], fixture.expected[3]])
    #expect(found.skipped.values.reduce(0, +) == 1)
    let gone = try read("dw3000-hex", lines(16, without: 40))
    #expect(gone.records == [fixture.expected[0]] && gone.skipped == ["lostAlignment": 1])
  }

  @Test func bregarRecordsThatMakeNoSense() throws {
    func records(_ list: String) throws -> (records: [ReaderFixture.Expected], skipped: [String: Int]) {
      try read("bregar", Array("{\"anchors\":[],\"measurements\":{\"p\":{\"A1\":{\"ch1\":[\(list)]}}}}".utf8))
    }
    for cir in ["\"(1+2)\"", "\"1+2j\",3", "\"(1+2j\"", "\"\"", "\"j\"", "\"+-1j\"", "\"(1+nanj)\""] {
      let reading = try records("{\"range\":1,\"cir\":[\(cir)]},{\"range\":2,\"cir\":[\"1j\"]}")
      #expect(reading.records.map(\.distance) == [2] && reading.skipped == ["damagedRecord": 1], "\(cir)")
    }
    #expect(try records("{\"range\":1,\"fp_index\":5,\"cir\":[\"1\"]}").skipped == ["firstPathOutside": 1])
    #expect(try records("{\"range\":1e300}").skipped == ["damagedRecord": 1])
    #expect(try records("{\"rss\":-80}, 7").skipped == ["damagedRecord": 2])
    #expect(try records("{\"range\":1}").records.count == 1)
    #expect(try records("{\"range\":1},").skipped == ["damagedRecord": 1])
    #expect(try records("{\"range\":1}}").skipped == ["truncatedFile": 1])
    let long = try records("{\"range\":1,\"cir\":[\"\(String(repeating: "1", count: 300_000))\"]},{\"range\":2}")
    #expect(long.records.map(\.distance) == [2] && long.skipped == ["recordTooLong": 1])
  }
}
