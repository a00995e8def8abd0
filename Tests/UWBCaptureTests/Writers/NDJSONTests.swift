import Foundation
import TestSupport
import Testing
import UWBDSP

@testable import UWBCapture

/// What the ndjson writer wrote comes back, and what is left of it after damage.
@Suite struct NDJSONTests {
  private static func write(_ exchanges: [RangingExchange], header: CaptureHeader = SigMFTests.header) throws -> [UInt8]
  {
    let folder = try TemporaryFolder()
    let writer = try createCapture(folder.path + "/a.ndjson", header: header)
    for exchange in exchanges { try writer.append(exchange) }
    try writer.finish()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.ndjson")))
  }

  /// Where each line ends.
  private static func ends(_ bytes: [UInt8]) -> [Int] { bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 } }

  /// Exchanges as they come back: single-precision samples that are no number are not told apart.
  private static func bits(_ exchange: RangingExchange) -> String {
    var exchange = exchange
    func finite(_ message: RangingMessage?) -> RangingMessage? {
      guard var message, let response = message.reception?.impulseResponse, response.format == .float32 else {
        return message
      }
      let storage = TapStorage(byteCount: 8 * response.antennaCount * response.tapCount)
      storage.withMutableBytes { bytes in
        for antenna in 0..<response.antennaCount {
          for part in 0..<2 {
            response.forEachStoredPart(part, antenna: antenna) { tap, stored in
              guard case .float32(let sample) = stored else { return }
              bytes.storeBytes(
                of: sample.isFinite ? sample : .nan, toByteOffset: 8 * (antenna * response.tapCount + tap) + 4 * part,
                as: Float.self)
            }
          }
        }
      }
      message.reception?.impulseResponse = ChannelImpulseResponse(
        storage: storage, format: .float32, antennaCount: response.antennaCount, tapCount: response.tapCount,
        scale: response.scale, tapSpacing: response.tapSpacing)
      return message
    }
    exchange.poll = finite(exchange.poll) ?? RangingMessage()
    exchange.response = finite(exchange.response)
    exchange.secondPoll = finite(exchange.secondPoll)
    exchange.final = finite(exchange.final)
    return SigMFTests.bits(exchange)
  }

  @Test(arguments: SigMFTests.layouts, [7, .max])
  func everyFieldComesBackBitForBit(_ layout: SigMFLayout, _ chunk: Int) throws {
    for seed in 1...3 as ClosedRange<UInt64> {
      let exchanges = SigMFTests.exchanges(40, layout: layout, seed: 60 + seed)
      let reading = try CaptureReading(openCapture(ByteSource(content: Self.write(exchanges), chunk: chunk)))
      #expect(reading.skipped.isEmpty)
      #expect(reading.exchanges.map(Self.bits) == exchanges.map(Self.bits), "seed \(60 + seed)")
      #expect(reading.header.format == "ndjson" && reading.header.profile == "dw1000" && reading.header.hasPhase)
      #expect(reading.header.notes == SigMFTests.header.notes)
      #expect(reading.header.array == SigMFTests.header.array)
    }
  }

  @Test func notesThatSpeakOfAnotherFormatDontMakeItOne() throws {
    let notes = ["File:x.log, created by DecaRanging MP", "CIR_BEGIN,P:1", #"{"cir_type":1}"#]
    let exchanges = SigMFTests.exchanges(3, layout: .single, seed: 75)
    let bytes = try Self.write(exchanges, header: CaptureHeader(format: "decaranging", profile: "dw1000", notes: notes))
    let reading = try CaptureReading(openCapture(ByteSource(content: bytes, chunk: 3)))
    #expect(reading.header.format == "ndjson" && reading.header.notes == notes && reading.exchanges.count == 3)
  }

  @Test func magnitudesStayMagnitudes() throws {
    let header = CaptureHeader(format: "ewine", profile: "dw3000", hasPhase: false)
    let reading = try CaptureReading("ndjson", try Self.write([], header: header))
    #expect(!reading.header.hasPhase && reading.header.profile == "dw3000" && reading.header.array == nil)
  }

  @Test func anExchangeIsHandedOnAsSoonAsItsLineIsThere() throws {
    let bytes = try Self.write(SigMFTests.exchanges(4, layout: .single, seed: 71))
    var position = 0
    var reader = NDJSONReader(
      ByteSource(name: "live") { target in
        guard position < bytes.count else { return 0 }
        target[0] = bytes[position]
        position += 1
        return 1
      })
    for end in Self.ends(bytes).dropFirst() {
      #expect(try reader.next() != nil)
      #expect(position == end)
    }
  }

  @Test func cutAtEveryByte() throws {
    let exchanges = SigMFTests.exchanges(4, layout: .single, seed: 72)
    let bytes = try Self.write(exchanges)
    let ends = Self.ends(bytes)
    for cut in bytes.indices {
      let reading = try CaptureReading("ndjson", Array(bytes[..<cut]), chunk: cut % 3 == 0 ? 5 : .max)
      // A line whose end alone is missing is whole.
      let whole = ends.dropFirst().count { $0 <= cut + 1 }
      #expect(reading.exchanges.map(Self.bits) == exchanges.prefix(whole).map(Self.bits), "cut at \(cut)")
      let isInside = cut > 0 && !ends.contains(cut) && !ends.contains(cut + 1)
      #expect(reading.skipped == (isInside ? ["truncatedLine": 1] : [:]), "cut at \(cut)")
    }
  }

  @Test func mutatedTenThousandTimes() throws {
    let exchanges = SigMFTests.exchanges(4, layout: .single, seed: 73)
    let bytes = try Self.write(exchanges)
    let ends = Self.ends(bytes)
    var random = DecaRangingGenerator(seed: 74)
    for round in 0..<10_000 {
      let mutation = MutatedBytes(
        bytes, most: 3, [.flippedBit, .otherByte, .nine, .lostByte, .strayByte], using: &random)
      let (mutated, first) = (mutation.bytes, mutation.firstError)
      do {
        let reading = try CaptureReading("ndjson", mutated, chunk: round % 5 == 0 ? 13 : .max)
        let whole = ends.dropFirst().count { $0 <= first }
        #expect(
          reading.exchanges.prefix(whole).map(Self.bits) == exchanges.prefix(whole).map(Self.bits),
          "seed 74, round \(round)")
        #expect(reading.exchanges.count >= 4 || !reading.skipped.isEmpty, "seed 74, round \(round): lost in silence")
        #expect(reading.exchanges.count <= 4, "seed 74, round \(round)")
      } catch let error as CaptureError {
        let fields = ["version", "carrier_hz", "antenna_positions_m"]
        let isOfHeader = fields.contains { error.place?.contains($0) == true }
        #expect(first < ends[0] && isOfHeader, "seed 74, round \(round): \(error)")
      }
    }
  }

  /// An exchange of a poll with one CIR, the rest of whose fields are as given.
  private static func line(
    poll: String = "", cir: String = #""samples":"int16","scale":1,"real":[[1,2]],"imag":[[3,4]]"#
  )
    -> String
  {
    #"{"exchange":0,"time_s":0,"peer":"a1","initiator":"peer","poll":{"received_ticks":5\#(poll),"cir":{\#(cir)}}}"#
      + "\n"
  }

  private static let damagedCIRs: [String] = [
    #""samples":"int16","scale":1,"real":[[1,2]],"imag":[[3]]"#,
    #""samples":"int16","scale":1,"real":[[1],[2]],"imag":[[3,4]]"#,
    #""samples":"int16","scale":1,"real":[[1,2],[3]],"imag":[[1,2],[3]]"#,
    #""samples":"int16","scale":1,"real":[[1,99999]],"imag":[[3,4]]"#,
    #""samples":"int16","scale":1,"real":[[1,1.5]],"imag":[[3,4]]"#,
    #""samples":"int16","scale":1,"real":[[1,null]],"imag":[[3,4]]"#,
    #""samples":"int16","scale":1,"real":[[]],"imag":[[]]"#, #""samples":"int16","scale":1,"real":[],"imag":[]"#,
    #""samples":"int16","scale":1e999,"real":[[1]],"imag":[[3]]"#,
    #""samples":"int16","scale":null,"real":[[1]],"imag":[[3]]"#,
    #""samples":"ru8","scale":1,"real":[[1]],"imag":[[3]]"#,
  ]

  private static let damagedPolls: [String] = [
    #","noise_threshold":"x""#, #","preamble_count":1e99"#, #","first_path_amplitudes":[1,2]"#, #","message":"final""#,
  ]

  private static let damagedLines: [String] = [
    #"{"exchange":0,"time_s":0,"peer":"zz","initiator":"peer","poll":{}}"#,
    #"{"exchange":0,"time_s":0,"peer":"1","initiator":"peer","poll":{},"poll":{}}"#,
    #"{"exchange":0,"time_s":0,"peer":"1","initiator":"peer"}"#,
    #"{"exchange":0,"time_s":0,"peer":"1","initiator":"peer","counter_bits":99,"poll":{}}"#,
    // Samples of no reception.
    #"{"exchange":0,"time_s":0,"peer":"1","initiator":"peer","poll":{"cir":{"samples":"int16","scale":1,"real":[[1]],"imag":[[2]]}}}"#,
  ]

  private func expect(_ text: String, _ reason: String) throws {
    let whole = #"{"format":"uwb-capture","version":1,"profile":"ideal"}"# + "\n" + Self.line()
    let reading = try CaptureReading(openCapture(ByteSource(text: whole + text + Self.line())))
    #expect(reading.exchanges.count == 2 && reading.skipped == [reason: 1], "\(text.prefix(300))")
    #expect(reading.header.profile == "ideal")
    #expect(reading.exchanges.last?.poll.reception?.impulseResponse?.samples().map(\.imaginary) == [3, 4])
  }

  @Test func whatIsDamagedIsCountedAndCostsItselfAlone() throws {
    for cir in Self.damagedCIRs { try expect(Self.line(cir: cir), "damagedLine") }
    for spacing in ["0", "-1", "1", "1e-11"] {
      let cir = #""samples":"int16","scale":1,"tap_spacing_s":\#(spacing),"real":[[1]],"imag":[[3]]"#
      try expect(Self.line(cir: cir), "unsupportedShape")
    }
    for poll in Self.damagedPolls { try expect(Self.line(poll: poll), "damagedLine") }
    for line in Self.damagedLines { try expect(line + "\n", "damagedLine") }
    for line in ["boot: reset\n", #"{"event":"update"}"# + "\n"] { try expect(line, "otherLine") }
    try expect(#"{"format":"uwb-capture","version":1}"# + "\n", "furtherHeader")
    try expect(String(repeating: "7", count: NDJSONReader.maximumLineLength + 1) + "\n", "lineTooLong")
  }

  @Test func aLineWhoseEndWasLostCostsItselfAlone() throws {
    let text = #"{"format":"uwb-capture","version":1,"profile":"ideal"}"# + "\n" + Self.line().dropLast(9) + Self.line()
    let reading = try CaptureReading("ndjson", Array(text.utf8))
    #expect(reading.exchanges.count == 1 && reading.skipped == ["damagedLine": 1])
  }

  @Test func withoutItsHeaderACaptureSaysSo() throws {
    let reading = try CaptureReading(openCapture(ByteSource(text: Self.line())))
    #expect(reading.exchanges.count == 1 && reading.header.notes.first?.contains("--profile") == true)
  }

  @Test func anotherVersionIsRefused() throws {
    let error = #expect(throws: CaptureError.self) {
      try CaptureReading("ndjson", Array(#"{"format":"uwb-capture","version":2}"#.utf8))
    }
    #expect(error?.problem == "2 is not known, 1 is")
  }

  /// The same capture as another library writes it.
  private static func rewritten(
    _ bytes: [UInt8], options: JSONSerialization.WritingOptions, spaced: Bool
  ) throws -> String {
    try String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let text = String(decoding: try JSONSerialization.data(withJSONObject: object, options: options), as: UTF8.self)
      return "\(spaced ? text.replacing(",\"", with: " , \"").replacing("\":", with: "\" : ") : text)\r\n"
    }.joined()
  }

  @Test("order of fields, blanks and ends of lines don't matter", arguments: [true, false], [1, .max])
  func otherLibraries(_ isSpaced: Bool, _ chunk: Int) throws {
    let exchanges = SigMFTests.exchanges(10, layout: .single, seed: 77)
    for options in [.sortedKeys, []] as [JSONSerialization.WritingOptions] {
      let text = try Self.rewritten(Self.write(exchanges), options: options, spaced: isSpaced)
      let reading = try CaptureReading(openCapture(ByteSource(text: text, chunk: chunk)))
      #expect(reading.header.format == "ndjson" && reading.skipped.isEmpty)
      // Foundation's library writes no negative zero.
      let zero = { (exchange: RangingExchange) in Self.bits(exchange).replacing("8000000000000000", with: "0") }
      #expect(reading.exchanges.map(zero) == exchanges.map(zero))
    }
  }

  @Test("numbers with exponents or points, escapes, Python's NaN")
  func otherNotations() throws {
    let text =
      #"{"notes": ["Gang S\u00fcd \/ 2"], "version": 1.0, "format": "uwb\u002dcapture"}"# + "\n"
      + #"{"peer": "a1", "time_s": 2.5E-1, "counter_bits": NaN, "poll": {"cir": {"imag": [[-3.0, 4]], "real": [[1e0, 2.0]],"#
      + #" "scale": 1.0, "samples": "int16"}, "received_ticks": 9.78680423493e11, "first_path_taps": NaN,"#
      + #" "preamble_count": 1e3}, "exchange": 0.0, "initiator": "peer", "chip_report": {"distance_m": -Infinity}}"#
      + "\n"
    let reading = try CaptureReading(openCapture(ByteSource(text: text)))
    #expect(reading.header.notes == ["Gang Süd / 2"] && reading.skipped.isEmpty)
    let exchange = try #require(reading.exchanges.first)
    let reception = try #require(exchange.poll.reception)
    #expect(reception.time.ticks == 978_680_423_493 && reception.preambleCount == 1000)
    #expect(reception.chipFirstPathTaps == nil && exchange.counterBits == 40 && exchange.chipReport?.distance == nil)
    #expect(reception.impulseResponse?.samples().map(\.imaginary) == [-3, 4] && exchange.time == 0.25)
  }
}
