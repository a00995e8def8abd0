import Numerics
import TestSupport
import Testing

@testable import UWBDSP

/// `ArrayPathFit` and `OrderSelection`, which know any number of paths, and `SteeredPathFit`, which knows any number of waves, are the
/// references.
@Suite struct ArrayOnePathFitTests {
  static let window = PulseFit.windowTaps
  static let first = 160
  static let arrays = [ArrayTrials.row, ArrayTrials.square, ArrayTrials.corner]

  /// Both fits with the same windows.
  final class Bench {
    let one: ArrayOnePathFit
    let fit: ArrayPathFit
    let paths: OrderSelection<ArrayPathFit>
    let steered: SteeredPathFit
    let wave: OneWaveFit
    let positions = AlignedBuffer<ArrayPathFit.Position>(count: 1, zero: ArrayPathFit.origin)

    init(_ array: AntennaArray) {
      let table = PulseTable(.standard, tapSpacing: UWB.tap)
      let grid = SteeringGrid(array)
      let count = array.positions.count
      one = ArrayOnePathFit(
        table: table, windowTaps: window, mostAntennas: count, grid: grid, tapSpacing: UWB.tap,
        propagationSpeed: UWB.speedOfLightInAir)
      fit = ArrayPathFit(
        table: table, windowTaps: window, mostAntennas: count, grid: grid, tapSpacing: UWB.tap,
        propagationSpeed: UWB.speedOfLightInAir)
      paths = OrderSelection(fit, mostPaths: 8)
      steered = SteeredPathFit(grid, fit.pulses, tapsPerMetre: 1 / (UWB.speedOfLightInAir * UWB.tap))
      wave = OneWaveFit(steered, one, windowTaps: window)
    }

    func load(
      _ trials: ArrayTrials, phases: [Double]? = nil, without absent: Int? = nil, using random: inout StatisticsRandom
    ) {
      let taps = ArrayTrials.prepare(trials.response(using: &random))
      fit.begin(antennaCount: taps.count, hasFreeShifts: false)
      one.begin(antennaCount: taps.count)
      for antenna in taps.indices {
        let deviation = antenna == absent ? .infinity : 0.8 + 0.1 * Double(antenna)
        let phase = phases?[antenna] ?? 0
        fit.place(antenna: antenna, deviation: deviation, shift: 0)
        fit.load(taps[antenna], antenna: antenna, firstTap: first, phase: phase)
        one.load(taps[antenna], antenna: antenna, firstTap: first, deviation: deviation, phase: phase)
      }
      steered.load(fit)
    }

    func settle(from start: Double, tolerance: Double = 1e-4) -> ArrayOnePathFit.Result? {
      one.settle(from: start, tolerance: tolerance)
    }
  }

  static func trials(
    _ array: AntennaArray, _ random: inout StatisticsRandom, powerdB: ClosedRange<Double>, apart: Double? = nil
  ) -> ArrayTrials {
    var trials = ArrayTrials(array: array)
    let delay = Double(first) + random.uniform(8...13)
    trials.waves = (apart.map { [0, $0] } ?? [0]).map {
      JointBound.Wave(
        delayTaps: delay + $0, azimuth: random.uniform(-0.9...0.9), elevation: random.uniform(-0.5...0.5),
        amplitude: Complex(length: Double.pow(10, random.uniform(powerdB) / 20), phase: random.uniform(0...6)))
    }
    trials.noiseVariances = array.positions.map { _ in 1 }
    return trials
  }

  /// The same minimum, and what follows there; with receivers' phases and with an antenna that takes no part, too.
  @Test(arguments: arrays) func settlesWhereTheGeneralFitDoes(array: AntennaArray) throws {
    var random = StatisticsRandom(seed: 5601)
    let bench = Bench(array)
    for round in 0..<60 {
      let trials = Self.trials(array, &random, powerdB: 15...55)
      let phases = round % 3 == 1 ? array.positions.map { _ in random.uniform(-3...3) } : nil
      bench.load(trials, phases: phases, without: round % 5 == 4 ? round % 3 : nil, using: &random)
      let start = trials.waves[0].delayTaps - Double(Self.first) + random.uniform(-0.4...0.4)
      let found = try #require(bench.settle(from: start, tolerance: 1e-8))
      // From the same direction: what two grids' vertices differ by is no matter of the descent.
      bench.positions.pointer[0] = ArrayPathFit.Position(delay: found.delay + 0.02, direction: found.direction)
      var effort = FitEffort(steps: FitStep.most, settled: false)
      _ = bench.fit.refine(
        bench.positions.pointer, count: 1, variance: 1, tolerance: 1e-4, effort: &effort)
      #expect(effort.settled)
      // The general fit ends where H·δ² < 10⁻⁴ or single precision ends, 10⁻⁶ of the cost, and leaves a hundredth of a tap of travel. Directions that two antennas can't tell
      // apart are delays at the origin, but the same where the antennas stand.
      let ended = bench.positions.pointer[0]
      let here = ArrayPathFit.Position(delay: found.delay, direction: found.direction)
      for antenna in array.positions.indices where bench.fit.takesPart(antenna) {
        let seen = ended.delay + bench.fit.offset(ended, antenna: antenna)
        let own = here.delay + bench.fit.offset(here, antenna: antenna)
        #expect(abs(seen - own) < 0.03 / found.curvature.squareRoot() + 0.01)
      }

      bench.positions.pointer[0] = here
      let cost = try #require(bench.fit.solve(bench.positions.pointer, count: 1))
      #expect(bench.fit.differentiate(bench.positions.pointer, count: 1))
      bench.fit.invertCurvature(count: 1)
      var strongest = 0.0
      for antenna in array.positions.indices where bench.fit.takesPart(antenna) {
        strongest = max(strongest, bench.fit.antennas[antenna].strongestPower)
        let own = bench.fit.amplitude(0, antenna: antenna)
        #expect((bench.one.amplitude(antenna: antenna) - own).length < 1e-5 * own.length)
        #expect(
          abs(bench.one.phaseVariance(antenna: antenna) / bench.fit.phaseVariance(0, antenna: antenna, count: 1) - 1)
            < 1e-4)
      }
      // Each tap of the residual is off by a few roundings of the strongest one.
      let rounding = 4 * Double(Float.ulpOfOne) * strongest.squareRoot()
      let samples = Double(bench.fit.sampleCount)
      #expect(abs(found.cost - cost) < 2 * (samples * cost).squareRoot() * rounding + 1e-9 * samples)
      #expect(abs(found.curvature * bench.fit.delayCovariance(0, 0) - 1) < 1e-4)
    }
  }

  /// Cost, gradient and Kaufman's matrix of one wave, wherever it stands.
  @Test(arguments: arrays) func oneWaveHasTheDerivativesOfMany(array: AntennaArray) throws {
    var random = StatisticsRandom(seed: 5602)
    let bench = Bench(array)
    let wave = AlignedBuffer<PlaneWave>(count: 1, zero: PlaneWave(delay: 0, cosines: .zero))
    for round in 0..<60 {
      let trials = Self.trials(array, &random, powerdB: 10...40)
      bench.load(trials, without: round % 5 == 4 ? 1 : nil, using: &random)
      var cosines =
        0.9 * (random.uniform(0...1)).squareRoot()
        * SIMD2(Double.cos(0.7 * Double(round)), Double.sin(0.7 * Double(round)))
      if bench.steered.dimensions == 1 { cosines = (cosines * bench.steered.axes.0).sum() * bench.steered.axes.0 }
      wave.pointer[0] = PlaneWave(
        delay: trials.waves[0].delayTaps - Double(Self.first) + random.uniform(-0.3...0.3), cosines: cosines)
      let cost = try #require(bench.wave.solve(wave.pointer, count: 1))
      let reference = try #require(bench.steered.solve(wave.pointer, count: 1))
      #expect(abs(cost / reference - 1) < 1e-4)
      bench.wave.fillCurvature(count: 1)
      bench.steered.fillCurvature(count: 1)
      let unknowns = bench.wave.unknowns(1)
      #expect(unknowns == bench.steered.unknowns(1))
      let (own, theirs) = (bench.wave.solver, bench.steered.solver)
      func diagonal(_ row: Int) -> Double { theirs.hessian.pointer[row * theirs.order + row] }
      for row in 0..<unknowns {
        // By how much the cost changes over a deviation.
        let scale = (diagonal(row) * reference).squareRoot()
        #expect(abs(own.gradient.pointer[row] - theirs.gradient.pointer[row]) < 1e-4 * scale)
        for column in 0...row {
          let difference =
            own.hessian.pointer[row * own.order + column] - theirs.hessian.pointer[row * theirs.order + column]
          #expect(abs(difference) < 1e-4 * (diagonal(row) * diagonal(column)).squareRoot())
        }
      }
    }
  }

  /// Where it takes one path to be alone, the search for more finds none. It takes most to be alone that are: four antennas' residual
  /// of noise exceeds its mean of 87.5 by a further 14.1 (deviation 9.4) once in fifteen, and widened paths and further ones
  /// raise their alarms at levels of e⁻⁴ for one place and e⁻⁶ for each of some 20.
  @Test(arguments: arrays) func isAloneWhereNoSecondPathIsFound(array: AntennaArray) throws {
    var random = StatisticsRandom(seed: 5603)
    let bench = Bench(array)
    var alone = 0
    let trials = 120
    for _ in 0..<trials {
      let trial = Self.trials(array, &random, powerdB: 15...40)
      let taps = ArrayTrials.prepare(trial.response(using: &random))
      bench.fit.begin(antennaCount: taps.count, hasFreeShifts: false)
      bench.one.begin(antennaCount: taps.count)
      for antenna in taps.indices {
        bench.fit.place(antenna: antenna, deviation: 1, shift: 0)
        bench.fit.load(taps[antenna], antenna: antenna, firstTap: Self.first, phase: 0)
        bench.one.load(taps[antenna], antenna: antenna, firstTap: Self.first, deviation: 1, phase: 0)
      }
      let start = trial.waves[0].delayTaps - Double(Self.first) + random.uniform(-0.3...0.3)
      guard try #require(bench.settle(from: start)).isAlone else { continue }
      alone += 1
      let power = bench.fit.antennas.reduce(0) { $0 + $1.strongestPower }
      let found = bench.paths.run(
        from: ArrayPathFit.Position(delay: start, direction: .zero), variance: 1, logSNR: .log(power))
      #expect(found.count == 1 && found.settled)
    }
    #expect(alone >= StatisticsLimits.binomial(probability: 0.75, trials: trials).lowerBound)
  }

  /// Two paths of 20 dB and more on each antenna, from where they are two to the far end of the window.
  @Test(arguments: [1.5, 2, 4, 9]) func leavesTwoPathsToOthers(apart: Double) {
    var random = StatisticsRandom(seed: 5604)
    let bench = Bench(ArrayTrials.square)
    for _ in 0..<40 {
      let trials = Self.trials(ArrayTrials.square, &random, powerdB: 20...30, apart: apart)
      bench.load(trials, using: &random)
      let start = trials.waves[0].delayTaps - Double(Self.first) + random.uniform(-0.4...0.4)
      if let found = bench.settle(from: start) { #expect(!found.isAlone) }
    }
  }

  @Test func nothingSettlesOnNothing() {
    var random = StatisticsRandom(seed: 5605)
    let bench = Bench(ArrayTrials.square)
    bench.load(ArrayTrials(), using: &random)
    #expect(bench.settle(from: 11) == nil)
  }

  /// From anywhere that may be asked for, to an end that is a number: the pulse's table is not left.
  @Test func staysInTheTable() {
    var random = StatisticsRandom(seed: 5606)
    let bench = Bench(ArrayTrials.square)
    var settled = 0
    for step in 0...52 {
      var trials = ArrayTrials()
      trials.noiseVariances = [1, 1, 1, 1]
      bench.load(trials, using: &random)
      guard let found = bench.settle(from: Double(step) / 2 - 2, tolerance: 1e-12) else { continue }
      settled += 1
      #expect(found.delay >= -2 && found.delay <= Double(Self.window) + 1)
      #expect(found.cost.isFinite && found.cost >= 0 && found.curvature > 0)
    }
    #expect(settled > 0)
  }
}
