import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct DirectionBoundTests {
  private static let carrier = 6.4896e9
  private static let half = UWB.speedOfLightInAir / carrier / 2

  private static let arrays: [[SIMD3<Double>]] = [
    [SIMD3(0, 0, 0), SIMD3(half, 0, 0), SIMD3(0, half, 0)],
    [SIMD3(0, 0, 0), SIMD3(half, 0, 0), SIMD3(0, half, 0), SIMD3(half, half, 0)],
    [SIMD3(0, 0, 0), SIMD3(1.7 * half, 0.2 * half, 0.4 * half), SIMD3(-half, half, -half), SIMD3(0, -half, 0.1)],
  ]

  private func vector(_ azimuth: Double, _ elevation: Double) -> SIMD3<Double> {
    SIMD3(
      Double.sin(azimuth) * Double.cos(elevation), Double.sin(elevation),
      -Double.cos(azimuth) * Double.cos(elevation))
  }

  /// The full information of azimuth, elevation, Re g and Im g, each antenna's noise scaled to 1.
  private func numerical(
    _ positions: [SIMD3<Double>], azimuth: Double, elevation: Double, snrs: [Double]
  ) -> [[Double]] {
    NaiveFisherInformation.matrix(at: [azimuth, elevation, 0.6, 0.8], step: 1e-4) { parameters in
      let direction = vector(parameters[0], parameters[1])
      let gain = Complex(parameters[2], parameters[3])
      return zip(positions, snrs).map { position, snr in
        let phase = 2 * .pi * Self.carrier / UWB.speedOfLightInAir * (position * direction).sum()
        return gain * Complex(length: snr.squareRoot(), phase: phase)
      }
    }
  }

  @Test(arguments: arrays)
  func matchesTheNumericalInformation(positions: [SIMD3<Double>]) throws {
    var random = StatisticsRandom(seed: 1150)
    for _ in 0..<20 {
      let azimuth = random.uniform(-1.2...1.2)
      let elevation = random.uniform(-1...1)
      let snrs = positions.map { _ in Double.pow(10, random.uniform(1...4)) }
      let bound = DirectionBound(array: AntennaArray(positions: positions, carrier: Self.carrier))
        .information(azimuth: azimuth, elevation: elevation, snrs: snrs)
      let full = numerical(positions, azimuth: azimuth, elevation: elevation, snrs: snrs)
      let inverse = try #require(NaiveAlgebra.inverse(full))
      let variances = try #require(bound.variances)
      #expect(abs(variances.azimuth / inverse[0][0] - 1) < 1e-5)
      #expect(abs(variances.elevation / inverse[1][1] - 1) < 1e-5)
      let scale = (inverse[0][0] * inverse[1][1]).squareRoot()
      #expect(abs(variances.covariance - inverse[0][1]) < 1e-5 * scale)
      // Elevation known: strike its row and column out.
      let known = try #require(NaiveAlgebra.inverse([0, 2, 3].map { row in [0, 2, 3].map { full[row][$0] } }))
      #expect(abs(bound.azimuthVarianceAtKnownElevation / known[0][0] - 1) < 1e-5)
      let other = try #require(NaiveAlgebra.inverse([1, 2, 3].map { row in [1, 2, 3].map { full[row][$0] } }))
      #expect(abs(bound.elevationVarianceAtKnownAzimuth / other[0][0] - 1) < 1e-5)
    }
  }

  /// Two antennas d apart of equal SNR: the phase difference has variance 1/SNR and slope k·d·cos(azimuth).
  @Test(arguments: [-1.0, 0, 0.4, 1.2])
  func twoAntennasByHand(azimuth: Double) {
    let array = AntennaArray(positions: [SIMD3(0, 0, 0), SIMD3(Self.half, 0, 0)], carrier: Self.carrier)
    let bound = DirectionBound(array: array).information(azimuth: azimuth, elevation: 0, snrs: [100, 100])
    let slope = Double.pi * Double.cos(azimuth)
    #expect(abs(bound.azimuthVarianceAtKnownElevation * 100 * slope * slope - 1) < 1e-12)
    #expect(bound.variances == nil)
    #expect(bound.elevationVarianceAtKnownAzimuth > 1e3)
  }

  @Test func anArraysPlaceDoesNotMatter() {
    let snrs = [50.0, 20, 90]
    let positions = Self.arrays[0]
    let moved = positions.map { $0 + SIMD3(3, -2, 7) }
    func information(_ positions: [SIMD3<Double>]) -> DirectionBound.Information {
      DirectionBound(array: AntennaArray(positions: positions, carrier: Self.carrier))
        .information(azimuth: 0.3, elevation: 0.2, snrs: snrs)
    }
    #expect(abs(information(moved).azimuth / information(positions).azimuth - 1) < 1e-9)
    #expect(abs(information(moved).elevation / information(positions).elevation - 1) < 1e-9)
  }

  @Test func antennasWithoutSignalDoNotCount() throws {
    let array = AntennaArray(positions: Self.arrays[1], carrier: Self.carrier)
    let three = AntennaArray(positions: Self.arrays[0], carrier: Self.carrier)
    let a = DirectionBound(array: array).information(azimuth: 0.1, elevation: 0.2, snrs: [10, 20, 30, 0])
    let b = DirectionBound(array: three).information(azimuth: 0.1, elevation: 0.2, snrs: [10, 20, 30])
    #expect(abs(a.azimuth / b.azimuth - 1) < 1e-12)
    #expect(try abs(#require(a.variances).elevation / #require(b.variances).elevation - 1) < 1e-9)
  }
}
