import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// The public apartment logs (Kołakowski 2021, doi 10.5281/zenodo.4742391), where `UWB_DATA` names a folder with them.
@Suite(.needsRealData("decaranging-apartment"))
struct DecaRangingRealTests {
  private func path(_ file: Int) throws -> String { try RealData.path("decaranging-apartment/\(file).log") }

  /// Exchanges and what is skipped beside them, counted with a script of another kind (regular expressions over lines).
  static let logs: [(file: Int, exchanges: Int, errors: Int, incomplete: Int)] = [
    (1, 126, 1, 0), (3, 139, 2, 0), (5, 138, 4, 1), (6, 54, 25, 0), (8, 153, 4, 1), (9, 189, 5, 1), (11, 172, 5, 1),
    (12, 143, 1, 0), (14, 111, 2, 1), (16, 188, 2, 1), (19, 147, 7, 1), (20, 156, 4, 0), (25, 191, 4, 1),
    (27, 151, 8, 2),
    (29, 164, 8, 0), (34, 112, 4, 1), (36, 164, 4, 1), (40, 106, 2, 0), (42, 142, 2, 0), (44, 167, 1, 0),
    (46, 160, 3, 0),
    (51, 116, 4, 0),
  ]

  @Test(arguments: logs)
  func everyExchangeIsRead(_ log: (file: Int, exchanges: Int, errors: Int, incomplete: Int)) throws {
    let reading = try DecaRangingReading(ByteSource(path: try path(log.file)))
    #expect(reading.exchanges.count == log.exchanges)
    // The logged intervals are compared by the reader: any that differed would be counted here.
    var skipped = ["receiveError": log.errors]
    if log.incomplete > 0 { skipped["incompleteExchange"] = log.incomplete }
    if log.file == 11 { skipped["staleReport"] = 1 }
    #expect(reading.skipped == skipped)

    var latest = -1.0
    for exchange in reading.exchanges {
      #expect(exchange.poll.reception?.impulseResponse?.tapCount == 1016)
      #expect(exchange.final?.reception?.impulseResponse?.tapCount == 1016)
      #expect(exchange.time > latest)
      latest = exchange.time
      let chip = try #require(exchange.chipReport?.rawDistance)
      #expect(abs(try rawDistance(exchange) - chip) < 0.6e-6, "exchange \(exchange.index)")
    }
  }

  /// Double-sided two-way ranging in whole ticks, as the chip's software does it (Neirynck, Luk & McLaughlin 2016, eq. 14).
  private func rawDistance(_ exchange: RangingExchange) throws -> Double {
    let pollSent = try #require(exchange.poll.transmitted)
    let pollReceived = try #require(exchange.poll.reception).time
    let responseSent = try #require(exchange.response?.transmitted)
    let responseReceived = try #require(exchange.response?.reception).time
    let finalSent = try #require(exchange.final?.transmitted)
    let finalReceived = try #require(exchange.final?.reception).time
    let roundA = Double(responseReceived.ticks(since: pollSent))
    let replyA = Double(finalSent.ticks(since: responseReceived))
    let roundB = Double(finalReceived.ticks(since: responseSent))
    let replyB = Double(responseSent.ticks(since: pollReceived))
    let ticks = (roundA * roundB - replyA * replyB) / (roundA + roundB + replyA + replyB)
    return ticks.rounded(.down) * UWB.tick * UWB.speedOfLightInAir
  }

  @Test func aRecordingOfALogHoldsTheSame() throws {
    let folder = try TemporaryFolder()
    let reading = try DecaRangingReading(ByteSource(path: try path(6)))
    try SigMFTests.write(reading.exchanges, to: folder.path + "/6", header: reading.header)
    let (read, reader) = try SigMFTests.read(folder.path + "/6")
    #expect(read.count == reading.exchanges.count)
    for (one, other) in zip(read, reading.exchanges) {
      let isEqual = SigMFTests.bits(one) == SigMFTests.bits(other)
      #expect(isEqual, "exchange \(other.index)")
    }
    #expect(reader.header.notes == reading.header.notes)
    #expect(reader.header.profile == reading.header.profile)
  }

  @Test func cutAtEveryKilobyte() throws {
    let content = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(6))).prefix(300 * 1024))
    let whole = try DecaRangingReading(ByteSource(content: content)).exchanges
    // Where the lines end that begin an exchange: its CR is enough.
    let begun = content.ranges(of: Array(" Rx time = ".utf8)).compactMap { place -> Int? in
      guard content[place.lowerBound - 5..<place.lowerBound - 3].elementsEqual("21".utf8) else { return nil }
      return content[place.upperBound...].firstIndex(of: 0x0D)
    }
    for cut in stride(from: 1024, to: content.count, by: 1024) {
      let reading = try DecaRangingReading(ByteSource(content: Array(content[..<cut])))
      for (one, other) in zip(whole, reading.exchanges) {
        #expect(one.time == other.time && one.poll.transmitted == other.poll.transmitted, "cut at \(cut)")
      }
      let lost = reading.skipped["incompleteExchange", default: 0]
      #expect(reading.exchanges.count + lost == begun.count { $0 < cut }, "cut at \(cut): \(reading.skipped)")
      #expect(lost <= 1, "cut at \(cut)")
      #expect(reading.skipped.keys.allSatisfy { Self.expectedAtACut.contains($0) }, "cut at \(cut): \(reading.skipped)")
    }
  }

  private static let expectedAtACut: Set<String> = [
    "incompleteExchange", "damagedAccumulator", "truncatedLine", "receiveError",
  ]
}
