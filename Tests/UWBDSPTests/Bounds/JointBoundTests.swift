import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct JointBoundTests {
  private static let carrier = 6489.6e6
  private static let half = UWB.speedOfLightInAir / carrier / 2
  private static let taps = 80..<150

  /// The mean of all antennas' taps, straight from the model, for path by path (τ, azimuth, elevation), then amplitudes.
  private static func mean(
    _ array: AntennaArray, _ noise: [Double], pathCount: Int
  ) -> ([Double]) -> [Complex<Double>] {
    { values in
      zip(array.positions, noise).flatMap { position, variance in
        taps.map { tap in
          var sum = Complex<Double>.zero
          for path in 0..<pathCount {
            let direction = Direction.unitVector(azimuth: values[3 * path + 1], elevation: values[3 * path + 2])
            let ahead = (position * direction).sum() / UWB.speedOfLightInAir
            let pulse = PulseShape.standard((Double(tap) - values[3 * path]) * UWB.tap + ahead)
            let amplitude = Complex(values[3 * pathCount + 2 * path], values[3 * pathCount + 2 * path + 1])
            sum += amplitude * Complex(length: pulse, phase: 2 * .pi * carrier * ahead)
          }
          return sum / Complex(variance.squareRoot())
        }
      }
    }
  }

  /// Arrays of any shape, one to three paths, unequal noise; seed 5001.
  @Test(arguments: [1, 2, 3])
  func isTheInverseOfTheFisherInformation(pathCount: Int) throws {
    var random = StatisticsRandom(seed: 5001 + UInt64(pathCount))
    for antennas in [4, 6] {
      let positions = (0..<antennas).map { _ in
        SIMD3(random.uniform(-1.5...1.5), random.uniform(-1.5...1.5), random.uniform(-0.5...0.5)) * Self.half
      }
      let array = AntennaArray(positions: positions, carrier: Self.carrier)
      let noise = (0..<antennas).map { _ in random.uniform(0.5...2) }
      let waves = (0..<pathCount).map {
        JointBound.Wave(
          delayTaps: 110 + 1.7 * Double($0) + random.uniform(-0.2...0.2), azimuth: random.uniform(-0.8...0.8),
          elevation: random.uniform(-0.6...0.6), amplitude: 10 * random.complexGaussian())
      }
      let parameters =
        waves.flatMap { [$0.delayTaps, $0.azimuth, $0.elevation] }
        + waves.flatMap { [$0.amplitude.real, $0.amplitude.imaginary] }
      let fisher = NaiveFisherInformation.matrix(
        at: parameters, mean: Self.mean(array, noise, pathCount: pathCount))
      let bound = JointBound(array: array)
      func compare(_ unknown: JointBound.Unknown, _ kept: [Int]) throws {
        let rows = kept + Array(3 * pathCount..<5 * pathCount)
        let part = rows.map { row in rows.map { fisher[row][$0] } }
        let expected = try #require(NaiveAlgebra.inverse(part))
        let found = try #require(
          bound.covariance(of: waves, unknown: unknown, taps: Self.taps, noiseVariances: noise))
        for row in kept.indices {
          for column in kept.indices {
            let scale = (expected[row][row] * expected[column][column]).squareRoot()
            #expect(abs(found[column * kept.count + row] - expected[row][column]) < 1e-5 * scale)
          }
        }
        let variances = try #require(
          bound.variances(of: waves, unknown: unknown, taps: Self.taps, noiseVariances: noise))
        #expect(abs(variances[0].delay / expected[0][0] - 1) < 1e-5)
        #expect((variances[0].azimuth > 0) == (unknown != .elevation))
        #expect((variances[0].elevation > 0) == (unknown != .azimuth))
      }
      try compare(.azimuthAndElevation, Array(0..<3 * pathCount))
      try compare(.azimuth, (0..<pathCount).flatMap { [3 * $0, 3 * $0 + 1] })
      try compare(.elevation, (0..<pathCount).flatMap { [3 * $0, 3 * $0 + 2] })
    }
  }

  /// One path: the delay's bound for the sum of the antennas, and the direction's for amplitudes fitted to the pulse; the
  /// travel across the array adds a thousandth.
  @Test func onePathIsWhatTheSeparateBoundsSay() throws {
    let array = AntennaArray(
      positions: [SIMD3(-1, -1, 0), SIMD3(1, -1, 0), SIMD3(-1, 1, 0), SIMD3(1, 1, 0)].map { $0 * (Self.half / 2) },
      carrier: Self.carrier)
    let wave = JointBound.Wave(delayTaps: 115.3, azimuth: 0.3, elevation: -0.2, amplitude: Complex(8, 6))
    let found = try #require(
      JointBound(array: array).variances(
        of: [wave], unknown: .azimuthAndElevation, taps: 60..<170, noiseVariances: [1, 1, 1, 1]))[0]
    #expect(abs(found.delay / DelayBound().onePathTapsSquared(snr: 400) - 1) < 1e-3)
    let energy = (60..<170).reduce(0.0) { sum, tap in
      let value = PulseShape.standard((Double(tap) - 115.3) * UWB.tap)
      return sum + value * value
    }
    let direction = try #require(
      DirectionBound(array: array).information(
        azimuth: 0.3, elevation: -0.2, snrs: [Double](repeating: 100 * energy, count: 4)
      ).variances)
    #expect(abs(found.azimuth / direction.azimuth - 1) < 5e-3)
    #expect(abs(found.elevation / direction.elevation - 1) < 5e-3)
  }

  @Test func whatCannotBeToldIsNil() {
    let row = AntennaArray(positions: [SIMD3(0, 0, 0), SIMD3(Self.half, 0, 0)], carrier: Self.carrier)
    let wave = JointBound.Wave(delayTaps: 115.3, azimuth: 0.3, amplitude: Complex(10))
    let bound = JointBound(array: row)
    #expect(
      bound.variances(of: [wave], unknown: .azimuthAndElevation, taps: Self.taps, noiseVariances: [1, 1]) == nil)
    #expect(bound.variances(of: [wave], unknown: .azimuth, taps: Self.taps, noiseVariances: [1, 1]) != nil)
    #expect(bound.variances(of: [wave, wave], unknown: .azimuth, taps: Self.taps, noiseVariances: [1, 1]) == nil)
  }
}
