import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct SteeringGridTests {
  static let wavelength = UWB.speedOfLightInAir / 6489.6e6
  static func array(_ places: [SIMD3<Double>]) -> AntennaArray {
    AntennaArray(positions: places.map { $0 * wavelength }, carrier: 6489.6e6)
  }

  @Test func geometriesAreTold() {
    #expect(SteeringGrid(Self.array([.zero])).geometry == .point)
    #expect(SteeringGrid(Self.array([.zero, SIMD3(0, 0, 1)])).geometry == .point)
    #expect(SteeringGrid(Self.array([.zero, SIMD3(0.5, 0, 0)])).geometry == .row(SIMD2(1, 0)))
    #expect(SteeringGrid(Self.array([SIMD3(0, 0.5, 0), .zero])).geometry == .row(SIMD2(0, 1)))
    #expect(SteeringGrid(Self.array([.zero, SIMD3(0.5, 0, 0), SIMD3(0, 0.5, 0)])).geometry == .plane)
    guard case .row(let axis) = SteeringGrid(Self.array([.zero, SIMD3(0.3, -0.3, 0)])).geometry else {
      Issue.record("a slanted row is a row")
      return
    }
    #expect(abs(axis.x + axis.y) < 1e-12 && abs((axis * axis).sum() - 1) < 1e-12)
  }

  /// At a grid point the spectrum is what the formula says, and highest there; elsewhere as summed up term by term.
  @Test(arguments: [
    [SIMD3(0, 0, 0), SIMD3(0.5, 0, 0), SIMD3(1, 0, 0)], [SIMD3(0, 0, 0), SIMD3(0.5, 0, 0), SIMD3(0, 0.5, 0)],
  ])
  func spectrumIsTheFormulas(places: [SIMD3<Double>]) {
    let array = Self.array(places)
    let grid = SteeringGrid(array)
    let spectrum = grid.makeSpectrum()
    var random = StatisticsRandom(seed: 5101)
    for _ in 0..<20 {
      let truth = Int(random.uniform() * Double(grid.cosines.count))
      let direction = SteeringGrid.direction(grid.cosines[truth])
      let amplitudes = array.positions.map {
        Complex<Double>(length: 2, phase: 1.1 + 2 * .pi / Self.wavelength * ($0 * direction).sum())
      }
      let snapshot = AlignedBuffer<Float>(count: 6, zero: 0)
      for (index, value) in amplitudes.enumerated() {
        snapshot.pointer[2 * index] = Float(value.real)
        snapshot.pointer[2 * index + 1] = Float(value.imaginary)
      }
      let best = grid.evaluate(snapshot.pointer, into: spectrum)
      // Sums of six products of single precision, squared.
      let rounding = 36 * 24 * Double(Float.ulpOfOne)
      #expect(abs(Double(spectrum.pointer[truth]) - 36) < rounding)
      #expect(abs(Double(spectrum.pointer[best]) - 36) < rounding)
      #expect(grid.isPeak(best, of: spectrum))
      for point in 0..<grid.cosines.count {
        let seen = SteeringGrid.direction(grid.cosines[point])
        let sum = zip(array.positions, amplitudes).reduce(Complex<Double>.zero) {
          $0 + $1.1 * Complex(length: 1, phase: -2 * .pi / Self.wavelength * ($1.0 * seen).sum())
        }
        #expect(abs(Double(spectrum.pointer[point]) - sum.lengthSquared) < rounding)
      }
    }
  }

  /// Between grid points the parabola's peak is far nearer than half a step, the grid's own error.
  @Test(arguments: [
    [SIMD3(0, 0, 0), SIMD3(0.5, 0, 0), SIMD3(1, 0, 0)],
    [SIMD3(0, 0, 0), SIMD3(0.5, 0, 0), SIMD3(0, 0.5, 0), SIMD3(0.5, 0.5, 0)],
  ])
  func peaksAreFoundBetweenGridPoints(places: [SIMD3<Double>]) {
    let array = Self.array(places)
    let grid = SteeringGrid(array)
    let spectrum = grid.makeSpectrum()
    let snapshot = AlignedBuffer<Float>(count: 2 * places.count, zero: 0)
    var random = StatisticsRandom(seed: 5103)
    for _ in 0..<50 {
      let y = grid.geometry == .plane ? random.uniform(-0.5...0.5) : 0
      let truth = SIMD2(random.uniform(-0.5...0.5), y)
      for (antenna, position) in array.positions.enumerated() {
        let phase = 2 * .pi / Self.wavelength * (position * SteeringGrid.direction(truth)).sum()
        snapshot.pointer[2 * antenna] = Float(Double.cos(phase))
        snapshot.pointer[2 * antenna + 1] = Float(Double.sin(phase))
      }
      let best = grid.evaluate(snapshot.pointer, into: spectrum)
      let found = grid.vertex(of: best, in: spectrum) - truth
      #expect((found * found).sum().squareRoot() < 0.1 * grid.spacing)
    }
  }

  /// The search by vectors finds what a look at every point does.
  @Test func peaksAreThePointsWithoutAHigherNeighbour() {
    let grid = SteeringGrid(Self.array([.zero, SIMD3(1.5, 0, 0), SIMD3(0, 1.5, 0)]))
    let spectrum = grid.makeSpectrum()
    let points = AlignedBuffer<Int>(count: 8, zero: 0)
    var random = StatisticsRandom(seed: 5102)
    for _ in 0..<20 {
      let snapshot = AlignedBuffer<Float>(count: 6, zero: 0)
      for index in 0..<6 { snapshot.pointer[index] = Float(random.uniform(-1...1)) }
      let best = grid.evaluate(snapshot.pointer, into: spectrum)
      let level = 0.6 * spectrum.pointer[best]
      points.pointer[0] = best
      let count = grid.peaks(of: spectrum, above: level, except: best, into: points, from: 1)
      let expected = grid.cosines.indices.filter {
        $0 != best && spectrum.pointer[$0] >= level && grid.isPeak($0, of: spectrum)
      }
      #expect((1..<count).map { points.pointer[$0] } == Array(expected.prefix(7)))
    }
  }

  @Test func theGridCoversTheHalfSpace() {
    let grid = SteeringGrid(Self.array([.zero, SIMD3(0.5, 0, 0), SIMD3(0, 0.5, 0), SIMD3(0.5, 0.5, 0)]))
    #expect(grid.cosines.allSatisfy { ($0 * $0).sum() <= 1 + 1e-9 })
    for edge in [SIMD2(1.0, 0), SIMD2(0, 1.0), SIMD2(-1.0, 0), SIMD2(0, -1.0), SIMD2(0, 0)] {
      #expect(grid.cosines.contains(edge))
    }
  }
}
