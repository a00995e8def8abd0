import Numerics
import Testing
import UWBDSP

@testable import UWBSimulation

@Suite("arena: trials")
struct ArenaTrialsTests {
  /// Noise far below single precision's rounding.
  private static let quiet = 200.0...200.0

  private static func samples(_ impairments: [ArenaImpairment], _ index: Int) -> (
    samples: [Complex<Double>], truth: Double
  ) {
    let family = ArenaFamily("x", .tuned, .onePath, impairments, snrdB: quiet, draws: "impairments")
    let trial = ArenaTrials(family: family, seed: 3).trial(index)
    let samples = trial.response.samples().map { Complex(Double($0.real), Double($0.imaginary)) }
    return (samples, trial.firstPathTaps)
  }

  private static func largest(_ samples: some Sequence<Complex<Double>>) -> Double {
    samples.reduce(0) { max($0, $1.length) }
  }

  private static func decibels(_ value: Double, over reference: Double) -> Double {
    20 * Double.log10(value / reference)
  }

  /// What an impairment adds to the CIR of one path, and that path's largest tap.
  private static func added(
    _ impairment: ArenaImpairment, _ index: Int
  ) -> (difference: [Complex<Double>], peak: Double, truth: Double) {
    let (plain, truth) = samples([], index)
    let (impaired, _) = samples([impairment], index)
    return (zip(impaired, plain).map { $0 - $1 }, largest(plain), truth)
  }

  @Test("names are unique, both uses exist, and every window has its whole CIR")
  func families() {
    let all = ArenaFamily.all
    #expect(Set(all.map(\.name)).count == all.count)
    for use in ArenaFamily.Use.allCases { #expect(all.contains { $0.use == use }) }
    #expect(all.filter { $0.windowTaps != nil }.allSatisfy { $0.uncut != nil && $0.uncut?.windowTaps == nil })
  }

  @Test("a variant's misfit and bandwidth are as declared", arguments: [PulseShape.standard, .dw1000])
  func variants(_ pulse: PulseShape) {
    for seed in 0..<12 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let variant = PulseVariant(of: pulse, using: &generator)
      #expect(
        variant.misfit > 0.9 * ArenaPulse.misfit.lowerBound && variant.misfit < 1.02 * ArenaPulse.misfit.upperBound)
      #expect(abs(variant.pulse(0) - 1) < 1e-3)
      #expect(variant.pulse(UWB.tap / 32) < 1 && variant.pulse(-UWB.tap / 32) < 1)
    }
  }

  @Test("same seed, same bytes; another seed, trial or family, others")
  func seeds() throws {
    for family in ArenaFamily.all {
      let trials = ArenaTrials(family: family, seed: 1)
      let first = trials.trial(5)
      let again = ArenaTrials(family: family, seed: 1).trial(5)
      #expect(first.response.samples() == again.response.samples() && first.firstPathTaps == again.firstPathTaps)
      #expect(first.response.tapCount == trials.tapCount)
      #expect(trials.trial(6).response.samples() != first.response.samples())
      #expect(ArenaTrials(family: family, seed: 2).trial(5).response.samples() != first.response.samples())
    }
    let names = ArenaFamily.all.filter { $0.windowTaps == nil }
    #expect(Set(names.map { ArenaTrials(family: $0, seed: 1).trial(0).firstPathTaps }).count == names.count)
  }

  @Test("a window is a part of the whole CIR, with the first path inside")
  func windows() throws {
    for family in ArenaFamily.all {
      guard let taps = family.windowTaps, let uncut = family.uncut else { continue }
      for index in 0..<4 {
        let part = ArenaTrials(family: family, seed: 1).trial(index)
        let whole = ArenaTrials(family: uncut, seed: 1).trial(index)
        let start = Int((whole.firstPathTaps - part.firstPathTaps).rounded())
        #expect(part.response.samples() == whole.response.samples(taps: start..<start + taps))
        let share = part.firstPathTaps / Double(taps)
        #expect(
          share >= family.windowShare.lowerBound && share < family.windowShare.upperBound + 1 / Double(taps))
      }
    }
  }

  @Test("receptions of a trial differ in their noise alone")
  func receptions() throws {
    let decibels = 30.0
    let alone = ArenaTrials(
      family: ArenaFamily("x", .tuned, .room(blocked: false), snrdB: decibels...decibels), seed: 1)
    let room = try #require(ArenaFamily.named("room"))
    let array = ArenaArrayTrials(family: room, antennaCount: 2, seed: 1)
    for index in 0..<4 {
      let (first, second) = (alone.trial(index), alone.trial(index, reception: 1))
      #expect(first.firstPathTaps == second.firstPathTaps)
      #expect(second.response.samples() == alone.trial(index, reception: 1).response.samples())
      let samples = first.response.samples()
      let difference = zip(samples, second.response.samples()).map { ($0 - $1).lengthSquared }
      let power = Double(difference.reduce(0, +)) / Double(difference.count)
      let peak = Double(samples.reduce(0) { max($0, $1.lengthSquared) })
      // Twice the noise; its mean over 1016 taps is off by 3 %, the noisy peak by up to four deviations of 2·√(1/2000).
      #expect((0.7...1.3).contains(power / (2 * peak * .pow(10, -decibels / 10))), "\(index)")
      let (here, there) = (array.trial(index), array.trial(index, reception: 1))
      #expect(here.firstPathTaps == there.firstPathTaps && here.azimuth == there.azimuth)
      #expect(here.response.samples(antenna: 1) != there.response.samples(antenna: 1))
    }
  }

  @Test(
    "the truth is where the pulse peaks: a lone path crosses where its pulse does",
    arguments: [
      ArenaPulse.exact(.standard), .exact(.dw1000), .misfit(.standard), .misfit(.dw1000), .rootRaisedCosine, .gaussian,
    ])
  func truth(_ pulse: ArenaPulse) throws {
    let family = ArenaFamily("x", .tuned, .onePath, pulse: pulse, snrdB: Self.quiet)
    let trials = ArenaTrials(family: family, seed: 1)
    var crossing = PeakShareCrossing(tapCount: trials.tapCount)
    for index in 0..<6 {
      let trial = trials.trial(index)
      let shape = trials.pulses[trial.radio]
      var (low, high) = (-3.0, 0.0)
      for _ in 0..<40 {
        let middle = (low + high) / 2
        if shape(middle * UWB.tap) < Double(PeakShareCrossing.share) { low = middle } else { high = middle }
      }
      let found = try #require(crossing(trial.response.samples()))
      // The level is of the highest of 16 points a tap, and the magnitude is taken as straight between two of them.
      #expect(abs(found - trial.firstPathTaps - high) < 0.01, "\(pulse)")
    }
  }

  @Test("impairments have the levels and places that they declare", arguments: 0..<10)
  func levels(_ index: Int) {
    let clutter = Self.added(.clutter(), index)
    #expect((-26.0 ... -22).contains(Self.decibels(Self.largest(clutter.difference), over: clutter.peak)))
    let after = clutter.difference.dropFirst(Int(clutter.truth) + 12)
    #expect(Self.largest(after) < 1e-3 * clutter.peak)

    let tag = Self.added(.otherTag(), index)
    #expect((-12.0...6).contains(Self.decibels(Self.largest(tag.difference), over: tag.peak)))
    let before = tag.difference.prefix(Int(tag.truth + 20) - 30)
    #expect(Self.largest(before) < 1e-3 * tag.peak)
    let lone = Self.added(.otherTag(onePathShare: 1), index).difference
    #expect(lone.count { $0.length > 0.1 * Self.largest(lone) } < 8)

    let offset = Self.added(.offset, index)
    #expect(ArenaImpairment.offsetdB.contains(Self.decibels(offset.difference[0].length, over: offset.peak)))
    #expect(offset.difference.allSatisfy { ($0 - offset.difference[0]).length < 1e-6 * offset.peak })

    // The largest of 8 … 120 Gaussian taps stands up to 12 dB above their rms.
    let burst = Self.added(.burst(), index)
    let level = Self.decibels(Self.largest(burst.difference), over: burst.peak)
    #expect(level > -26 && level < -14 + 12)
    let long = burst.difference.count { $0.length > 0.03 * Self.largest(burst.difference) }
    #expect(Double(long) < ArenaImpairment.burstTaps.upperBound + 16)
  }

  @Test("the receiver's impairments do what they declare", arguments: 0..<4)
  func receiver(_ index: Int) {
    let (plain, _) = Self.samples([], index)
    func part(_ samples: [Complex<Double>]) -> Double { samples.reduce(0) { max($0, abs($1.real), abs($1.imaginary)) } }
    let clipped = part(Self.samples([.clipping], index).samples) / part(plain)
    #expect(ArenaImpairment.clippingShare.contains(clipped))

    let drifted = zip(Self.samples([.gainDrift], index).samples, plain).filter { $1.length > 1e-3 }
    #expect(drifted.allSatisfy { abs(Self.decibels($0.length, over: $1.length)) < 5.01 })

    let family = ArenaFamily("x", .tuned, .onePath, [.quantisation], snrdB: 25...25)
    let counts = ArenaTrials(family: family, seed: 1).trial(index).response
    #expect(counts.format == .int16)
    #expect(abs(part(Self.wide(counts)) / Double(counts.scale) - Double(ArenaImpairment.quantisationCounts)) < 1e-3)
  }

  @Test("pattern and coloured noise repeat and correlate as they declare")
  func noise() {
    func trials(_ impairments: [ArenaImpairment]) -> ArenaTrials {
      ArenaTrials(family: ArenaFamily("x", .tuned, .onePath, impairments, snrdB: 30...30), seed: 1)
    }
    let plain = Self.wide(trials([]).trial(0).response)
    let pattern = zip(Self.wide(trials([.pattern(periodTaps: 8)]).trial(0).response), plain).map { $0 - $1 }
    #expect(zip(pattern, pattern.dropFirst(8)).allSatisfy { ($0 - $1).length < 1e-5 })
    #expect(Self.largest(pattern) > 1e-3)

    // White noise has a lag-one correlation of 1/√100; a raised cosine of at least 0.8 times the standard's period 0.4.
    let coloured = Self.wide(trials([.colouredNoise]).trial(0).response).prefix(100)
    let power = coloured.reduce(0) { $0 + $1.lengthSquared }
    let product = zip(coloured, coloured.dropFirst()).reduce(0) { $0 + ($1.0 * $1.1.conjugate).real }
    #expect(product / power > 0.3)
  }

  private static func wide(_ response: ChannelImpulseResponse) -> [Complex<Double>] {
    response.samples().map { Complex(Double($0.real), Double($0.imaginary)) }
  }
}
