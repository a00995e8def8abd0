import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct PhaseAmbiguityTests {
  private static let carrier = 7.9872e9
  private static let half = UWB.speedOfLightInAir / carrier / 2

  // MARK: Phase difference, by hand

  private func run(_ phase: Double, spacing: Double = 1, deviation: Double = 0.05) -> DirectionEstimate {
    let array = AntennaArray.linear(count: 2, spacing: spacing * Self.half, carrier: Self.carrier)
    var result = DirectionEstimate()
    PhaseDifference(array: array).estimate(phaseDifference: phase, deviation: deviation, into: &result)
    return result
  }

  @Test func halfAWavelengthAndNinetyDegreesOfPhaseAreThirty() {
    let found = run(.pi / 2)
    #expect(found.status == .ok && found.alternatives.isEmpty)
    #expect(abs((found.sources[0].azimuth ?? 9) - .pi / 6) < 1e-12)
    // 0.05 rad of phase over a slope of π·cos 30°.
    #expect(abs((found.sources[0].azimuthDeviation ?? 9) - 0.05 / (.pi * 0.75.squareRoot())) < 1e-12)
    #expect(found.sources[0].elevation == nil)
    #expect(abs((run(-.pi / 2).sources[0].azimuth ?? 9) + .pi / 6) < 1e-12)
    // A whole turn more is the same phase.
    #expect(abs((run(.pi / 2 + 4 * .pi).sources[0].azimuth ?? 9) - .pi / 6) < 1e-12)
  }

  /// At ±180° of phase the peer is at either end: both are named.
  @Test func theEndsAreNamed() {
    let found = run(.pi - 0.03)
    #expect(found.status == .ambiguous && found.alternatives.count == 1)
    #expect(found.sources[0].azimuth.map { $0 > 1.3 } == true)
    #expect(abs((found.alternatives[0].azimuth ?? 9) + .pi / 2) < 1e-12)
    // Far from the ends there is no doubt: half the squared misfit has to be below ln 100.
    #expect(run(.pi - 0.2).status == .ok)
    #expect(run(.pi - 0.05 * (2 * Double.log(100)).squareRoot() - 1e-6).status == .ok)
    #expect(run(.pi - 0.05 * (2 * Double.log(100)).squareRoot() + 1e-6).status == .ambiguous)
  }

  /// One and a half wavelengths: cosines 2/3 apart. 0.1 has twins at −0.5667 and 0.7667.
  @Test func allWholeTurnsAreCandidates() {
    let found = run(0.1 * 3 * .pi, spacing: 3)
    #expect(found.status == .ambiguous && abs((found.sources[0].azimuth ?? 9) - Double.asin(0.1)) < 1e-12)
    let others = found.alternatives.compactMap(\.azimuth).sorted()
    #expect(others.count == 2)
    #expect(abs(others[0] - Double.asin(0.1 - 2.0 / 3)) < 1e-12 && abs(others[1] - Double.asin(0.1 + 2.0 / 3)) < 1e-12)
  }

  /// 0.4 λ: phases beyond 144° belong to no direction.
  @Test func phasesBeyondTheEdgeAreClampedAndSaid() {
    let found = run(2.7, spacing: 0.8)
    #expect(found.status == .outsideFieldOfView && abs((found.sources[0].azimuth ?? 9) - .pi / 2) < 1e-12)
    #expect(found.sources[0].azimuthDeviation.map { $0.isFinite } == true)
  }

  @Test func whatIsNoPhaseIsUnusable() {
    #expect(run(.nan).status == .unusable)
    #expect(run(1, deviation: .infinity).status == .unusable)
    #expect(run(1, deviation: -1).status == .unusable)
    #expect(run(1, deviation: 0).status == .ok)
  }

  @Test func gainsAreTakenOff() {
    let plain = AntennaArray.linear(count: 2, spacing: Self.half, carrier: Self.carrier)
    let array = AntennaArray(
      positions: plain.positions, carrier: Self.carrier,
      gains: [Complex(length: 2, phase: 1), Complex(length: 1, phase: -2)])
    let x = Snapshots(
      array.response(to: Direction.unitVector(azimuth: -0.6, elevation: 0)), noiseVariance: 1e-6)
    #expect(abs((PhaseDifference(array: array).estimate(x).sources[0].azimuth ?? 9) + 0.6) < 1e-9)
    #expect(abs((PhaseFit(array: array).estimate(x).sources[0].azimuth ?? 9) + 0.6) < 1e-9)
  }

  // MARK: Phase fit

  private static func array(_ places: [(Double, Double)]) -> AntennaArray {
    AntennaArray(positions: places.map { SIMD3($0.0 * 2 * half, $0.1 * 2 * half, 0) }, carrier: carrier)
  }

  /// Where neighbours are λ/2 apart and the peer is far from the edge, the search gives what unwrapping gives.
  @Test(arguments: [
    [(0.0, 0.0), (0.5, 0.0)], [(0, 0), (0.5, 0), (0, 0.5)], [(0, 0), (0.5, 0), (0, 0.5), (0.5, 0.5)],
    [(0, 0), (0.5, 0), (1, 0), (1.4, 0)],
  ])
  func agreesWithUnwrapping(places: [(Double, Double)]) throws {
    let array = Self.array(places)
    let fit = PhaseFit(array: array)
    var random = StatisticsRandom(seed: 4701)
    var found = DirectionEstimate()
    for _ in 0..<200 {
      let direction = Direction.unitVector(azimuth: random.uniform(-0.7...0.7), elevation: random.uniform(-0.6...0.6))
      let deviations = places.map { _ in random.uniform(0.02...0.08) }
      let amplitudes = zip(array.response(to: direction), deviations).map {
        $0 * Complex(length: 1, phase: $1 * random.gaussian())
      }
      let plain = try #require(fit.estimate(amplitudes: amplitudes, deviations: deviations))
      fit.estimate(amplitudes: amplitudes, deviations: deviations, into: &found)
      #expect(found.status == .ok)
      let source = try #require(found.sources.first)
      #expect(abs(source.direction.x - plain.direction.x) < 1e-9 && abs(source.direction.y - plain.direction.y) < 1e-9)
      #expect(abs((source.azimuthDeviation ?? 9) - (plain.azimuthDeviation ?? 8)) < 1e-9)
    }
  }

  /// Every whole-turn vector within reach, tried by force: the search's best is the best of all.
  @Test(arguments: [
    [(0.0, 0.0), (0.8, 0.0), (1.8, 0.0), (3.1, 0.0)], [(0, 0), (1.1, 0), (0, 1.3), (0.7, 0.4)],
  ])
  func findsTheBestOfAllTurns(places: [(Double, Double)]) throws {
    let array = Self.array(places)
    let isRow = places.allSatisfy { $0.1 == 0 }
    let fit = PhaseFit(array: array)
    var random = StatisticsRandom(seed: 4702)
    var found = DirectionEstimate()
    for _ in 0..<6 {
      let direction = Direction.unitVector(
        azimuth: random.uniform(-0.8...0.8), elevation: isRow ? 0 : random.uniform(-0.5...0.5))
      let amplitudes = array.response(to: direction).map { $0 * Complex(length: 1, phase: 0.1 * random.gaussian()) }
      fit.estimate(amplitudes: amplitudes, deviations: places.map { _ in 0.1 }, into: &found)
      let source = try #require(found.sources.first)
      func misfit(_ direction: SIMD3<Double>) -> Double {
        let wave = array.response(to: direction)
        // Minimum over the common phase of the wrapped residuals, by starts.
        let rest = zip(amplitudes, wave).map { ($0 * $1.conjugate).phase }
        return rest.map { start in
          var mean = start
          for _ in 0..<5 {
            mean += rest.map { Self.wrapped($0 - mean) }.reduce(0, +) / Double(rest.count)
          }
          return rest.reduce(0) { $0 + 0.5 * Self.wrapped($1 - mean) * Self.wrapped($1 - mean) / 0.01 }
        }.min() ?? .infinity
      }
      let best = misfit(source.direction)
      // No point of a grid is better than what was found.
      var lowest = Double.infinity
      for x in stride(from: -0.99, through: 0.99, by: isRow ? 0.01 : 0.06) {
        for y in isRow ? [0] : Array(stride(from: -0.99, through: 0.99, by: 0.06)) where x * x + y * y < 1 {
          lowest = min(lowest, misfit(SIMD3(x, y, -(1 - x * x - y * y).squareRoot())))
        }
      }
      #expect(lowest > best - 1e-6)
    }
  }

  private static func wrapped(_ phase: Double) -> Double { phase - 2 * .pi * (phase / (2 * .pi)).rounded() }

  /// A sparse row at 20 dB within ±60°: the right one of all ambiguities, 2,000 times out of 2,000; a wrong one has
  /// a chance far below 10⁻⁴.
  @Test func aSparseRowFindsTheRightTurns() {
    let array = Self.array([(0, 0), (0.8, 0), (1.8, 0), (3.1, 0)])
    let fit = PhaseFit(array: array)
    let workspace = fit.makeWorkspace(snapshotCount: 1)
    var random = StatisticsRandom(seed: 4703)
    var found = DirectionEstimate()
    var wrong = 0
    for _ in 0..<2000 {
      let azimuth = random.uniform(-1.047...1.047)
      fit.estimate(
        DirectionEstimatorTests.snapshots(array, [SIMD2(azimuth, 0)], count: 1, snrdB: 20, using: &random),
        into: &found, using: workspace)
      if abs((found.sources.first?.azimuth ?? 9) - azimuth) > 0.1 { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test func whatHasNoDirection() {
    let fit = PhaseFit(array: Self.array([(0, 0), (0.5, 0)]))
    var found = DirectionEstimate()
    for (amplitudes, deviations) in [
      ([Complex<Double>.one, .zero], [0.1, 0.1]), ([.one, .one], [0.1, 0]), ([.one, .one], [.nan, 0.1]),
      ([.infinity, .one], [0.1, 0.1]), ([.one, .one], [.infinity, 0.1]),
    ] {
      fit.estimate(amplitudes: amplitudes, deviations: deviations, into: &found)
      #expect(found.status == .unusable && found.sources.isEmpty)
    }
    let same = PhaseFit(array: Self.array([(1, 1), (1, 1)]))
    same.estimate(amplitudes: [.one, .one], deviations: [0.1, 0.1], into: &found)
    #expect(found.status == .unusable)
  }
}
