import Testing
import UWBDSP
import UWBSimulation

@Suite struct SimulatedClockTests {
  @Test func perfectClockCountsTicks() {
    let clock = SimulatedClock()
    #expect(clock.reading(at: 0).time.ticks == 0)
    // 128 · 499.2 MHz.
    #expect(clock.reading(at: 1).time.ticks == 63_897_600_000)
    let half = clock.reading(at: 0, plus: 10.5 * UWB.tick)
    #expect(half.time.ticks == 10)
    #expect(abs(half.fraction - 0.5) < 1e-9)
  }

  @Test func wrapsAtFortyBits() {
    let clock = SimulatedClock(offsetTicks: DeviceTime.ticksPerWrap - 3)
    let before = clock.reading(at: 0, plus: 2.5 * UWB.tick).time
    let after = clock.reading(at: 0, plus: 7.5 * UWB.tick).time
    #expect(before.ticks == DeviceTime.ticksPerWrap - 1)
    #expect(after.ticks == 4)
    #expect(after.ticks(since: before) == 5)
  }

  @Test func rateAndDriftByHand() {
    // +10 ppm: 638 976 ticks more a second.
    #expect(SimulatedClock(rateppm: 10).reading(at: 1).time.ticks == 63_898_238_976)
    // 1 ppm/s over 2 s is ½ · 1 · 2² = 2 µs.
    #expect(abs(SimulatedClock(driftppm: 1).elapsed(at: 2) - 2.000002) < 1e-12)
    #expect(SimulatedClock(rateppm: 3, driftppm: 0.5).rateppm(at: 4) == 5)
  }

  @Test func oneBaseKeepsFractionsAfterWeeks() {
    let clock = SimulatedClock(offsetTicks: 12345, rateppm: 4)
    for base in [0, 1e4, 1e6] {
      let a = clock.reading(at: base, plus: 0)
      let b = clock.reading(at: base, plus: 0.002)
      let ticks = Double(b.time.ticks(since: a.time)) + b.fraction - a.fraction
      #expect(abs(ticks - 0.002 * 1.000004 / UWB.tick) < 1e-6)
    }
  }

  @Test func nextTickIsATick() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<200 {
      let clock = SimulatedClock(
        offsetTicks: generator.next(), rateppm: generator.uniform(in: -20...20),
        driftppm: generator.uniform(in: -0.1...0.1))
      let base = generator.uniform(in: 0...100)
      let offset = generator.uniform(in: 0...0.01)
      let next = clock.nextTick(at: base, plus: offset)
      #expect(next.offset >= offset && next.offset < offset + 1.001 * UWB.tick)
      let reading = clock.reading(at: base, plus: next.offset)
      let error = Double(reading.time.offset(from: next.time)) + reading.fraction
      #expect(abs(error) < 1e-6)
    }
  }

  @Test func negativeTimesAreBeforeTheOffset() {
    let reading = SimulatedClock(offsetTicks: 5).reading(at: 0, plus: -7.25 * UWB.tick)
    #expect(reading.time.ticks == DeviceTime.ticksPerWrap - 3)
    #expect(abs(reading.fraction - 0.75) < 1e-9)
  }
}
