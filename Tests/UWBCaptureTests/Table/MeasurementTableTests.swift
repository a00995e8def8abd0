import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// Tables of timestamps and of ranges, by the names of their columns.
@Suite struct MeasurementTableTests {
  private static func read(
    _ text: String, options: CaptureOptions = CaptureOptions()
  ) throws -> (exchanges: [RangingExchange], skipped: [String: Int], header: CaptureHeader) {
    var reader = try openCapture(ByteSource(text: text), options: options)
    var exchanges: [RangingExchange] = []
    while let exchange = try reader.next() { exchanges.append(exchange) }
    return (exchanges, reader.skipped.counts, reader.header)
  }

  private static func options(
    _ columns: String = "", unit: String? = nil, deviation: Double? = nil
  ) throws -> CaptureOptions {
    var options = CaptureOptions()
    options.columns = try TableColumns(columns, unit: unit)
    options.deviation = deviation
    return options
  }

  // MARK: Timestamps

  /// One double-sided exchange: 10 m are 2131.9 ticks; here 2132, clocks that begin anywhere, one of them about to wrap.
  private static let flight = 2132
  private static let initiator = (1 << 40) - 50_000_000
  private static let responder = 123_456_789
  private static let reply = 60_000_000

  /// Poll sent, received, response sent, received, final sent, received; `second` has the responder send again.
  private static func stamps(second: Bool = false) -> [Int] {
    var stamps: [Int] = []
    var time = 0
    let messages: [(isInitiator: Bool, wait: Int)] =
      second
      ? [(true, 0), (false, reply), (false, 10_000_000), (true, reply)]
      : [(true, 0), (false, reply), (true, reply)]
    for message in messages {
      time += message.wait
      let (sender, receiver) = message.isInitiator ? (initiator, responder) : (responder, initiator)
      stamps.append((sender + time) & (1 << 40 - 1))
      time += flight
      stamps.append((receiver + time) & (1 << 40 - 1))
    }
    return stamps
  }

  @Test(
    "double-sided ranging under the spellings that are usual",
    arguments: [
      "T1,T2,T3,T4,T5,T6", "t1,t2,t3,t4,t5,t6",
      "poll_tx_ts,poll_rx_ts,resp_tx_ts,resp_rx_ts,final_tx_ts,final_rx_ts",
      "tx_poll,rx_poll,tx_resp,rx_resp,tx_final,rx_final",
      "Poll TX time,Poll RX time,Response TX time,Response RX time,Final TX time,Final RX time",
      "t_sp,t_rp,t_sr,t_rr,t_sf,t_rf",
      "poll_sent,poll_received,response_sent,response_received,final_sent,final_received",
    ])
  func threeMessages(_ header: String) throws {
    let row = Self.stamps().map(String.init)
    let swapped = { (fields: [String]) in fields.reversed().joined(separator: ",") }
    for text in [
      "\(header)\n\(row.joined(separator: ","))\n",
      "\(swapped(header.split(separator: ",").map(String.init)))\n\(swapped(row))\n",
    ] {
      let (exchanges, skipped, found) = try Self.read(text)
      #expect(found.format == "twr-table" && skipped.isEmpty)
      let exchange = try #require(exchanges.first)
      #expect(exchange.initiator == .peer && exchange.counterBits == 40 && exchange.secondPoll == nil)
      let ranging = try #require(TwoWayRanging(exchange))
      #expect(
        ranging.messages == .three && ranging.replyA == Double(Self.reply) && ranging.replyB == Double(Self.reply))
      #expect(abs(ranging.timeOfFlightTicks - Double(Self.flight)) < 1e-6)
    }
  }

  @Test(
    "a responder that sends twice",
    arguments: [
      "T1,T2,T3,T4,T5,T6,T7,T8",
      "poll_tx_ts,poll_rx_ts,resp_tx_ts,resp_rx_ts,poll2_tx_ts,poll2_rx_ts,final_tx_ts,final_rx_ts",
    ])
  func fourMessages(_ header: String) throws {
    let row = Self.stamps(second: true).map(String.init).joined(separator: ",")
    let exchange = try #require(try Self.read("\(header)\n\(row)\n").exchanges.first)
    let ranging = try #require(TwoWayRanging(exchange))
    #expect(ranging.messages == .four && abs(ranging.timeOfFlightTicks - Double(Self.flight)) < 1e-6)
  }

  @Test("either side may have written the table; units other than ticks")
  func sidesAndUnits() throws {
    let row = Self.stamps().map { "\(Double($0) * UWB.tick * 1e9)" }.joined(separator: ",")
    let names = "poll_tx_ns,poll_rx_ns,resp_tx_ns,resp_rx_ns,final_tx_ns,final_rx_ns"
    for (column, side) in [("anchor_id", RangingExchange.Initiator.local), ("tag", .peer), ("initiator", .peer)] {
      let exchange = try #require(try Self.read("\(names),\(column)\n\(row),7\n").exchanges.first)
      #expect(exchange.initiator == side && exchange.peer == DeviceAddress(rawValue: 7), "\(column)")
      // Each of the six readings is rounded to a tick.
      let flight = try #require(TwoWayRanging(exchange)).timeOfFlightTicks
      #expect(abs(flight - Double(Self.flight)) < 2, "\(column)")
    }
  }

  @Test("readings that are none are counted with their place")
  func damagedStamps() throws {
    let good = Self.stamps().map(String.init).joined(separator: ",")
    for bad in ["x", "", "1.5", "1099511627776", "-3000000000", "nan"] {
      let row = (Self.stamps().dropLast().map(String.init) + [bad]).joined(separator: ",")
      let (exchanges, skipped, _) = try Self.read("T1,T2,T3,T4,T5,T6\n\(good)\n\(row)\n\(good)\n")
      #expect(exchanges.count == 2 && skipped == ["damagedRow": 1], "\(bad)")
    }
  }

  // MARK: Ranges

  @Test("a row a range: distance, time, peer, deviation and truth")
  func long() throws {
    let text = "time,anchor_id,distance_cm,std_mm,true_distance\n10.5,A3,250,20,2.4\n10.75,0x1A,,20,2\n11,4,310,,3\n"
    let (exchanges, skipped, header) = try Self.read(text)
    #expect(header.format == "range-table" && header.clockStart == 10.5 && skipped == ["noDistance": 1])
    #expect(exchanges.map(\.peer.rawValue) == [3, 4] && exchanges.map(\.index) == [0, 1])
    #expect(exchanges.map(\.time) == [0, 0.5] && exchanges.map(\.truth?.distance) == [2.4, 3])
    #expect(exchanges.map { $0.ready?.distance } == [2.5, 3.1] && exchanges[0].chipReport?.distance == 2.5)
    #expect(exchanges[0].ready?.distanceDeviation == 0.02)
    #expect(exchanges[1].ready?.distanceDeviation == RadioMeasurement(distance: 1).distanceDeviation)
    let given = try Self.read(text, options: try Self.options(deviation: 0.3)).exchanges
    #expect(given.map { $0.ready?.distanceDeviation } == [0.02, 0.3])
  }

  @Test(
    "units by the header's end or by --unit, times by their magnitude",
    arguments: [
      ("time,range_mm", "10,2500", "11,2500", "", nil), ("time,range", "10,2500", "11,2500", "", "mm"),
      ("time,range", "10000,250", "11000,250", "", "distance=cm,time=ms"),
      ("time (s),Range [m]", "10,2.5", "11,2.5", "", nil),
      ("when,how far", "10,2.5", "11,2.5", "time=when,distance=how far", nil),
      ("field.stamp,field.range", "1734501485317395687,2.5", "1734501486317395687,2.5", "", nil),
      ("timestamp,dist", "1734501485317,2.5", "1734501486317,2.5", "", nil),
      ("time,tof_ns", "10,8.341604", "11,8.341604", "distance=tof_ns", nil),
      ("Zeit;Range m", "10;2,5", "11;2,5", "time=Zeit", nil),
    ] as [(String, String, String, String, String?)])
  func units(_ header: String, _ first: String, _ second: String, _ columns: String, _ unit: String?) throws {
    let options = try Self.options(columns, unit: unit)
    // As a file is opened: named columns make it a table.
    let file = try TemporaryFile(Array("\(header)\n\(first)\n\(second)\n".utf8))
    var reader = try openCapture(file.path, options: options)
    var exchanges: [RangingExchange] = []
    while let exchange = try reader.next() { exchanges.append(exchange) }
    #expect(reader.header.format == "range-table" && reader.skipped.isEmpty)
    #expect(exchanges.count == 2)
    for exchange in exchanges { #expect(abs((exchange.ready?.distance ?? 0) - 2.5) < 1e-6) }
    #expect(abs((exchanges.last?.time ?? 0) - 1) < 1e-5)
  }

  @Test("a column a pair, with names or without")
  func wide() throws {
    let rows = "2022-08-15 9:42:24.766,1,2,3,4\n2022-08-15 9:42:24.866,5,,7,8\n"
    var places = CaptureOptions()
    places.anchors = [DeviceAddress(rawValue: 5), DeviceAddress(rawValue: 6)]
    places.tags = [DeviceAddress(rawValue: 0), DeviceAddress(rawValue: 1)]
    for (header, options, peers, locals) in [
      ("time,a5-t0,a5-t1,a6-t0,a6-t1\n", CaptureOptions(), [5, 5, 6, 6], [0, 1, 0, 1]),
      ("time,T0_A5,T1_A5,T0_A6,T1_A6\n", CaptureOptions(), [5, 5, 6, 6], [0, 1, 0, 1]),
      ("time,anchor1,anchor2,anchor3,anchor4\n", CaptureOptions(), [1, 2, 3, 4], [nil, nil, nil, nil]),
      ("", places, [5, 5, 6, 6], [0, 1, 0, 1]), ("", CaptureOptions(), [0, 1, 2, 3], [nil, nil, nil, nil]),
    ] as [(String, CaptureOptions, [UInt64], [UInt64?])] {
      let (exchanges, skipped, found) = try Self.read(header + rows, options: options)
      #expect(found.format == "range-table" && skipped == ["noDistance": 1] && found.notes.isEmpty != header.isEmpty)
      #expect(exchanges.map { $0.ready?.distance } == [1, 2, 3, 4, 5, 7, 8])
      #expect(exchanges.prefix(4).map(\.peer.rawValue) == peers && exchanges.map(\.index) == Array(0..<7))
      #expect(exchanges.prefix(4).map { $0.local?.rawValue } == locals)
      #expect(abs(exchanges[5].time - 0.1) < 1e-6 && exchanges[3].time == 0)
    }
  }

  @Test("tables of other things are not taken for ranges")
  func notRanges() throws {
    for text in [
      "capture,distance_m\na,1\n", "Session,Angle\n1,2\n", "1,2,3\n4,5,6\n", "event,time_s,distance_m\nupdate,1,2\n",
      "distance,weight\n1,2\n",
    ] {
      expectRefusal(of: text, showing: ["test"]) { _ = try openCapture(ByteSource(text: text)) }
    }
    expectRefusal(of: "--unit", showing: ["--unit", "parsec"]) { _ = try TableColumns("", unit: "distance=parsec") }
    expectRefusal(of: "--columns", showing: ["--columns", "colour"]) { _ = try TableColumns("colour=red") }
  }

  @Test func cutAtEveryByteAndMutated() throws {
    let text = Array("time,peer,distance,deviation\n1,12,2.5,0.1\n2,13,2.25,0.1\n3,12,-0.5,0.1\n".utf8)
    let start = try #require(text.firstIndex(of: 0x0A)) + 1
    let made = try Self.read(String(decoding: text, as: UTF8.self)).exchanges.map { $0.ready?.distance }
    for cut in start...text.count {
      var reader = try MeasurementTable(ByteSource(content: Array(text[..<cut]), chunk: 7), kind: .ranges)
      var read: [Double?] = []
      while let exchange = try reader.next() { read.append(exchange.ready?.distance) }
      let whole = text[start..<cut].count { $0 == 0x0A }
      #expect(read == Array(made.prefix(whole)), "cut at \(cut)")
      #expect(reader.skipped.counts == (text[cut - 1] == 0x0A ? [:] : ["truncatedRow": 1]), "cut at \(cut)")
    }
    var random = DecaRangingGenerator(seed: 41)
    for round in 0..<5000 {
      let mutation = MutatedBytes(text, most: 3, [.flippedBit, .otherByte, .lostByte, .strayByte], using: &random)
      guard var reader = try? MeasurementTable(ByteSource(content: mutation.bytes), kind: .ranges) else { continue }
      var count = 0
      while let exchange = try reader.next() {
        count += 1
        #expect(exchange.ready?.distance.map(CaptureLimits.distance.contains) ?? true, "seed 41, round \(round)")
      }
      let isComment = mutation.bytes.contains(UInt8(ascii: "#"))
      // A header that lost its end takes the first row with it.
      let isHeader = mutation.firstError < start
      #expect(
        count >= 3 || isComment || isHeader || !reader.skipped.isEmpty, "seed 41, round \(round): lost in silence")
    }
  }
}
