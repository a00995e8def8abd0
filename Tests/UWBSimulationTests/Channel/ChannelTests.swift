import Numerics
import Testing
import UWBDSP
import UWBPlatform
import UWBSimulation

@Suite struct ChannelTests {
  @Test func twoPathsAreAsAsked() {
    var generator = SeededGenerator(seed: 1)
    let channel = Channel.twoPath(spacing: 3e-9, relativePowerdB: -6, relativePhase: .pi / 2)
    var phases: Set<Int> = []
    for _ in 0..<20 {
      let paths = channel.draw(using: &generator)
      #expect(paths.map(\.delay) == [0, 3e-9])
      #expect(abs(paths[0].power - 1) < 1e-12)
      #expect(abs(10 * log10(paths[1].power) + 6) < 1e-9)
      let ratio = paths[1].amplitude * paths[0].amplitude.conjugate
      #expect(abs(ratio.phase - .pi / 2) < 1e-9)
      phases.insert(Int(paths[0].amplitude.phase * 10))
    }
    #expect(phases.count > 8)
  }

  @Test func phasesThatAreNotGivenAreRandom() {
    var generator = SeededGenerator(seed: 2)
    let channel = Channel.twoPath(spacing: 3e-9, relativePowerdB: 0, relativePhase: nil)
    let count = 2000
    let sum = (0..<count).reduce(Complex<Double>.zero) { sum, _ in
      let paths = channel.draw(using: &generator)
      return sum + paths[1].amplitude * paths[0].amplitude.conjugate
    }
    #expect(sum.length / Double(count) < 5 / Double(count).squareRoot(), "seed 2")
  }

  @Test func delaysCountFromTheEarliestPath() {
    var generator = SeededGenerator(seed: 3)
    let channel = Channel.paths([
      PathSpecification(delay: 9e-9, powerdB: 0), PathSpecification(delay: 4e-9, powerdB: -10),
    ])
    let paths = channel.draw(using: &generator)
    #expect(paths[0].delay == 0 && abs(paths[1].delay - 5e-9) < 1e-18)
    #expect(abs(10 * log10(paths[0].power) + 10) < 1e-9)
  }

  @Test func denseClusterHasItsPower() {
    // Behind its onset by more than a pulse and with hardly any decay, the CIR's mean power is what was asked.
    let cluster = DenseCluster(onset: 6 * UWB.tap, decay: 2000 * UWB.tap, powerdB: 3)
    let channel = Channel.pathsBeforeCluster([PathSpecification(delay: 0, powerdB: -200)], cluster)
    let synthesizer = ImpulseResponseSynthesizer(tapCount: 260, truncation: 1e-3)
    var generator = SeededGenerator(seed: 4)
    var powers: [Double] = []
    for _ in 0..<3 {
      let paths = channel.draw(using: &generator)
      #expect(paths[1].delay >= 6 * UWB.tap * (1 - 1e-12))
      let samples = synthesizer.noiseless(paths, onsetTaps: 20)
      // Every fourth tap: two pulses apart, they hardly correlate.
      for tap in stride(from: 50, to: 250, by: 4) {
        powers.append(Double(samples[tap].lengthSquared) * exp(Double(tap - 26) / 2000))
      }
    }
    let mean = powers.reduce(0, +) / Double(powers.count)
    let expected = pow(10, 0.3)
    #expect(abs(mean / expected - 1) < 5 / Double(powers.count).squareRoot(), "seed 4: \(mean)")
  }

  @Test func namesAndListsAreRead() throws {
    #expect(Channel(name: "awgn") == .awgn)
    #expect(Channel(name: "cm4") == .ieee802154a(.cm4))
    #expect(Channel(name: "cm9") == nil)
    let list = try Channel(pathList: "0:0dB, 2.5:-3dB@90deg,-1:4")
    #expect(
      list
        == .paths([
          PathSpecification(delayTaps: 0, powerdB: 0), PathSpecification(delayTaps: 2.5, powerdB: -3, phase: .pi / 2),
          PathSpecification(delayTaps: -1, powerdB: 4),
        ]))
    #expect(try Channel(pathList: list.description) == list)
    #expect(Channel.ieee802154a(.cm2).description == "cm2")
  }

  @Test(arguments: ["", "0", "0:", ":0dB", "a:0dB", "0:x", "0:0dB,", "0:0dB@", "0:0@1@2", "nan:0", "0:inf", "1e9:0"])
  func badListsAreRefused(_ text: String) {
    #expect(throws: ChannelDescriptionError.self) { try Channel(pathList: text) }
  }

  @Test func statisticsByHand() {
    // Two equal paths 10 ns apart: mean 5, spread 5; a third 20 dB down in neither count.
    let paths = [
      Path(delay: 0, amplitude: Complex(1)), Path(delay: 10e-9, amplitude: Complex(0, 1)),
    ]
    let statistics = ChannelStatistics(paths, binWidth: 1e-9)
    #expect(abs(statistics.meanExcessDelay - 5e-9) < 1e-20)
    #expect(abs(statistics.rmsDelaySpread - 5e-9) < 1e-15)
    #expect(statistics.pathsWithin10dB == 2 && statistics.pathsFor85Percent == 2)
    let more = ChannelStatistics(paths + [Path(delay: 4e-9, amplitude: Complex(0.1))], binWidth: 1e-9)
    #expect(more.pathsWithin10dB == 2 && more.pathsFor85Percent == 2)
    // Paths in one bin add as complex numbers.
    let cancelled = ChannelStatistics(
      paths + [Path(delay: 10.2e-9, amplitude: Complex(0, -1))], binWidth: 1e-9)
    #expect(cancelled.meanExcessDelay == 0 && cancelled.pathsWithin10dB == 1)
  }
}
