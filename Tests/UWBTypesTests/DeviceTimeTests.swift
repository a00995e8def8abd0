import TestSupport
import Testing
import UWBDSP

@Suite struct DeviceTimeTests {
  @Test func keepsTheLowestFortyBits() {
    #expect(DeviceTime(ticks: 0xFF_FFFF_FFFF).ticks == 0xFF_FFFF_FFFF)
    #expect(DeviceTime(ticks: 0x100_0000_0000).ticks == 0)
    #expect(DeviceTime(ticks: .max).ticks == 0xFF_FFFF_FFFF)
    #expect(DeviceTime(ticks: 0xAB12_3456_789A_BCDE) == DeviceTime(ticks: 0x56_789A_BCDE))
  }

  @Test func wrapsEverySeventeenSeconds() {
    #expect(DeviceTime.ticksPerWrap == 1_099_511_627_776)
    // 2⁴⁰ / (128 · 499.2 MHz)
    #expect(abs(DeviceTime.secondsPerWrap - 17.207_401_025_641) < 1e-9)
  }

  @Test func waitsAcrossTheWrapAreShort() {
    let before = DeviceTime(ticks: DeviceTime.ticksPerWrap - 5)
    let after = DeviceTime(ticks: 7)
    #expect(after.ticks(since: before) == 12)
    #expect(before.ticks(since: after) == DeviceTime.ticksPerWrap - 12)
    #expect(after.offset(from: before) == 12)
    #expect(before.offset(from: after) == -12)
  }

  @Test func offsetsAreHalfOpen() {
    let half = DeviceTime.ticksPerWrap / 2
    let zero = DeviceTime(ticks: 0)
    #expect(DeviceTime(ticks: half - 1).offset(from: zero) == Int64(half) - 1)
    #expect(DeviceTime(ticks: half).offset(from: zero) == -Int64(half))
    #expect(zero.offset(from: zero) == 0)
  }

  @Test(arguments: [11, 12, 13] as [UInt64])
  func arithmeticIsModular(seed: UInt64) {
    var random = StatisticsRandom(seed: seed)
    for _ in 0..<2000 {
      let time = DeviceTime(ticks: random.next())
      let other = DeviceTime(ticks: random.next())
      let wait = random.next() & (DeviceTime.ticksPerWrap - 1)
      #expect(time.advanced(byTicks: Int64(wait)).ticks(since: time) == wait)
      #expect(time.advanced(byTicks: time.offset(from: other)).offset(from: time) == time.offset(from: other))
      #expect(other.advanced(byTicks: time.offset(from: other)) == time)
      #expect((time.ticks(since: other) &+ other.ticks(since: time)) & (DeviceTime.ticksPerWrap - 1) == 0)
      let offset = time.offset(from: other)
      #expect((-(Int64(1) << 39)..<(Int64(1) << 39)).contains(offset))
      // Opposite, save for the one value that has no opposite.
      #expect(offset == -(Int64(1) << 39) || other.offset(from: time) == -offset)
    }
  }

  @Test func advancesByExtremeCounts() {
    let time = DeviceTime(ticks: 3)
    #expect(time.advanced(byTicks: -4) == DeviceTime(ticks: DeviceTime.ticksPerWrap - 1))
    #expect(time.advanced(byTicks: .min) == time)
    #expect(time.advanced(byTicks: .max) == DeviceTime(ticks: 2))
  }

  @Test func printsTenDigits() {
    #expect(DeviceTime(ticks: 0).description == "0000000000")
    #expect(DeviceTime(ticks: 0xAB_C123).description == "0000ABC123")
    #expect(DeviceTime(ticks: .max).description == "FFFFFFFFFF")
  }
}
