import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

@Suite struct CaptureSummaryTests {
  private func response(_ parts: [Int16]) -> ChannelImpulseResponse {
    let storage = TapStorage(byteCount: 2 * parts.count)
    storage.withMutableBytes { bytes in
      for (index, part) in parts.enumerated() { bytes.storeBytes(of: part, toByteOffset: 2 * index, as: Int16.self) }
    }
    return ChannelImpulseResponse(storage: storage, format: .int16, tapCount: parts.count / 2)
  }

  private func notFinite() -> ChannelImpulseResponse {
    let storage = TapStorage(byteCount: 16)
    storage.withMutableBytes { $0.storeBytes(of: Float.infinity, as: Float.self) }
    return ChannelImpulseResponse(storage: storage, format: .float32, tapCount: 2)
  }

  private func exchange(_ index: Int, time: Double, ticks: UInt64, _ cir: ChannelImpulseResponse?) -> RangingExchange {
    RangingExchange(
      index: index, time: time, peer: DeviceAddress(rawValue: UInt64(index % 2)),
      poll: RangingMessage(reception: Reception(time: DeviceTime(ticks: ticks), impulseResponse: cir)))
  }

  @Test func countsWhatIsOddAboutCIRs() {
    var summary = CaptureSummary()
    let plain = response([1, 2, 3, 4])
    summary.add(exchange(0, time: 0, ticks: 5, response([0, 0, 0, 0])))
    summary.add(exchange(1, time: 1, ticks: 6, response([0, 0, 0, 0])))
    summary.add(exchange(2, time: 2, ticks: 7, plain))
    summary.add(exchange(3, time: 3, ticks: 3, plain))
    summary.add(exchange(4, time: 4, ticks: 9, response([1, 2, 32767, 4])))
    summary.add(exchange(5, time: 5, ticks: 1, notFinite()))
    #expect(summary.allZero == 2 && summary.saturated == 1 && summary.notFinite == 1)
    // All-zero CIRs have a count of their own.
    #expect(summary.repeated == 1)
    #expect(summary.clockWraps == 2)
    #expect(summary.peers == [DeviceAddress(rawValue: 0): 3, DeviceAddress(rawValue: 1): 3])
    #expect(summary.withoutTimestamps == 6 && summary.impulseResponses == 6)
    #expect(summary.shapes == ["1 × 2 taps, int16": 5, "1 × 2 taps, float32": 1])
    #expect(summary.poll == .init(count: 6, transmitted: 0, receptions: 6, impulseResponses: 6, chipFirstPaths: 0))
  }

  @Test func findsGaps() throws {
    var summary = CaptureSummary()
    #expect(summary.medianWait == nil && summary.gaps == 0)
    var time = 0.0
    for index in 0..<1000 {
      summary.add(exchange(index, time: time, ticks: UInt64(index + 1), nil))
      time += index == 300 || index == 700 ? 2.5 : 0.1
    }
    let median = try #require(summary.medianWait)
    #expect(abs(median / 0.1 - 1) < 0.06)
    #expect(summary.gaps == 2)
    #expect(summary.longestWait?.after == 300)
    #expect(abs(summary.seconds - 104.7) < 1e-6)
  }
}
