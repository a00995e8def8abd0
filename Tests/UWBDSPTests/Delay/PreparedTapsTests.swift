import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct PreparedTapsTests {
  private func samples(_ taps: PreparedTaps) -> [Complex<Float>] {
    (0..<taps.count).map { Complex(taps.taps[2 * $0], taps.taps[2 * $0 + 1]) }
  }

  private func expectZeroMargins(_ taps: PreparedTaps) {
    for index in 0..<2 * PreparedTaps.margin { #expect(taps.samples.pointer[index] == 0) }
    for index in 2 * (PreparedTaps.margin + taps.count)..<taps.samples.count {
      #expect(taps.samples.pointer[index] == 0)
    }
  }

  @Test func loadsEitherFormatScaled() {
    var random = StatisticsRandom(seed: 700)
    let made = NaiveImpulseResponse.samples(
      [NaivePath(delayTaps: 60, powerdB: 30, phase: 1)], tapCount: 100, using: &random)
    let taps = PreparedTaps(tapCount: 100)
    taps.load(ChannelImpulseResponse(made, scale: 0.5), antenna: 0)
    #expect(samples(taps) == made.map { $0 * Complex(0.5) })
    #expect(taps.isUsable && taps.peakTap == 60)
    expectZeroMargins(taps)
    let integers = NaiveImpulseResponse.integers(made, step: 0.25)
    taps.load(integers, antenna: 0)
    #expect(samples(taps) == integers.samples())
    for index in 0..<100 {
      #expect(taps.powers.pointer[index] == samples(taps)[index].lengthSquared)
    }
    #expect(taps.peakPower == Double(samples(taps)[60].lengthSquared))
  }

  @Test func loadsTheAntennaThatIsAskedFor() {
    let made = (0..<60).map { Complex<Float>(Float($0), -Float($0)) }
    let storage = TapStorage(byteCount: 8 + 60 * 8)
    storage.withMutableBytes { bytes in
      made.withUnsafeBytes { source in
        for index in source.indices { bytes[8 + index] = source[index] }
      }
    }
    let response = ChannelImpulseResponse(
      storage: storage, byteOffset: 8, format: .float32, antennaCount: 3, tapCount: 17, antennaStride: 20)
    let taps = PreparedTaps(tapCount: 17)
    for antenna in 0..<3 {
      taps.load(response, antenna: antenna)
      #expect(samples(taps) == Array(made[20 * antenna..<20 * antenna + 17]))
    }
  }

  @Test(arguments: [ChannelImpulseResponse.SampleFormat.int16, .float32])
  func loadsInterleavedAntennasAsThoseThatFollowEachOther(_ format: ChannelImpulseResponse.SampleFormat) {
    let storage = TapStorage(byteCount: 3 * 17 * format.byteCount)
    storage.withMutableBytes { bytes in
      for index in 0..<2 * 3 * 17 {
        switch format {
        case .int16: bytes.storeBytes(of: Int16(7 * index - 300), toByteOffset: 2 * index, as: Int16.self)
        case .float32: bytes.storeBytes(of: Float(index) - 50.5, toByteOffset: 4 * index, as: Float.self)
        }
      }
    }
    let response = ChannelImpulseResponse(
      storage: storage, format: format, antennaCount: 3, tapCount: 17, antennaStride: 1, tapStride: 3, scale: 0.5)
    let taps = PreparedTaps(tapCount: 17)
    for antenna in 0..<3 {
      taps.load(response, antenna: antenna)
      #expect(samples(taps) == response.samples(antenna: antenna))
    }
  }

  @Test func shorterAfterLongerLeavesNothingBehind() {
    var random = StatisticsRandom(seed: 701)
    let long = NaiveImpulseResponse.samples(
      [NaivePath(delayTaps: 250, powerdB: 60, phase: 1)], tapCount: 300, using: &random)
    let short = NaiveImpulseResponse.samples(
      [NaivePath(delayTaps: 150, powerdB: 20, phase: 1)], tapCount: 200, using: &random)
    let used = PreparedTaps(tapCount: 300)
    used.load(ChannelImpulseResponse(long), antenna: 0)
    used.load(ChannelImpulseResponse(short), antenna: 0)
    let fresh = PreparedTaps(tapCount: 200)
    fresh.load(ChannelImpulseResponse(short), antenna: 0)
    #expect(used.count == 200)
    #expect(samples(used) == samples(fresh))
    #expect(used.noiseVariance == fresh.noiseVariance)
    #expect(used.peakTap == fresh.peakTap && used.peakPower == fresh.peakPower)
    expectZeroMargins(used)
    expectZeroMargins(fresh)
  }

  /// A pattern's mean over P periods is known to σ²/P, and that is what is left of it.
  @Test(arguments: [1, 2, 4, 8], [0.5, 25])
  func subtractsAPattern(period: Int, power: Double) {
    var random = StatisticsRandom(seed: UInt64(702 + period))
    let pattern = (0..<period).map { _ in Complex(length: power.squareRoot(), phase: random.uniform(-3...3)) }
    let taps = PreparedTaps(tapCount: 800)
    var left = StatisticsErrors()
    var floor = StatisticsErrors()
    let periods = Double((600 - PreparedTaps.guardTaps - PreparedTaps.margin) / PreparedTaps.patternTaps)
    let trials = 30
    for _ in 0..<trials {
      let clean = NaiveImpulseResponse.samples(
        [NaivePath(delayTaps: 600, powerdB: 30, phase: 1)], tapCount: 800, using: &random)
      let spoilt = clean.enumerated().map { index, value in
        let added = pattern[index % period]
        return value + Complex(Float(added.real), Float(added.imaginary))
      }
      taps.load(ChannelImpulseResponse(spoilt), antenna: 0)
      for (index, value) in samples(taps).enumerated() {
        left.add(Double((value - clean[index]).lengthSquared) * periods)
      }
      floor.add(taps.noiseVariance)
      #expect(taps.peakTap == 600)
    }
    // |mean of noise|² is exponential: its deviation is its mean; one number for each phase and trial.
    #expect(abs(left.mean - 1) < StatisticsLimits.mean(deviation: 1, trials: trials * PreparedTaps.patternTaps))
    #expect(abs(floor.mean - 1) < 0.08)
  }

  /// What is left of a tone is small beside the noise, wherever its line stands.
  @Test(arguments: [-2.9, -0.4, 0.03, 1.1, 2.2], [0.7, 25])
  func subtractsATone(frequency: Double, power: Double) {
    var random = StatisticsRandom(seed: 706)
    let taps = PreparedTaps(tapCount: 800)
    var left = StatisticsErrors()
    for _ in 0..<30 {
      let clean = NaiveImpulseResponse.samples(
        [NaivePath(delayTaps: 600, powerdB: 30, phase: 1)], tapCount: 800, using: &random)
      let phase = random.uniform(-3...3)
      let spoilt = clean.enumerated().map { index, value in
        let added = Complex(length: power.squareRoot(), phase: phase + frequency * Double(index))
        return value + Complex(Float(added.real), Float(added.imaginary))
      }
      taps.load(ChannelImpulseResponse(spoilt), antenna: 0)
      for (index, value) in samples(taps).enumerated() where index < 600 {
        left.add(Double((value - clean[index]).lengthSquared))
      }
      #expect(taps.peakTap == 600)
    }
    // Amplitude and frequency are three real unknowns of 528 complex taps: 0.003 where they were seen.
    #expect(left.mean < 0.02)
  }

  /// Noise is none, nor is what comes once.
  @Test func noiseAndBurstsAreNoPattern() {
    var random = StatisticsRandom(seed: 705)
    let taps = PreparedTaps(tapCount: 500)
    for trial in 0..<300 {
      var made = NaiveImpulseResponse.samples(
        [NaivePath(delayTaps: 200 + Double(trial), powerdB: 30, phase: 0)], tapCount: 500, using: &random)
      if trial % 2 == 1 { made[Int(random.uniform(8...130))] += 100 }
      taps.load(ChannelImpulseResponse(made), antenna: 0)
      #expect(samples(taps) == made, "trial \(trial)")
    }
  }

  @Test func anEarlySignalKeepsItsPattern() {
    var random = StatisticsRandom(seed: 703)
    let made = NaiveImpulseResponse.samples(
      [NaivePath(delayTaps: 150, powerdB: 40, phase: 0)], tapCount: 300, using: &random
    ).map { $0 + 3 }
    let taps = PreparedTaps(tapCount: 300)
    taps.load(ChannelImpulseResponse(made), antenna: 0)
    #expect(samples(taps) == made)
  }

  /// Integers become samples by the block, where they are asked for: in any order, and anew for each CIR.
  @Test func samplesOfARangeAreThoseOfTheWhole() {
    var random = StatisticsRandom(seed: 704)
    let taps = PreparedTaps(tapCount: 300)
    for count in [300, 131, 16, 300] {
      let made = NaiveImpulseResponse.samples(
        [NaivePath(delayTaps: 0.6 * Double(count), powerdB: 30, phase: 1)], tapCount: count, using: &random)
      let integers = NaiveImpulseResponse.integers(made, step: 0.1)
      let expected = integers.samples()
      taps.load(integers, antenna: 0)
      for _ in 0..<6 {
        let start = Int(random.uniform(-8...Double(count)))
        let range = start..<start + Int(random.uniform(0...40))
        let first = taps.taps(in: range)
        for tap in range where tap >= -PreparedTaps.margin && tap < count + PreparedTaps.margin {
          let sample = Complex(first[2 * tap], first[2 * tap + 1])
          #expect(sample == (expected.indices.contains(tap) ? expected[tap] : .zero), "tap \(tap) of \(count)")
        }
      }
      #expect(samples(taps) == expected)
      expectZeroMargins(taps)
    }
  }

  @Test func unusableSamples() {
    let taps = PreparedTaps(tapCount: 64)
    for bad in [Complex<Float>(.nan, 0), Complex(0, .infinity), Complex(3e38, 3e38)] {
      var made = [Complex<Float>](repeating: .one, count: 64)
      made[40] = bad
      taps.load(ChannelImpulseResponse(made), antenna: 0)
      #expect(!taps.isUsable)
    }
    taps.load(ChannelImpulseResponse([Complex<Float>](repeating: .zero, count: 64)), antenna: 0)
    #expect(!taps.isUsable)
    taps.load(ChannelImpulseResponse([Complex<Float>](repeating: .one, count: 64)), antenna: 0)
    #expect(taps.isUsable)
  }

  /// Powers are exact to the rounding of single precision, the largest included.
  @Test func powersOfIntegersAreTheirSquares() {
    let parts: [Float] = [-32768, -32767, -181, -1, 0, 1, 3, 256, 20_001, 32_767]
    let samples = parts.flatMap { real in parts.map { Complex(real, $0) } }
    let taps = PreparedTaps(tapCount: samples.count)
    taps.load(NaiveImpulseResponse.integers(samples, step: 1), antenna: 0)
    for (tap, sample) in samples.enumerated() {
      let power = Double(sample.real * sample.real) + Double(sample.imaginary * sample.imaginary)
      #expect(abs(Double(taps.powers.pointer[tap]) - power) <= 2e-7 * power)
    }
    #expect(taps.peakTap == 0 && taps.peakPower == 0x1p31)
  }

  @Test func integersAreNoQuieterThanTheirRounding() {
    let storage = TapStorage(byteCount: 4 * 300)
    storage.withMutableBytes { $0.storeBytes(of: Int16(1000), toByteOffset: 4 * 250, as: Int16.self) }
    let taps = PreparedTaps(tapCount: 300)
    taps.load(ChannelImpulseResponse(storage: storage, format: .int16, tapCount: 300, scale: 3), antenna: 0)
    #expect(taps.noiseVariance == 9.0 / 6)
  }

  @Test func refusesWhatDoesNotFit() async {
    await #expect(processExitsWith: .failure) {
      PreparedTaps(tapCount: 10).load(
        ChannelImpulseResponse([Complex<Float>](repeating: .one, count: 11)), antenna: 0)
    }
    await #expect(processExitsWith: .failure) {
      PreparedTaps(tapCount: 10).load(
        ChannelImpulseResponse([Complex<Float>](repeating: .one, count: 10)), antenna: 1)
    }
  }
}
