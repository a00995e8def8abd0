import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// What holds for every format that logs single receptions.
@Suite struct FormatTests {
  @Test(arguments: MadeUpCapture.formats, [1, 7, .max])
  func everythingComesBack(_ format: String, _ chunk: Int) throws {
    let capture = MadeUpCapture.make(format, count: 5, tapCount: 9, seed: 3)
    let reading = try CaptureReading(openCapture(ByteSource(content: capture.bytes, chunk: chunk)))
    #expect(reading.header.format == format)
    #expect(reading.expected == capture.expected)
    #expect(reading.skipped.isEmpty)
    #expect(reading.exchanges.map(\.index) == Array(0..<5))
    for exchange in reading.exchanges {
      #expect(exchange.poll.transmitted == nil && exchange.response == nil && exchange.final == nil)
      let preambles = exchange.poll.reception?.preambleCount ?? 1
      #expect(exchange.poll.reception?.impulseResponse?.scale == 1 / Float(preambles))
    }
  }

  @Test(arguments: MadeUpCapture.formats)
  func theEngineSaysWhatIsMissing(_ format: String) throws {
    let capture = MadeUpCapture.make(format, count: 1, tapCount: 64, seed: 4)
    let reading = try CaptureReading(format, capture.bytes)
    #expect(reading.header.notes.contains { $0.contains("no distance") })
    let engine = RangingEngine(RangingEngine.Configuration(profile: .dw1000, delay: .chip))
    let status = engine.measure(try #require(reading.exchanges.first), using: engine.makeWorkspace()).status
    #expect(status == .missingTimestamps)
  }

  @Test(arguments: MadeUpCapture.formats)
  func cutAtEveryByte(_ format: String) throws {
    let capture = MadeUpCapture.make(format, count: 4, tapCount: 4, seed: 5)
    for cut in 0..<capture.bytes.count {
      do {
        let reading = try CaptureReading(format, Array(capture.bytes[..<cut]), chunk: cut % 3 == 0 ? 5 : .max)
        // A line whose end alone is missing may count as whole.
        let whole = capture.ends.filter { $0 <= cut }.count
        let atMost = capture.ends.filter { $0 <= cut + 2 }.count
        #expect((whole...max(whole, atMost + 1)).contains(reading.exchanges.count), "\(format) cut at \(cut)")
        #expect(
          reading.expected.prefix(whole) == capture.expected.prefix(whole), "\(format) cut at \(cut)")
        let start = whole == 0 ? capture.ends[0] : capture.ends[whole - 1]
        let isBetween = cut <= start && whole > 0
        #expect(
          reading.exchanges.count > whole || isBetween || !reading.skipped.isEmpty || whole == 0 && cut < 140,
          "\(format) cut at \(cut): a loss was not told")
        // What is more than whole is right, too.
        for (one, other) in zip(reading.expected, capture.expected).dropFirst(whole) {
          #expect(one.real == other.real && one.imaginary == other.imaginary, "\(format) cut at \(cut)")
        }
      } catch let error as CaptureError {
        #expect(format == "npy" && cut < 128 && !error.remedy.isEmpty, "\(format) cut at \(cut): \(error)")
      }
    }
  }

  @Test(arguments: MadeUpCapture.formats)
  func mutatedTenThousandTimes(_ format: String) throws {
    let capture = MadeUpCapture.make(format, count: 3, tapCount: 3, seed: 6)
    var random = DecaRangingGenerator(seed: 17)
    for round in 0..<10_000 {
      let mutation = MutatedBytes(
        capture.bytes, most: 3, [.flippedBit, .otherByte, .nine, .lostByte, .strayByte], using: &random)
      let (mutated, first) = (mutation.bytes, mutation.firstError)
      do {
        let reading = try CaptureReading(format, mutated, chunk: round % 5 == 0 ? 13 : .max)
        let whole = capture.ends.filter { $0 <= first }.count
        #expect(
          reading.expected.prefix(whole) == capture.expected.prefix(whole), "\(format), seed 17, round \(round)")
        // A capture that lost a record says so; a digit that became another can't be seen, nor can an array's other shape.
        let isComplete = reading.exchanges.count >= capture.expected.count || format == "npy" && first < 128
        #expect(isComplete || !reading.skipped.isEmpty, "\(format), seed 17, round \(round)")
        #expect(reading.exchanges.count <= capture.expected.count + 3, "\(format), seed 17, round \(round)")
      } catch let error as CaptureError {
        #expect(format == "npy" && first < 128 && !error.remedy.isEmpty, "\(error), seed 17, round \(round)")
      }
    }
  }

  @Test(arguments: MadeUpCapture.lineFormats)
  func noiseAndOtherTextBetweenRecordsCostNothing(_ format: String) throws {
    let capture = MadeUpCapture.make(format, count: 4, tapCount: 4, seed: 8)
    var text = format == "ewine" ? Array(capture.bytes[..<headerLength(capture)]) : []
    var start = text.count
    for end in capture.ends {
      text += Array("[INFO] some text: 1, 2, 3\r\n\n".utf8) + capture.bytes[start..<end]
      start = end
    }
    let reading = try CaptureReading(format, text)
    #expect(reading.expected == capture.expected)
    #expect(reading.skipped == [format == "ewine" ? "damagedRow" : "otherLine": 4])
  }

  @Test(arguments: ["uwb-core", "contiki-uwb", "dw3000-cir"])
  func aLineWhoseEndWasLostCostsItselfAlone(_ format: String) throws {
    let capture = MadeUpCapture.make(format, count: 3, tapCount: 4, seed: 9)
    let middle = Array(capture.bytes[capture.ends[0]..<capture.ends[1]])
    let text = Array(capture.bytes[..<capture.ends[0]]) + middle.dropLast(12) + capture.bytes[capture.ends[1]...]
    let reading = try CaptureReading(format, text)
    #expect(reading.expected == [capture.expected[0], capture.expected[2]])
    #expect(reading.skipped == [format == "dw3000-cir" ? "damagedAccumulator" : "damagedLine": 1])
  }

  @Test(arguments: MadeUpCapture.lineFormats)
  func aHugeLineCostsItselfAlone(_ format: String) throws {
    let capture = MadeUpCapture.make(format, count: 2, tapCount: 4, seed: 10)
    let huge = [UInt8](repeating: 0x37, count: 1 << 20) + [0x0A]
    let text = Array(capture.bytes[..<capture.ends[0]]) + huge + capture.bytes[capture.ends[0]...]
    let reading = try CaptureReading(format, text)
    #expect(reading.expected == capture.expected)
    #expect(reading.skipped == ["lineTooLong": 1])
  }

  @Test(arguments: MadeUpCapture.lineFormats)
  func aRecordIsHandedOnAsSoonAsItsLineIsThere(_ format: String) throws {
    let capture = MadeUpCapture.make(format, count: 3, tapCount: 4, seed: 11)
    var position = 0
    let source = ByteSource(name: "live") { target in
      guard position < capture.bytes.count else { return 0 }
      let count = min(1, target.count)
      target.copyBytes(from: capture.bytes[position..<position + count])
      position += count
      return count
    }
    var reader = try CaptureFormat.open(format, source)
    for end in capture.ends {
      #expect(try reader.next() != nil)
      #expect(position == end)
    }
  }

  private func headerLength(_ capture: MadeUpCapture) -> Int {
    (capture.bytes.firstIndex(of: 0x0A) ?? 0) + 1
  }
}
