import Foundation
import TestSupport
import Testing
import UWBDSP

@testable import UWBCapture

@Suite struct SampleFileTests {
  private static func bytes(_ storage: TapStorage, _ offset: Int, _ count: Int) -> [UInt8] {
    storage.withBytes { Array($0[offset..<offset + count]) }
  }

  private static func content(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }
  }

  @Test("ranges in any order hold the file's bytes, and stay as they are while others are read")
  func ranges() throws {
    let content = Self.content(1_000_000)
    let file = try TemporaryFile(content)
    for part in [0..<content.count, 4096..<900_001] {
      var samples = try SampleFile(FilePart(path: file.path, range: part))
      #expect(samples.byteCount == part.count)
      var random = DecaRangingGenerator(seed: 4)
      var held: [(range: Range<Int>, storage: TapStorage, offset: Int)] = []
      var start = 0
      for round in 0..<400 {
        let length = Int.random(in: 1...20_000, using: &random)
        if round % 50 > 30 { start = Int.random(in: 0..<part.count, using: &random) }
        let range = start..<start + length
        let found = try samples.bytes(range)
        #expect((found != nil) == (range.upperBound <= part.count))
        start = range.upperBound % part.count
        guard let found else { continue }
        held.append((range, found.storage, found.offset))
        if held.count > 8 { held.removeFirst(4) }
        for (range, storage, offset) in held {
          let there = part.lowerBound + range.lowerBound..<part.lowerBound + range.upperBound
          #expect(Self.bytes(storage, offset, range.count) == Array(content[there]))
        }
      }
    }
  }

  @Test("a file that becomes shorter ends the samples, wherever it is cut")
  func shorter() throws {
    let content = Self.content(1_200_000)
    for cut in [0, 1, 4095, 4096, 300_000, 1_199_999] {
      let file = try TemporaryFile(content)
      var samples = try SampleFile(FilePart(path: file.path))
      let first = try #require(try samples.bytes(0..<4000))
      truncate(file.path, off_t(cut))
      for start in stride(from: 0, to: content.count - 4000, by: 4000) {
        guard let found = try samples.bytes(start..<start + 4000) else { continue }
        #expect(start == 0 || start + 4000 <= cut)
        #expect(Self.bytes(found.storage, found.offset, 4000) == Array(content[start..<start + 4000]))
      }
      #expect(Self.bytes(first.storage, first.offset, 4000) == Array(content[..<4000]))
    }
  }

  @Test("a recording whose data become shorter while it is read: the CIRs that are gone are counted")
  func recording() throws {
    let folder = try TemporaryFolder()
    let writer = try SigMFWriter(path: folder.path + "/x", header: SigMFTests.header)
    let taps = 1000
    for index in 0..<400 {
      let response = ChannelImpulseResponse(
        (0..<taps).map { .init(Float(index), Float($0)) }, tapSpacing: UWB.tap)
      try writer.append(
        RangingExchange(
          index: index, time: 0, peer: DeviceAddress(rawValue: 1),
          poll: RangingMessage(reception: Reception(time: DeviceTime(ticks: 1), impulseResponse: response))))
    }
    try writer.finish()
    var reader = try SigMFReader(path: folder.path + "/x")
    var found = 0
    for index in 0..<400 {
      if index == 100 { truncate(folder.path + "/x.sigmf-data", 0) }
      let exchange = try #require(try reader.next())
      guard let response = exchange.poll.reception?.impulseResponse else { continue }
      #expect(response.samples().first?.real == Float(index))
      found += 1
    }
    #expect(found >= 100 && found < 400)
    #expect(reader.skipped.counts["missingSamples"] == 400 - found)
    #expect(try reader.hashFits() == false)
  }

  @Test("reading on allocates a block's memory once")
  func allocations() throws {
    let file = try TemporaryFile(Self.content(8_000_000))
    var samples = try SampleFile(FilePart(path: file.path))
    var storages: Set<ObjectIdentifier> = []
    var kept: [TapStorage] = []
    for start in stride(from: 0, to: 8_000_000 - 4064, by: 4064) {
      let found = try #require(try samples.bytes(start..<start + 4064))
      if storages.insert(ObjectIdentifier(found.storage)).inserted { kept.append(found.storage) }
      kept.removeAll()
    }
    // The first CIR's own, one for blocks, and one while a CIR of the block before is still held.
    #expect(storages.count <= 3)
  }
}
