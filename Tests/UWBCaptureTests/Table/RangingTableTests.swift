import Foundation
import TestSupport
import Testing
import UWBDSP

@testable import UWBCapture

/// Tables of single-sided ranging, good, cut, damaged and real.
@Suite struct RangingTableTests {
  private static let header =
    "timestamp,Transmission #,Reception #,maxNoise,Distance,Channel,FirstPathAmp1,FirstPathAmp2,FirstPathAmp3,"
    + "Max Growth CIR,Rx Preamble Count,Standard Noise,RSSI(dBm),RSSI_fp(dBm),rtd_init,rtd_resp,resp_rx_ts,poll_tx_ts,"
    + "resp_tx_ts,poll_rx_ts,anchor_id\n"

  /// Row `index` of a made-up table: counters of any reading, replies of 72.1 million ticks.
  private static func row(_ index: Int) -> String {
    let sent = Int32(truncatingIfNeeded: 1_900_000_000 &+ index &* 2_023_000_000)
    let heard = Int32(truncatingIfNeeded: -700_000_000 &+ index &* 2_022_990_000)
    let (round, reply) = (72_110_200 + index, 72_105_900 - index)
    let answered = heard &+ Int32(reply)
    let received = sent &+ Int32(round)
    return "\(1000 + Double(index) / 7),\(index),\(index),1236.0,10.03,5.0,14808.0,14198.0,9559.0,6759,230.0,48.0,"
      + "-79.5,-81.03,\(round).0,\(reply).0,\(received).0,\(sent).0,\(answered).0,\(heard),12.0\n"
  }

  private static func table(_ count: Int) -> String { header + (0..<count).map(row).joined() }

  private struct Reading {
    var exchanges: [RangingExchange] = []
    var skipped: [String: Int] = [:]

    init(_ bytes: [UInt8], chunk: Int = .max) throws {
      var reader = try MeasurementTable(ByteSource(content: bytes, chunk: chunk), kind: .ranging)
      while let exchange = try reader.next() { exchanges.append(exchange) }
      #expect(Set(reader.skipped.firstPlaces.keys) == Set(reader.skipped.counts.keys), "each reason has a place")
      skipped = reader.skipped.counts
    }
  }

  private static func isRow(_ exchange: RangingExchange, _ index: Int) -> Bool {
    guard let ranging = SingleSidedRanging(exchange, clockOffset: 0) else { return false }
    return ranging.round == Double(72_110_200 + index) && ranging.reply == Double(72_105_900 - index)
  }

  @Test func aRowIsAnExchange() throws {
    let reading = try Reading(Array(Self.table(5).utf8), chunk: 13)
    #expect(reading.exchanges.count == 5 && reading.skipped.isEmpty)
    for (index, exchange) in reading.exchanges.enumerated() {
      #expect(exchange.index == index && Self.isRow(exchange, index))
      #expect(abs(exchange.time - Double(index) / 7) < 1e-9)
      #expect(exchange.initiator == .local && exchange.counterBits == 32 && exchange.final == nil)
      #expect(exchange.peer == DeviceAddress(rawValue: 12))
      let reception = try #require(exchange.response?.reception)
      #expect(reception.receivedPowerdBm == -79.5 && reception.firstPathPowerdBm == -81.03)
      #expect(reception.firstPathAmplitudes == SIMD3(14808, 14198, 9559))
      #expect(reception.preambleCount == 230 && reception.noiseThreshold == 1236 && reception.noiseDeviation == 48)
      #expect(exchange.chipReport?.distance == 10.03)
      #expect(exchange.localReceivedPowerdBm == -79.5)
    }
  }

  /// A row of the outdoor set: 72 110 257 and 72 105 904 ticks and 10.037364 m. Half the difference is 2176.5 ticks; the
  /// distance is 2140 ticks, so that the clocks take 36.5: r = −1.01 ppm, to the 0.055 that single precision leaves.
  @Test func theOffsetIsInTheDistance() throws {
    let ppm = try #require(RangingTableOffset.ppm(distance: 10.037364, round: 72_110_257, reply: 72_105_904))
    #expect(abs(ppm + 1.0124) < 0.06)
    #expect(RangingTableOffset.ppm(distance: 500, round: 72_110_257, reply: 72_105_904) == nil)
    #expect(RangingTableOffset.ppm(distance: 10, round: 72_110_257, reply: 0) == nil)
    #expect(RangingTableOffset.ppm(distance: .nan, round: 72_110_257, reply: 72_105_904) == nil)
  }

  @Test func recognition() throws {
    let reader = try openCapture(ByteSource(text: "# a comment\n" + Self.table(2), chunk: 5))
    #expect(reader.header.format == "twr-table")
    #expect(throws: CaptureError.self) { try openCapture(ByteSource(text: "a,b,c\n1,2,3\n")) }
    let error = #expect(throws: CaptureError.self) {
      try MeasurementTable(ByteSource(text: "poll_tx_ts,poll_rx_ts\n1,2\n"), kind: .ranging)
    }
    #expect(error?.problem.contains("resp_tx_ts") == true)
  }

  @Test func cutAtEveryByte() throws {
    let text = Array(Self.table(6).utf8)
    let start = Self.header.utf8.count
    var ends: [Int] = []
    for (index, byte) in text.enumerated() where byte == 0x0A && index >= start { ends.append(index + 1) }
    for cut in start...text.count {
      let reading = try Reading(Array(text[..<cut]))
      let whole = ends.filter { $0 <= cut }.count
      #expect(reading.exchanges.count == whole, "cut at \(cut)")
      for (index, exchange) in reading.exchanges.enumerated() { #expect(Self.isRow(exchange, index), "cut at \(cut)") }
      let isInside = cut > start && !ends.contains(cut)
      #expect(reading.skipped == (isInside ? ["truncatedRow": 1] : [:]), "cut at \(cut)")
    }
  }

  /// Whatever happens to a byte, rows without it come through, and nothing is lost in silence.
  @Test func mutatedTenThousandTimes() throws {
    let count = 4
    let text = Array(Self.table(count).utf8)
    let start = Self.header.utf8.count
    var random = DecaRangingGenerator(seed: 31)
    for round in 0..<10_000 {
      var mutated = text
      let place = Int.random(in: start..<text.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: mutated[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: mutated[place] = UInt8.random(in: 0...255, using: &random)
      case 2: mutated.remove(at: place)
      default: mutated.insert(UInt8.random(in: 0...255, using: &random), at: place)
      }
      let reading = try Reading(mutated, chunk: round % 9 == 0 ? 7 : .max)
      // A byte is of one row, or of the end between two.
      let before = text[start..<place].count { $0 == 0x0A }
      for (index, exchange) in reading.exchanges.prefix(before).enumerated() {
        #expect(Self.isRow(exchange, index), "seed 31, round \(round)")
      }
      #expect(reading.exchanges.count >= before, "seed 31, round \(round)")
      #expect(reading.exchanges.count >= count - 2, "seed 31, round \(round)")
      let lost = count - reading.exchanges.count
      // A row that begins with # has become a comment.
      let isComment =
        mutated[place == mutated.count ? place - 1 : place] == UInt8(ascii: "#") && mutated[place - 1] == 0x0A
      #expect(lost <= 0 || isComment || !reading.skipped.isEmpty, "seed 31, round \(round): lost in silence")
    }
  }

  @Test func oddRowsAreCounted() throws {
    var text = Self.table(2)
    text += "Distance Mean,1.93\n"
    text += Self.row(2).replacing(",12.0\n", with: ",1anchor_id: 12\n")
    text += Self.row(3).replacing("72110203.0", with: "72110204.0")
    text += Self.row(4).replacing("-79.5", with: "nan")
    let reading = try Reading(Array(text.utf8))
    #expect(reading.exchanges.count == 3)
    #expect(reading.skipped == ["summaryRow": 1, "damagedRow": 2])
    #expect(reading.exchanges.last?.response?.reception?.receivedPowerdBm == nil)
  }

  /// All 59 tables of the outdoor set: 5,276 exchanges, three rows damaged by a line that ran into them.
  @Test(.needsRealData("ss-twr-outdoor")) func realTables() throws {
    let folder = URL(fileURLWithPath: try RealData.path("ss-twr-outdoor"))
    var (exchanges, skipped, worst) = (0, SkippedInput(), 0.0)
    for kind in ["LOS", "NLOS"] {
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(kind).path)
      for file in files.sorted() where file.hasSuffix(".csv") {
        var reader = try openCapture(folder.appendingPathComponent("\(kind)/\(file)").path)
        while let exchange = try reader.next() {
          exchanges += 1
          let ppm = try #require(exchange.response?.reception?.carrierOffsetppm)
          #expect(abs(ppm) < 3)
          let ranging = try #require(SingleSidedRanging(exchange, clockOffset: 1 / (1 + ppm * 1e-6) - 1))
          let metres = ranging.timeOfFlightTicks * UWB.tick * UWB.speedOfLightInAir
          worst = max(worst, abs(metres - (try #require(exchange.chipReport?.distance))))
        }
        skipped.merge(reader.skipped)
      }
    }
    #expect(exchanges == 5276)
    #expect(skipped.counts["damagedRow"] == 3)
    // Ours rounds nothing; the program's `float` did, by up to 4 ticks of the round.
    #expect(worst < 2.01 * UWB.tick * UWB.speedOfLightInAir, "\(worst)")
  }
}
