import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct SourcesBoundTests {
  private static let carrier = 7.9872e9
  private static let half = UWB.speedOfLightInAir / carrier / 2

  private static let arrays: [AntennaArray] = [
    .linear(count: 6, spacing: half, carrier: carrier),
    .rectangular(columns: 3, rows: 2, spacing: SIMD2(half, half), carrier: carrier),
    AntennaArray(
      positions: [
        SIMD3(), SIMD3(2 * half, 0, 0.3 * half), SIMD3(-half, half, 0), SIMD3(0, 1.4 * half, half),
        SIMD3(half, -half, 0),
      ], carrier: carrier, gains: [.one, Complex(0, 1.5), Complex(0.5), Complex(1, 1), .one]),
    AntennaArray(
      positions: AntennaArray.circular(count: 5, radius: half, carrier: carrier).positions, carrier: carrier,
      patterns: (0..<5).map { index in
        let direction = Direction.unitVector(azimuth: 0.3 * Double(index - 2), elevation: 0.1 * Double(index))
        return .cosine(exponent: 1, boresight: direction)
      }),
  ]

  private static func directions(_ array: AntennaArray, _ count: Int, using random: inout StatisticsRandom) -> [SIMD2<
    Double
  >] {
    (0..<count).map { index in
      SIMD2(-0.5 + 0.7 * Double(index) + random.uniform(-0.1...0.1), isRow(array) ? 0 : random.uniform(-0.4...0.4))
    }
  }

  private static func isRow(_ array: AntennaArray) -> Bool { array.positions.allSatisfy { $0.y == 0 && $0.z == 0 } }

  private static func steering(_ array: AntennaArray, _ angles: [SIMD2<Double>]) -> [[Complex<Double>]] {
    let columns = angles.map { array.response(to: Direction.unitVector(azimuth: $0.x, elevation: $0.y)) }
    return array.positions.indices.map { row in columns.map { $0[row] } }
  }

  private static func compare(
    _ array: AntennaArray, _ found: [SourceDirection], _ variances: [[Double]], tolerance: Double
  ) {
    let step = isRow(array) ? 1 : 2
    for (index, source) in found.enumerated() {
      let azimuth = variances[step * index][step * index].squareRoot()
      #expect(abs((source.azimuthDeviation ?? .nan) / azimuth - 1) < tolerance)
      guard step == 2 else {
        #expect(source.elevationDeviation == nil)
        continue
      }
      let elevation = variances[2 * index + 1][2 * index + 1].squareRoot()
      #expect(abs((source.elevationDeviation ?? .nan) / elevation - 1) < tolerance)
    }
  }

  private static func angles(_ array: AntennaArray, _ parameters: ArraySlice<Double>) -> [SIMD2<Double>] {
    let list = Array(parameters)
    return isRow(array)
      ? list.map { SIMD2($0, 0) }
      : stride(from: 0, to: list.count, by: 2).map { SIMD2(list[$0], list[$0 + 1]) }
  }

  /// All amplitudes of all snapshots as unknowns, by numerical derivatives.
  @Test(arguments: arrays, [1, 2])
  func deterministicMatchesTheNumericalInformation(array: AntennaArray, count: Int) throws {
    var random = StatisticsRandom(seed: 4401)
    for snapshots in [1, 3] where snapshots >= count - 1 {
      let angles = Self.directions(array, count, using: &random)
      let amplitudes = (0..<snapshots).map { _ in (0..<count).map { _ in random.complexGaussian(variance: 4) } }
      let noise = 0.01
      let unknowns = (Self.isRow(array) ? angles.map { [$0.x] } : angles.map { [$0.x, $0.y] }).flatMap { $0 }
      let parameters = unknowns + amplitudes.flatMap { $0.flatMap { [$0.real, $0.imaginary] } }
      let information = NaiveFisherInformation.matrix(at: parameters, step: 1e-4) { p in
        let a = Self.steering(array, Self.angles(array, p[0..<unknowns.count]))
        return (0..<snapshots).flatMap { t in
          a.map { row in
            (0..<count).reduce(Complex<Double>.zero) { sum, k in
              let place = unknowns.count + 2 * (t * count + k)
              return sum + row[k] * Complex(p[place], p[place + 1]) / Complex(noise.squareRoot())
            }
          }
        }
      }
      let variances = try #require(NaiveAlgebra.inverse(information))
      var covariance = [Complex<Double>](repeating: .zero, count: count * count)
      for s in amplitudes {
        for right in 0..<count {
          for left in 0..<count {
            covariance[right * count + left] += s[left] * s[right].conjugate / Complex(Double(snapshots))
          }
        }
      }
      let found = try #require(
        SourcesBound(array: array).bound(
          .deterministic, directions: angles.map { Direction.unitVector(azimuth: $0.x, elevation: $0.y) },
          covariance: covariance, noiseVariance: noise, snapshots: snapshots))
      Self.compare(array, found, variances, tolerance: 1e-4)
    }
  }

  /// J_ij = N·tr(R⁻¹·∂R/∂θ_i·R⁻¹·∂R/∂θ_j) over directions, the sources' covariance and the noise, by numerical derivatives
  /// (Slepian 1954; Bangs 1971).
  @Test(arguments: arrays, [1, 2])
  func stochasticMatchesTheNumericalInformation(array: AntennaArray, count: Int) throws {
    var random = StatisticsRandom(seed: 4402)
    let angles = Self.directions(array, count, using: &random)
    let unknowns = (Self.isRow(array) ? angles.map { [$0.x] } : angles.map { [$0.x, $0.y] }).flatMap { $0 }
    let cross = Complex(0.3, -0.4)
    let noise = 0.2
    // P = diag(1, 2) with a complex correlation, then the noise.
    let parameters = unknowns + (count == 1 ? [1.5] : [1, 2, cross.real, cross.imaginary]) + [noise]
    func covariance(_ p: [Double]) -> [[Complex<Double>]] {
      let a = Self.steering(array, Self.angles(array, p[0..<unknowns.count]))
      let q = Array(p[unknowns.count...])
      let power: [[Complex<Double>]] =
        count == 1
        ? [[Complex(q[0])]]
        : [[Complex(q[0]), Complex(q[2], q[3])], [Complex(q[2], -q[3]), Complex(q[1])]]
      var r = NaiveAlgebra.product(a, NaiveAlgebra.product(power, NaiveAlgebra.adjoint(a)))
      for index in r.indices { r[index][index] += Complex(q[q.count - 1]) }
      return r
    }
    let inverse = try #require(NaiveAlgebra.inverse(covariance(parameters)))
    let slopes = parameters.indices.map { index in
      var (before, after) = (parameters, parameters)
      before[index] -= 1e-5
      after[index] += 1e-5
      let (b, a) = (covariance(before), covariance(after))
      let slope = zip(a, b).map { zip($0, $1).map { ($0 - $1) / Complex(2e-5) } }
      return NaiveAlgebra.product(inverse, slope)
    }
    let snapshots = 7
    let information = slopes.map { left in
      slopes.map { right in
        let product = NaiveAlgebra.product(left, right)
        return Double(snapshots) * product.indices.reduce(0.0) { $0 + product[$1][$1].real }
      }
    }
    let variances = try #require(NaiveAlgebra.inverse(information))
    let powers: [Complex<Double>] =
      count == 1 ? [Complex(1.5)] : [Complex(1), cross.conjugate, cross, Complex(2)]
    let found = try #require(
      SourcesBound(array: array).bound(
        .stochastic, directions: angles.map { Direction.unitVector(azimuth: $0.x, elevation: $0.y) },
        covariance: powers, noiseVariance: noise, snapshots: snapshots))
    Self.compare(array, found, variances, tolerance: 1e-4)
  }

  /// A common example: 8 antennas λ/2 apart, 64 snapshots, 10 dB, 17.3°: with Σ(m − 3.5)² = 42,
  /// var = σ²/P·(1 + σ²/(8·P))/(2·64·π²·cos²·42), 0.083°.
  @Test func eightAntennasByHand() throws {
    let array = AntennaArray.linear(count: 8, spacing: Self.half, carrier: Self.carrier)
    let angle = 17.3 * Double.pi / 180
    let found = try #require(
      SourcesBound(array: array).bound(
        .stochastic, directions: [Direction.unitVector(azimuth: angle, elevation: 0)], covariance: [.one],
        noiseVariance: 0.1, snapshots: 64)?.first?.azimuthDeviation)
    let cosine = Double.cos(angle)
    let wanted = (0.1 * 1.0125 / (128 * Double.pi * .pi * cosine * cosine * 42)).squareRoot()
    #expect(abs(found / wanted - 1) < 1e-9)
    #expect(abs(found * 180 / .pi - 0.0829) < 1e-4)
  }

  /// One source, one snapshot: as the bound that takes any antennas' SNRs.
  @Test func agreesWithTheBoundOfOnePath() throws {
    let array = AntennaArray.cornered(spacing: Self.half, carrier: Self.carrier)
    let one = DirectionBound(array: array).information(azimuth: 0.4, elevation: -0.2, snrs: [50, 50, 50])
    let found = try #require(
      SourcesBound(array: array).bound(
        .deterministic, directions: [Direction.unitVector(azimuth: 0.4, elevation: -0.2)], covariance: [.one],
        noiseVariance: 0.02, snapshots: 1)?.first)
    let variances = try #require(one.variances)
    #expect(abs((found.azimuthDeviation ?? 0) / variances.azimuth.squareRoot() - 1) < 1e-9)
    #expect(abs((found.elevationDeviation ?? 0) / variances.elevation.squareRoot() - 1) < 1e-9)
  }

  @Test func sourcesInOnePlaceHaveNoBound() {
    let array = AntennaArray.linear(count: 4, spacing: Self.half, carrier: Self.carrier)
    let same = Direction.unitVector(azimuth: 0.1, elevation: 0)
    #expect(
      SourcesBound(array: array).bound(
        .deterministic, directions: [same, same], covariance: [.one, .zero, .zero, .one], noiseVariance: 1,
        snapshots: 4) == nil)
  }
}
