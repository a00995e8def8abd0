import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct AntennaArrayTests {
  private static let carrier = 7.9872e9
  private static let wavelength = UWB.speedOfLightInAir / carrier

  // MARK: Answers, by hand

  /// A quarter of a wavelength nearer to the peer: a quarter of a period earlier, +j.
  @Test func theNearerAntennaLeads() {
    let quarter = Self.wavelength / 4
    let array = AntennaArray(
      positions: [SIMD3(), SIMD3(quarter, 0, 0), SIMD3(0, quarter, 0), SIMD3(0, 0, quarter)], carrier: Self.carrier)
    func check(_ direction: SIMD3<Double>, _ expected: [Complex<Double>]) {
      for (found, wanted) in zip(array.response(to: direction), expected) { #expect((found - wanted).length < 1e-12) }
    }
    check(SIMD3(1, 0, 0), [.one, .i, .one, .one])
    check(SIMD3(0, 1, 0), [.one, .one, .i, .one])
    check(SIMD3(0, 0, -1), [.one, .one, .one, -.i])
  }

  @Test func gainsAndPatternsMultiply() {
    let array = AntennaArray(
      positions: [SIMD3(), SIMD3()], carrier: Self.carrier, gains: [Complex(2), Complex(0, 0.5)],
      patterns: [.cosine(exponent: 2, boresight: SIMD3(0, 0, -1)), .isotropic])
    // 60° to the right: cos² is a quarter.
    let found = array.response(to: Direction.unitVector(azimuth: .pi / 3, elevation: 0))
    #expect((found[0] - Complex(0.5)).length < 1e-12)
    #expect((found[1] - Complex(0, 0.5)).length < 1e-12)
    #expect(array.response(to: SIMD3(0, 0, 1))[0] == .zero)
  }

  // MARK: Layouts

  @Test func layoutsStandWhereTheySay() {
    let row = AntennaArray.linear(count: 3, spacing: 0.02, carrier: Self.carrier)
    #expect(row.positions == [SIMD3(-0.02, 0, 0), SIMD3(), SIMD3(0.02, 0, 0)])
    let corner = AntennaArray.cornered(right: 2, up: 1, spacing: 0.02, carrier: Self.carrier)
    #expect(corner.positions == [SIMD3(), SIMD3(0.02, 0, 0), SIMD3(0.04, 0, 0), SIMD3(0, 0.02, 0)])
    let plane = AntennaArray.rectangular(columns: 2, rows: 3, spacing: SIMD2(0.02, 0.01), carrier: Self.carrier)
    #expect(plane.positions.count == 6 && plane.positions[0] == SIMD3(-0.01, -0.01, 0))
    #expect(plane.positions[1] == SIMD3(0.01, -0.01, 0) && plane.positions[2] == SIMD3(-0.01, 0, 0))
    let circle = AntennaArray.circular(count: 4, radius: 0.03, carrier: Self.carrier)
    #expect(abs(circle.positions[1].y - 0.03) < 1e-15 && abs(circle.positions[2].x + 0.03) < 1e-15)
  }

  // MARK: What the engine makes of it

  @Test func geometryIsRecognised() {
    let half = Self.wavelength / 2
    func manifold(_ positions: [SIMD3<Double>]) -> Manifold {
      Manifold(AntennaArray(positions: positions, carrier: Self.carrier))
    }
    let row = Manifold(.linear(count: 5, spacing: half, carrier: Self.carrier))
    #expect(row.kind == .row && row.dimensions == 1 && abs(row.rowStep - .pi) < 1e-9)
    #expect(row.first == SIMD3(1, 0, 0) && row.outward == SIMD3(0, 0, -1) && row.mirror == [4, 3, 2, 1, 0])
    let back = manifold([SIMD3(half, 0, 0), SIMD3()])
    #expect(back.first == SIMD3(1, 0, 0) && abs(back.rowStep + .pi) < 1e-9)
    let sparse = manifold([SIMD3(), SIMD3(half, 0, 0), SIMD3(3 * half, 0, 0)])
    #expect(sparse.kind == .row && sparse.rowStep == 0 && sparse.mirror.isEmpty)
    let upright = manifold([SIMD3(), SIMD3(0, half, 0)])
    #expect(upright.first == SIMD3(0, 1, 0) && upright.outward == SIMD3(0, 0, -1))
    let deep = manifold([SIMD3(), SIMD3(0, 0, half)])
    #expect(deep.kind == .row && deep.outward == SIMD3(1, 0, 0))
    let plane = Manifold(.cornered(spacing: half, carrier: Self.carrier))
    #expect(plane.kind == .plane && plane.dimensions == 2 && plane.outward == SIMD3(0, 0, -1))
    let floor = manifold([SIMD3(), SIMD3(half, 0, 0), SIMD3(0, 0, half)])
    #expect(floor.kind == .plane && floor.outward == SIMD3(0, 1, 0))
    let solid = manifold([SIMD3(), SIMD3(half, 0, 0), SIMD3(0, half, 0), SIMD3(0, 0, half)])
    #expect(solid.kind == .sphere && solid.dimensions == 2)
  }

  private static func random(_ seed: UInt64) -> [AntennaArray] {
    var random = StatisticsRandom(seed: seed)
    func place() -> SIMD3<Double> {
      SIMD3(random.uniform(-1...1), random.uniform(-1...1), random.uniform(-1...1)) * wavelength
    }
    let solid = (0..<5).map { _ in place() }
    let plane = (0..<5).map { _ in place() * SIMD3(1, 1, 0) }
    let row = (0..<4).map { _ in random.uniform(-1...1) * SIMD3(0.6, 0.8, 0) * wavelength }
    let gains = (0..<5).map { _ in Complex(length: random.uniform(0.5...2), phase: random.uniform(-3...3)) }
    let patterns = (0..<5).map { _ in
      let raw = place() - SIMD3(0, 0, 3 * wavelength)
      return ElementPattern.cosine(exponent: random.uniform(0.5...3), boresight: raw / (raw * raw).sum().squareRoot())
    }
    let axis = ManifoldGrid.Axis(first: -1.2, step: 0.2, count: 13)
    let grid = ManifoldGrid(
      azimuths: axis, elevations: axis, antennaCount: 5,
      responses: (0..<5 * 169).map { _ in Complex(1 + random.uniform(-0.2...0.2), random.uniform(-0.2...0.2)) })
    let sweep = ManifoldGrid(
      azimuths: axis, elevations: .init(first: 0, step: 0, count: 1), antennaCount: 2,
      responses: (0..<26).map { _ in Complex(1 + random.uniform(-0.2...0.2), random.uniform(-0.2...0.2)) })
    return [
      AntennaArray(positions: solid, carrier: carrier, gains: gains),
      AntennaArray(positions: plane, carrier: carrier, gains: gains),
      AntennaArray(positions: row, carrier: carrier), .linear(count: 6, spacing: wavelength / 2, carrier: carrier),
      AntennaArray(positions: plane, carrier: carrier, gains: gains, patterns: patterns),
      AntennaArray(positions: plane, carrier: carrier, gains: gains, patterns: patterns, manifold: grid),
      AntennaArray(positions: [SIMD3(), SIMD3(0.02, 0, 0)], carrier: carrier, manifold: sweep),
    ]
  }

  /// What the estimators use is the array's own answer: without the phases of the gains, up to one factor for all
  /// antennas (the array's centre, a shared pattern).
  @Test func theManifoldIsTheResponse() {
    for array in Self.random(4101) {
      var random = StatisticsRandom(seed: 4102)
      let manifold = Manifold(array)
      let count = manifold.count
      let buffer = AlignedBuffer(count: 2 * count, zero: 0.0)
      for _ in 0..<20 {
        let direction = Direction.unitVector(
          azimuth: random.uniform(-1...1), elevation: manifold.kind == .sweep ? 0 : random.uniform(-1...1))
        manifold.fill(manifold.coordinates(direction), buffer.pointer)
        let wanted = array.response(to: direction)
        var factors: [Complex<Double>] = []
        for antenna in 0..<count {
          var gain = Complex<Double>.one
          if !array.gains.isEmpty { gain = array.gains[antenna] / Complex(array.gains[antenna].length) }
          factors.append(
            wanted[antenna] / gain / Complex(buffer.pointer[antenna], buffer.pointer[count + antenna]))
        }
        for factor in factors { #expect((factor - factors[0]).length < 1e-9) }
      }
    }
  }

  @Test func slopesMatchDifferences() {
    for array in Self.random(4103) {
      var random = StatisticsRandom(seed: 4104)
      let manifold = Manifold(array)
      let count = manifold.count
      let (value, slopes) = (AlignedBuffer(count: 2 * count, zero: 0.0), AlignedBuffer(count: 4 * count, zero: 0.0))
      let (before, after) = (AlignedBuffer(count: 2 * count, zero: 0.0), AlignedBuffer(count: 2 * count, zero: 0.0))
      for _ in 0..<10 {
        let q = SIMD2(random.uniform(-0.65...0.65), manifold.dimensions == 2 ? random.uniform(-0.65...0.65) : 0)
        manifold.fill(q, value.pointer, slopes.pointer)
        for coordinate in 0..<manifold.dimensions {
          let step = coordinate == 0 ? SIMD2(1e-6, 0) : SIMD2(0, 1e-6)
          manifold.fill(q - step, before.pointer)
          manifold.fill(q + step, after.pointer)
          for index in 0..<2 * count {
            let wanted = (after.pointer[index] - before.pointer[index]) / 2e-6
            #expect(abs(slopes.pointer[2 * count * coordinate + index] - wanted) < 1e-5)
          }
        }
      }
    }
  }

  // MARK: Measured manifolds

  /// A grid of the ideal array's own answers is that array; one with a gentle distortion gives it back between points.
  @Test func measuredResponsesComeBack() {
    let ideal = AntennaArray.cornered(spacing: Self.wavelength / 2, carrier: Self.carrier)
    let axis = ManifoldGrid.Axis(first: -1, step: 0.1, count: 21)
    func distortion(_ antenna: Int, _ azimuth: Double, _ elevation: Double) -> Complex<Double> {
      Complex(length: 1 + 0.1 * azimuth, phase: 0.3 * Double(antenna) * (azimuth * azimuth - elevation))
    }
    var measured: [Complex<Double>] = []
    for antenna in 0..<3 {
      for row in 0..<21 {
        for column in 0..<21 {
          let (azimuth, elevation) = (-1 + 0.1 * Double(column), -1 + 0.1 * Double(row))
          let wave = ideal.response(to: Direction.unitVector(azimuth: azimuth, elevation: elevation))
          measured.append(wave[antenna] * distortion(antenna, azimuth, elevation))
        }
      }
    }
    var array = ideal
    array.manifold = ManifoldGrid(measured: measured, azimuths: axis, elevations: axis, over: ideal)
    var random = StatisticsRandom(seed: 4105)
    for _ in 0..<50 {
      let (azimuth, elevation) = (random.uniform(-0.9...0.9), random.uniform(-0.9...0.9))
      let direction = Direction.unitVector(azimuth: azimuth, elevation: elevation)
      let found = array.response(to: direction)
      let wave = ideal.response(to: direction)
      for antenna in 0..<3 {
        // Third order in steps of 0.1.
        #expect((found[antenna] - wave[antenna] * distortion(antenna, azimuth, elevation)).length < 1e-3)
      }
    }
    // Beyond the grid its edge holds.
    guard let grid = array.manifold else { return }
    let edge = grid.response(antenna: 1, azimuth: 1, elevation: 0).value
    #expect((grid.response(antenna: 1, azimuth: 1.5, elevation: 0).value - edge).length < 1e-12)
    #expect(grid.response(antenna: 1, azimuth: 1.5, elevation: 0).byAzimuth == .zero)
  }

  @Test func refusesWhatIsNoArray() async {
    await #expect(processExitsWith: .failure) {
      _ = AntennaArray(positions: [SIMD3(), SIMD3(0.1, 0, 0)], carrier: 1e9, gains: [.one])
    }
    await #expect(processExitsWith: .failure) {
      _ = ManifoldGrid(
        azimuths: .init(first: 0, step: 0.1, count: 2), elevations: .init(first: 0, step: 0, count: 1),
        antennaCount: 2, responses: [.one])
    }
  }
}
