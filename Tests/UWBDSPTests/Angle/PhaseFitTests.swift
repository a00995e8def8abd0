import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct PhaseFitTests {
  private static let carrier = 6.4896e9
  private static let half = UWB.speedOfLightInAir / carrier / 2

  private static func array(_ places: [(Double, Double)]) -> AntennaArray {
    AntennaArray(positions: places.map { SIMD3($0.0 * half, $0.1 * half, 0) }, carrier: carrier)
  }

  private static let row = array([(0, 0), (1, 0)])
  private static let column = array([(0, 0), (0, 1)])
  private static let corner = array([(0, 0), (1, 0), (0, 1)])
  private static let square = array([(0, 0), (1, 0), (0, 1), (1, 1)])

  /// exp(+j·k·p·u) by the notation's definition.
  private func wave(_ array: AntennaArray, _ direction: SIMD3<Double>, phase: Double = 0) -> [Complex<Double>] {
    array.positions.map {
      Complex(
        length: 1, phase: phase + 2 * .pi * array.carrier / UWB.speedOfLightInAir * ($0 * direction).sum())
    }
  }

  private func estimate(
    _ array: AntennaArray, _ amplitudes: [Complex<Double>], deviation: Double = 0.01
  ) throws -> PhaseFit.Estimate {
    try #require(
      PhaseFit(array: array).estimate(
        amplitudes: amplitudes, deviations: amplitudes.map { _ in deviation }))
  }

  // MARK: Signs and axes, by hand

  /// A peer 30° to the right reaches the right antenna, half a wavelength over, a quarter of a period earlier: its phase
  /// leads by π·sin 30° = π/2.
  @Test func theRightAntennaLeadsForAPeerOnTheRight() throws {
    let found = try estimate(Self.row, [.one, Complex(0, 1)])
    #expect(abs((found.azimuth ?? .nan) - .pi / 6) < 1e-12)
    #expect(found.elevation == nil && found.elevationDeviation == nil)
    #expect(abs(found.direction.x - 0.5) < 1e-12)
    #expect(found.direction.y == 0)
    #expect(abs(found.direction.z + 0.75.squareRoot()) < 1e-12)
    #expect(!found.isBeyondEdge)
    let left = try estimate(Self.row, [.one, Complex(0, -1)])
    #expect(abs((left.azimuth ?? .nan) + .pi / 6) < 1e-12)
  }

  @Test func theUpperAntennaLeadsForAPeerAbove() throws {
    let found = try estimate(Self.corner, [.one, .one, Complex(0, 1)])
    #expect(abs((found.azimuth ?? .nan)) < 1e-12)
    #expect(abs((found.elevation ?? .nan) - .pi / 6) < 1e-12)
    #expect(abs(found.direction.y - 0.5) < 1e-12)
  }

  /// u = (½, ½, −√½): azimuth atan2(½, √½) = 35.26°, elevation 30°.
  @Test func rightAndAbove() throws {
    let found = try estimate(Self.corner, [.one, Complex(0, 1), Complex(0, 1)])
    #expect(abs((found.azimuth ?? .nan) - 0.615_479_708_67) < 1e-10)
    #expect(abs((found.elevation ?? .nan) - .pi / 6) < 1e-12)
    #expect(abs(found.direction.z + 0.5.squareRoot()) < 1e-12)
  }

  @Test func aColumnMeasuresElevationAlone() throws {
    let found = try estimate(Self.column, [.one, Complex(0, 1)])
    #expect(found.azimuth == nil && found.azimuthDeviation == nil)
    #expect(abs((found.elevation ?? .nan) - .pi / 6) < 1e-12)
    #expect(abs(found.direction.y - 0.5) < 1e-12)
    #expect(abs(found.direction.x) < 1e-12)
    // Phase difference of deviation 0.01·√2, slope π·cos 30°.
    let expected = 0.01 * 2.0.squareRoot() / (.pi * 0.75.squareRoot())
    #expect(abs((found.elevationDeviation ?? .nan) - expected) < 1e-12)
  }

  @Test func anObliqueRowMeasuresItsOwnCosine() throws {
    let array = Self.array([(0, 0), (0.6, 0.6)])
    let direction = Direction.unitVector(azimuth: 0.4, elevation: 0.3)
    let found = try estimate(array, wave(array, direction))
    // The cosine along the row is right, though azimuth and elevation can't be told apart.
    let along = (SIMD3(1, 1, 0) * direction).sum()
    #expect(abs((SIMD3(1, 1, 0) * found.direction).sum() - along) < 1e-12)
    #expect(abs(found.direction.x - found.direction.y) < 1e-12)
    #expect(found.elevation == nil)
  }

  // MARK: Properties

  @Test(arguments: [corner, square, array([(0, 0), (0.9, 0.1), (1.8, -0.1), (0.3, 0.8), (1.1, 0.9)])])
  func planarArraysRecoverEveryDirectionInFront(array: AntennaArray) throws {
    var random = StatisticsRandom(seed: 1601)
    for _ in 0..<300 {
      let azimuth = random.uniform(-1.5...1.5)
      let elevation = random.uniform(-1.4...1.4)
      let direction = Direction.unitVector(azimuth: azimuth, elevation: elevation)
      let found = try estimate(array, wave(array, direction, phase: random.uniform(0...6)))
      #expect(abs((found.azimuth ?? .nan) - azimuth) < 1e-8)
      #expect(abs((found.elevation ?? .nan) - elevation) < 1e-8)
      #expect(((found.direction - direction) * (found.direction - direction)).sum() < 1e-16)
    }
  }

  /// Phases differ by several periods over the whole row; between neighbours they don't.
  @Test(arguments: [[0, 1, 2, 3, 4, 5, 6, 7], [0, 3, 1, 2], [4, 0, 1, 3, 2], [3, 1, 0, 2]])
  func longRowsAreUnwrappedFromNeighbourToNeighbour(places: [Double]) throws {
    let array = Self.array(places.map { ($0, 0) })
    for step in -14...14 {
      let azimuth = Double(step) / 10
      let found = try estimate(array, wave(array, Direction.unitVector(azimuth: azimuth, elevation: 0)))
      #expect(abs((found.azimuth ?? .nan) - azimuth) < 1e-8)
      #expect(!found.isBeyondEdge)
    }
  }

  @Test func theArraysPlaceDoesNotMatter() throws {
    let direction = Direction.unitVector(azimuth: 0.5, elevation: -0.4)
    let here = try estimate(Self.square, wave(Self.square, direction))
    let moved = AntennaArray(positions: Self.square.positions.map { $0 + SIMD3(2, -1, 0) }, carrier: Self.carrier)
    let there = try estimate(moved, wave(moved, direction))
    #expect(abs((here.azimuth ?? .nan) - (there.azimuth ?? .nan)) < 1e-9)
    #expect(abs((here.azimuthDeviation ?? .nan) - (there.azimuthDeviation ?? .nan)) < 1e-9)
  }

  /// The weighted plane through noisy phases, against the normal equations.
  @Test func weightsAreLeastSquares() throws {
    var random = StatisticsRandom(seed: 1602)
    for _ in 0..<100 {
      let deviations = Self.square.positions.map { _ in random.uniform(0.02...0.2) }
      let phases = deviations.map { $0 * random.gaussian() }
      let found = try #require(
        PhaseFit(array: Self.square).estimate(
          amplitudes: phases.map { Complex(length: 3, phase: $0 + 1) }, deviations: deviations))
      // Unknowns: common phase, u_x, u_y; rows divided by the deviations.
      let rows = zip(Self.square.positions, deviations).map { position, deviation in
        [1, 2 * .pi / Self.square.wavelength * position.x, 2 * .pi / Self.square.wavelength * position.y]
          .map { Complex($0 / deviation) }
      }
      let solution = try #require(
        NaiveAlgebra.leastSquares(rows, zip(phases, deviations).map { Complex($0 / $1) }))
      #expect(abs(found.direction.x - solution[1].real) < 1e-10)
      #expect(abs(found.direction.y - solution[2].real) < 1e-10)
    }
  }

  /// Antenna amplitudes with noise of SNR 30 dB have phases of variance 1/(2·SNR): errors and stated deviations keep
  /// to the Cramér–Rao bound. 1,000 trials: variances within 1 ± 0.198.
  @Test(arguments: [(row, 0.4, 0.0), (corner, 0.4, 0.3), (square, -0.8, -0.5), (corner, 0.0, 0.0)])
  func errorsAreAtTheBound(array: AntennaArray, azimuth: Double, elevation: Double) throws {
    var random = StatisticsRandom(seed: 1603)
    let snrs = array.positions.indices.map { 1000.0 / Double($0 + 1) }
    let information = DirectionBound(array: array).information(azimuth: azimuth, elevation: elevation, snrs: snrs)
    let azimuthBound = information.variances?.azimuth ?? information.azimuthVarianceAtKnownElevation
    let fit = PhaseFit(array: array)
    let clean = wave(array, Direction.unitVector(azimuth: azimuth, elevation: elevation))
    let trials = 1000
    var azimuths = StatisticsErrors()
    var elevations = StatisticsErrors()
    for _ in 0..<trials {
      let noisy = zip(clean, snrs).map { $0 + random.complexGaussian(variance: 1 / $1) }
      let found = try #require(
        fit.estimate(amplitudes: noisy, deviations: snrs.map { (1 / (2 * $0)).squareRoot() }))
      let error = try #require(found.azimuth) - azimuth
      azimuths.add(error / azimuthBound.squareRoot())
      #expect(abs(try #require(found.azimuthDeviation) / azimuthBound.squareRoot() - 1) < 0.2)
      if let variances = information.variances {
        elevations.add((try #require(found.elevation) - elevation) / variances.elevation.squareRoot())
        #expect(abs(try #require(found.elevationDeviation) / variances.elevation.squareRoot() - 1) < 0.2)
      }
    }
    #expect(StatisticsLimits.normalisedVariance(trials: trials).contains(azimuths.meanSquare))
    if elevations.count > 0 {
      #expect(StatisticsLimits.normalisedVariance(trials: trials).contains(elevations.meanSquare))
    }
  }

  // MARK: Edges

  @Test func phasesBeyondTheEdgeAreClampedAndSaid() throws {
    // 0.8 of half a wavelength: at most 0.8·π of phase; 3.0 asks for a cosine of 1.19.
    let array = Self.array([(0, 0), (0.8, 0)])
    let found = try estimate(array, [.one, Complex(length: 1, phase: 3)])
    #expect(found.isBeyondEdge)
    #expect(abs((found.azimuth ?? .nan) - .pi / 2) < 1e-12)
    #expect(found.direction == SIMD3(1, 0, 0))
    // As uncertain as one deviation of the cosine makes it: much more than in the middle.
    let middle = try estimate(array, [.one, .one])
    #expect(try #require(found.azimuthDeviation) > 5 * #require(middle.azimuthDeviation))
    let inside = try estimate(array, [.one, Complex(length: 1, phase: 2.4)])
    #expect(!inside.isBeyondEdge)
    let corner = Self.array([(0, 0), (0.8, 0), (0, 0.8)])
    let beyond = try estimate(corner, [.one, Complex(length: 1, phase: 2.4), Complex(length: 1, phase: -2.4)])
    #expect(beyond.isBeyondEdge)
    #expect(abs((beyond.direction * beyond.direction).sum() - 1) < 1e-12)
    #expect(beyond.direction.x > 0 && beyond.direction.y < 0)
    #expect(beyond.azimuthDeviation.map { $0.isFinite && $0 <= .pi } == true)
    #expect(beyond.elevationDeviation.map { $0.isFinite && $0 <= .pi } == true)
  }

  @Test func whatHasNoDirection() {
    let one = PhaseFit(array: AntennaArray(positions: [SIMD3()], carrier: Self.carrier))
    #expect(one.estimate(amplitudes: [.one], deviations: [0.1]) == nil)
    let fit = PhaseFit(array: Self.row)
    #expect(fit.estimate(amplitudes: [.one, .zero], deviations: [0.1, 0.1]) == nil)
    #expect(fit.estimate(amplitudes: [.one, .one], deviations: [0.1, 0]) == nil)
    #expect(fit.estimate(amplitudes: [.one, .one], deviations: [.nan, 0.1]) == nil)
    #expect(fit.estimate(amplitudes: [.one, Complex(.nan, 0)], deviations: [0.1, 0.1]) == nil)
    #expect(fit.estimate(amplitudes: [.infinity, .one], deviations: [0.1, 0.1]) == nil)
    #expect(fit.estimate(amplitudes: [.one, .one], deviations: [.infinity, .infinity]) == nil)
    let same = PhaseFit(array: Self.array([(1, 1), (1, 1)]))
    #expect(same.estimate(amplitudes: [.one, .one], deviations: [0.1, 0.1]) == nil)
  }

  @Test func refusesWrongCounts() async {
    await #expect(processExitsWith: .failure) {
      let array = AntennaArray(positions: [SIMD3(), SIMD3(0.02, 0, 0)], carrier: 6.5e9)
      _ = PhaseFit(array: array).estimate(amplitudes: [.one], deviations: [0.1])
    }
  }
}
