import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// Logs that were cut, damaged, or are none.
@Suite struct DecaRangingHostileTests {
  private func log(_ count: Int, tapCount: Int) -> (
    text: [UInt8], ends: [Int], exchanges: [DecaRangingLogWriter.Exchange]
  ) {
    var writer = DecaRangingLogWriter(seed: 42)
    var text = writer.head
    var ends: [Int] = []
    let exchanges = (0..<count).map { _ in writer.exchange(tapCount: tapCount) }
    for exchange in exchanges {
      text += writer.text(exchange)
      ends.append(text.utf8.count)
    }
    return (Array(text.utf8), ends, exchanges)
  }

  @Test func cutAtEveryByte() throws {
    let (text, ends, exchanges) = log(4, tapCount: 6)
    for cut in 0...text.count {
      let reading = try DecaRangingReading(ByteSource(content: Array(text[..<cut])))
      let whole = ends.filter { $0 <= cut }.count
      #expect(reading.exchanges.count >= whole, "cut at \(cut)")
      for (made, read) in zip(exchanges, reading.exchanges).prefix(whole) {
        #expect(made.agrees(with: read), "cut at \(cut)")
        #expect(read.poll.reception?.impulseResponse != nil && read.final?.reception?.impulseResponse != nil)
        #expect(read.chipReport == made.chipReport)
      }
      // One more may be there by its timestamps, without what was cut off behind them.
      #expect(reading.exchanges.count <= whole + 1)
      for (made, read) in zip(exchanges, reading.exchanges).dropFirst(whole) {
        #expect(read.final?.reception?.time.ticks == made.final.time && read.final?.transmitted?.ticks == made.tagFinal)
      }
      // An exchange that was begun and is not there has its reason; so has a CIR whose taps were begun.
      let tail = text[(whole == 0 ? 0 : ends[whole - 1])..<cut]
      if reading.exchanges.count == whole, tail.firstRange(of: Array("txdly".utf8)) != nil {
        #expect(reading.skipped["incompleteExchange"] == 1, "cut at \(cut)")
      }
      // A CR is enough of a line's end.
      let taps = tail.ranges(of: Array("Accum Len 6\r".utf8)).last.map { tail[$0.upperBound...] }
      let cutShort = taps.map { $0.count { $0 == 0x0D } < 6 } == true ? 1 : 0
      #expect(reading.skipped["damagedAccumulator", default: 0] == cutShort, "cut at \(cut)")
    }
  }

  @Test func mutatedTenThousandTimes() throws {
    let (text, ends, exchanges) = log(4, tapCount: 6)
    var random = DecaRangingGenerator(seed: 7)
    for round in 0..<10_000 {
      let mutation = MutatedBytes(
        text, most: 3, [.flippedBit, .otherByte, .lostByte, .strayByte], using: &random)
      let (mutated, first) = (mutation.bytes, mutation.firstError)
      let reading = try DecaRangingReading(ByteSource(content: mutated, chunk: round % 7 == 0 ? 11 : .max))
      let whole = ends.count { $0 <= first }
      #expect(reading.exchanges.count >= whole, "seed 7, round \(round)")
      #expect(
        zip(exchanges, reading.exchanges).prefix(whole).allSatisfy { $0.agrees(with: $1) }, "seed 7, round \(round)")
      let lost = reading.skipped["incompleteExchange", default: 0] + reading.skipped["mismatchedFrames", default: 0]
      #expect(reading.exchanges.count + lost >= exchanges.count, "seed 7, round \(round): \(reading.skipped)")
      #expect(reading.exchanges.count <= exchanges.count, "seed 7, round \(round)")
      let bare = reading.exchanges.flatMap { [$0.poll.reception, $0.final?.reception] }
        .filter { $0?.impulseResponse == nil }.count
      #expect(bare == 0 || !reading.skipped.isEmpty, "seed 7, round \(round): a CIR was lost in silence")
      let times = reading.exchanges.map(\.time)
      #expect(times == times.sorted(), "seed 7, round \(round)")
    }
  }

  @Test func shuffledLines() throws {
    let (text, _, _) = log(3, tapCount: 4)
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    for seed in 0..<500 as Range<UInt64> {
      var random = DecaRangingGenerator(seed: seed)
      let shuffled = Array(lines.shuffled(using: &random).joined(separator: [0x0A]))
      let reading = try DecaRangingReading(ByteSource(content: shuffled))
      #expect(reading.exchanges.count <= 3, "seed \(seed)")
      #expect(!reading.skipped.isEmpty, "seed \(seed)")
    }
  }

  @Test func noiseHoldsNoExchange() throws {
    var random = DecaRangingGenerator(seed: 3)
    let noise = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let reading = try DecaRangingReading(ByteSource(content: noise))
    #expect(reading.exchanges.isEmpty)
    #expect(reading.skipped["unknownLine", default: 0] > 1000)
  }

  @Test func aHugeLineInsideAnAccumulatorCostsThatOneAlone() throws {
    let (text, ends, exchanges) = log(3, tapCount: 6)
    let place = try #require(text[ends[0]...].firstRange(of: Array("Accum Len 6\r\n".utf8))).upperBound
    var position = 0
    let huge = 64 << 20
    let source = ByteSource(name: "huge") { target in
      if position >= place, position < place + huge {
        let count = min(target.count, place + huge - position)
        UnsafeMutableRawBufferPointer(rebasing: target[..<count]).initializeMemory(as: UInt8.self, repeating: 0x31)
        position += count
        return count
      }
      let rest = position < place ? text[position..<place] : text[(position - huge)...]
      let count = min(target.count, rest.count)
      target.copyBytes(from: rest.prefix(count))
      position += count
      return count
    }
    let reading = try DecaRangingReading(source)
    #expect(reading.exchanges.count == 3)
    #expect(zip(exchanges, reading.exchanges).allSatisfy { $0.agrees(with: $1) })
    #expect(reading.skipped == ["lineTooLong": 1, "damagedAccumulator": 1])
  }
}
