import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// What a reader made of a log.
struct DecaRangingReading {
  var exchanges: [RangingExchange] = []
  var skipped: [String: Int] = [:]
  var header = CaptureHeader(format: "", profile: "")

  init(_ source: ByteSource) throws {
    var log = DecaRangingLog(source)
    while let exchange = try log.next() { exchanges.append(exchange) }
    #expect(Set(log.skipped.firstPlaces.keys) == Set(log.skipped.counts.keys), "each reason has a place")
    skipped = log.skipped.counts
    header = log.header
  }

  init(_ text: String) throws {
    try self.init(ByteSource(text: text))
  }
}

extension DecaRangingLogWriter.Exchange {
  /// Whether `other` says what this exchange was written with; accumulators that are gone are no difference.
  func agrees(with other: RangingExchange) -> Bool {
    func agrees(_ frame: DecaRangingLogWriter.Frame, _ reception: Reception?) -> Bool {
      guard let reception else { return false }
      let scale = 1 / Float(frame.preambleCount)
      let taps = stride(from: 0, to: frame.taps.count, by: 2).map { index in
        [Float(frame.taps[index]) * scale, Float(frame.taps[index + 1]) * scale]
      }
      return reception.time.ticks == frame.time
        && reception.chipFirstPathTaps.map { abs($0 - Double(frame.firstPath64ths) / 64) <= 0.5e-4 } == true
        && reception.preambleCount == frame.preambleCount && reception.noiseThreshold == frame.noiseThreshold
        && reception.receivedPowerdBm == frame.receivedPowerHundredths.map { Double($0) / 100 }
        && reception.firstPathPowerdBm == Double(frame.firstPathPowerHundredths) / 100
        && reception.impulseResponse.map { cir in
          cir.samples().map { [$0.rawStorage.x, $0.rawStorage.y] } == taps
        } != false
    }
    return other.peer.rawValue == DecaRangingLogWriter.tag && other.local?.rawValue == DecaRangingLogWriter.anchor
      && other.initiator == .peer && agrees(poll, other.poll.reception) && agrees(final, other.final?.reception)
      && other.poll.transmitted?.ticks == tagPoll && other.response?.transmitted?.ticks == responseTransmitted
      && other.response?.reception?.time.ticks == tagResponse && other.final?.transmitted?.ticks == tagFinal
  }

  var chipReport: ChipReport {
    ChipReport(
      distance: Double(distance) / 1000, rawDistance: Double(rawDistance) / 1000,
      clockOffsetppm: Double(clockOffset) / 1000)
  }
}

@Suite struct DecaRangingLogTests {
  private func made(_ count: Int, tapCount: Int = 9, seed: UInt64 = 1) -> (
    DecaRangingLogWriter, [DecaRangingLogWriter.Exchange]
  ) {
    var writer = DecaRangingLogWriter(seed: seed)
    let exchanges = (0..<count).map { _ in writer.exchange(tapCount: tapCount) }
    return (writer, exchanges)
  }

  @Test(arguments: ["\r\n", "\n"]) func whatIsWrittenIsRead(_ lineEnd: String) throws {
    var (writer, exchanges) = made(40)
    writer.lineEnd = lineEnd
    let text = writer.head + exchanges.map { writer.text($0) }.joined()
    for chunk in [1, 100, .max] {
      let reading = try DecaRangingReading(ByteSource(text: text, chunk: chunk))
      #expect(reading.exchanges.count == 40)
      #expect(reading.skipped == [:])
      for (index, (made, read)) in zip(exchanges, reading.exchanges).enumerated() {
        #expect(made.agrees(with: read))
        #expect(read.poll.reception?.impulseResponse?.tapCount == 9)
        #expect(read.final?.reception?.impulseResponse?.tapCount == 9)
        #expect(read.chipReport == made.chipReport)
        #expect(read.index == index)
      }
      #expect(reading.header.format == "decaranging")
      #expect(reading.header.profile == "dw1000")
      #expect(reading.header.notes.map { String($0.prefix(5)) } == ["File:", "Mode:"])
    }
  }

  /// 40 exchanges 1.1 s apart take 44 s: the 17.2 s clock wraps twice, and once more where it starts near its end.
  @Test func timeRunsOnThroughWraps() throws {
    let (writer, exchanges) = made(40)
    let reading = try DecaRangingReading(exchanges.map { writer.text($0) }.joined())
    var ticks = 0.0
    #expect(reading.exchanges.first?.time == 0)
    for index in 1..<40 {
      let step = (exchanges[index].poll.time &- exchanges[index - 1].poll.time) & ((1 << 40) - 1)
      ticks += Double(step)
      #expect(abs(reading.exchanges[index].time - ticks * UWB.tick) < 1e-9)
    }
    #expect(reading.exchanges[39].time > 2 * DeviceTime.secondsPerWrap)
  }

  @Test func theResponseMayFollowTheFinal() throws {
    let (writer, exchanges) = made(3)
    let text = exchanges.map { writer.poll($0) + writer.final($0) + writer.response($0) + writer.report($0) }.joined()
    let reading = try DecaRangingReading(text)
    #expect(reading.exchanges.count == 3)
    #expect(zip(exchanges, reading.exchanges).allSatisfy { $0.agrees(with: $1) && $1.chipReport == $0.chipReport })
    #expect(reading.skipped == [:])
  }

  @Test func theResponseMayFollowTheReport() throws {
    let (writer, exchanges) = made(2)
    let text = exchanges.map { writer.poll($0) + writer.final($0) + writer.report($0) + writer.response($0) }.joined()
    let reading = try DecaRangingReading(text)
    #expect(reading.exchanges.map(\.chipReport) == exchanges.map(\.chipReport))
    #expect(reading.skipped == [:])
  }

  @Test func aReportIsNotNeeded() throws {
    let (writer, exchanges) = made(3)
    let text = exchanges.map { writer.poll($0) + writer.response($0) + writer.final($0) }.joined()
    let reading = try DecaRangingReading(text)
    #expect(reading.exchanges.count == 3)
    #expect(zip(exchanges, reading.exchanges).allSatisfy { $0.agrees(with: $1) && $1.chipReport == nil })
    #expect(reading.exchanges.allSatisfy { $0.final?.reception?.impulseResponse != nil })
    #expect(reading.skipped == [:])
  }

  @Test func anExchangeComesOutAsSoonAsItsReportIsRead() throws {
    let (writer, exchanges) = made(2)
    let whole = writer.text(exchanges[0])
    let report = try #require(whole.range(of: "Rb1"))
    var parts = [String(whole[..<report.lowerBound])]
    struct AskedForMore: Error {}
    var log = DecaRangingLog(
      ByteSource(name: "live") { target in
        guard !parts.isEmpty else { throw AskedForMore() }
        let part = Array(parts.removeFirst().utf8)
        target.copyBytes(from: part)
        return part.count
      })
    #expect(try log.next().map { exchanges[0].agrees(with: $0) } == true)
    #expect(throws: AskedForMore.self) { try log.next() }
  }

  @Test func tapsOfARejectedFrameStayOut() throws {
    let (writer, exchanges) = made(2)
    let noise = [Int16](repeating: 99, count: 18)
    let text =
      writer.text(exchanges[0]) + writer.receiveError(noise) + writer.poll(exchanges[1]) + writer.receiveError(noise)
      + writer.response(exchanges[1]) + writer.final(exchanges[1]) + writer.report(exchanges[1])
    let reading = try DecaRangingReading(text)
    #expect(reading.exchanges.count == 2)
    #expect(zip(exchanges, reading.exchanges).allSatisfy { $0.agrees(with: $1) })
    #expect(reading.skipped == ["receiveError": 2])
  }

  @Test func whatIsNoWholeExchangeIsCounted() throws {
    let (writer, exchanges) = made(6)
    let text =
      writer.report(exchanges[0]) + writer.text(exchanges[1]) + writer.poll(exchanges[2])
      + writer.response(exchanges[2])
      + writer.text(exchanges[3]) + writer.final(exchanges[4]) + writer.report(exchanges[4]) + writer.poll(exchanges[5])
    let reading = try DecaRangingReading(text)
    #expect(reading.exchanges.map(\.index) == [0, 1])
    #expect(exchanges[1].agrees(with: reading.exchanges[0]))
    #expect(exchanges[3].agrees(with: reading.exchanges[1]))
    #expect(reading.skipped == ["staleReport": 1, "incompleteExchange": 3])
  }

  @Test func framesOfDifferentExchangesAreNotMixed() throws {
    let (writer, exchanges) = made(3)
    let text =
      writer.poll(exchanges[0]) + writer.response(exchanges[0]) + writer.final(exchanges[1])
      + writer.report(exchanges[1]) + writer.text(exchanges[2])
    let reading = try DecaRangingReading(text)
    #expect(reading.exchanges.count == 1)
    #expect(reading.skipped == ["mismatchedFrames": 1])
  }

  @Test func intervalsThatDisagreeAreCounted() throws {
    let (writer, exchanges) = made(2)
    let text =
      writer.text(exchanges[0]) + writer.poll(exchanges[1]) + writer.response(exchanges[1])
      + writer.final(exchanges[1]) + writer.report(exchanges[0])
    let reading = try DecaRangingReading(text)
    #expect(reading.exchanges.count == 2)
    #expect(reading.skipped == ["intervalMismatch": 1])
  }

  @Test(arguments: [
    ("5, 5\r\n", "5, 5\r\n5, 5\r\n", "one tap too many"), ("5, 5\r\n", "", "one tap too few"),
    ("5, 5\r\n", "x, 5\r\n", "no number"), ("5, 5\r\n", "5, 32768\r\n", "outside 16 bits"),
    ("5, 5\r\n", "5\r\n", "half a tap"), ("Accum Len 9", "Accum Len 5000", "no such length"),
    ("Accum Len 9", "Accum Len 0", "no length"), ("Accum Len 9", "Accum Len ?", "unreadable length"),
  ])
  func aDamagedAccumulatorCostsItsCIRAlone(_ old: String, _ new: String, _ name: String) throws {
    var (writer, exchanges) = made(3)
    exchanges[1].final.taps[8] = 5
    exchanges[1].final.taps[9] = 5
    let final = writer.final(exchanges[1])
    let place = try #require(final.range(of: old), "\(name)")
    let text =
      writer.text(exchanges[0]) + writer.poll(exchanges[1]) + writer.response(exchanges[1])
      + final.replacingCharacters(in: place, with: new) + writer.report(exchanges[1]) + writer.text(exchanges[2])
    let reading = try DecaRangingReading(text)
    #expect(reading.exchanges.count == 3, "\(name)")
    #expect(zip(exchanges, reading.exchanges).allSatisfy { $0.agrees(with: $1) }, "\(name)")
    #expect(
      reading.exchanges.map { $0.final?.reception?.impulseResponse != nil } == [true, false, true], "\(name)")
    #expect(reading.exchanges.allSatisfy { $0.poll.reception?.impulseResponse != nil }, "\(name)")
    #expect(reading.skipped["damagedAccumulator"] == 1, "\(name)")
    #expect(reading.skipped.keys.allSatisfy { ["damagedAccumulator", "unknownLine"].contains($0) }, "\(name)")
  }

  @Test func anAccumulatorThatIsMissingIsNoLossOfTheExchange() throws {
    let (writer, exchanges) = made(1)
    let final = writer.final(exchanges[0])
    let place = try #require(final.range(of: "Accum Len"))
    let reading = try DecaRangingReading(
      writer.poll(exchanges[0]) + writer.response(exchanges[0]) + final[..<place.lowerBound]
        + writer.report(exchanges[0]))
    #expect(reading.exchanges.count == 1)
    #expect(reading.exchanges.first?.final?.reception?.impulseResponse == nil)
    #expect(reading.skipped == [:])
  }

  @Test func heldExchangesKeepTheirSamplesAndReleasedOnesGiveTheirsBack() throws {
    let (writer, exchanges) = made(60)
    let text = exchanges.map { writer.text($0) }.joined()
    let held = try DecaRangingReading(text).exchanges
    #expect(zip(exchanges, held).allSatisfy { $0.agrees(with: $1) })

    var log = DecaRangingLog(ByteSource(text: text))
    var storages: Set<ObjectIdentifier> = []
    while let exchange = try log.next() {
      for reception in [exchange.poll.reception, exchange.final?.reception] {
        let storage = try #require(reception?.impulseResponse).storage
        storages.insert(ObjectIdentifier(storage))
      }
    }
    #expect(storages.count <= 8)
  }

  @Test func unknownLinesAreCountedWhereverTheyStand() throws {
    let (writer, exchanges) = made(2)
    let text =
      "what is this\n" + writer.poll(exchanges[0]) + "??\n" + writer.response(exchanges[0])
      + writer.final(exchanges[0]) + writer.report(exchanges[0]) + "21 XX Rx time = oops\n" + writer.text(exchanges[1])
    let reading = try DecaRangingReading(text)
    #expect(reading.exchanges.count == 2)
    #expect(reading.skipped == ["unknownLine": 2, "damagedLine": 1])
  }
}
