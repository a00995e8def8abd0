import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct RowSourcesTests {
  private static let carrier = 7.9872e9
  private static let half = UWB.speedOfLightInAir / carrier / 2

  /// Plane waves of unequal power, partly coherent, and noise.
  private static func snapshots(
    _ manifold: Manifold, _ cosines: [Double], count: Int, noise: Double, seed: UInt64
  ) -> Snapshots {
    var random = StatisticsRandom(seed: seed)
    var result = Snapshots(antennaCount: manifold.count, snapshotCount: count)
    for t in 0..<count {
      let first = random.complexGaussian()
      let amplitudes = [first, Complex(0.4) * first + Complex(0.5) * random.complexGaussian()]
      for antenna in 0..<manifold.count {
        var value = Complex(noise) * random.complexGaussian()
        for (cosine, amplitude) in zip(cosines, amplitudes) {
          value += amplitude * Complex(length: 1, phase: manifold.places[antenna].x * cosine)
        }
        result[antenna, t] = value
      }
    }
    return result
  }

  private static func close(_ a: Double, _ b: Double, _ tolerance: Double) -> Bool {
    abs(a - b) <= tolerance * max(abs(a), abs(b))
  }

  /// The general way, of complex matrices, says the same.
  @Test(arguments: [2, 3, 5, 8, 11], [[0.3], [0.3, -0.4], [0.3, 0.28], [0.3, 0.2999]])
  func agreesWithTheGeneralWay(antennas: Int, cosines: [Double]) throws {
    guard cosines.count < antennas else { return }
    let array = AntennaArray.linear(count: antennas, spacing: Self.half, carrier: Self.carrier)
    let manifold = Manifold(array)
    let covariance = SampleCovariance(
      array: array, manifold: manifold, averaging: CovarianceAveraging(), isReal: true, snapshotLimit: 17)
    let geometry = SourceGeometry(manifold: manifold, limit: cosines.count)
    let row = RowSources(order: antennas, step: manifold.rowStep)
    for (noise, given) in [(0.1, nil), (0.1, 0.02), (3, nil), (1e-5, nil)] as [(Double, Double?)] {
      var x = Self.snapshots(manifold, cosines, count: 17, noise: noise, seed: UInt64(8100 + antennas))
      x.noiseVariance = given
      #expect(covariance.load(x))
      covariance.makeComplexFromReal()
      for (index, cosine) in cosines.enumerated() { geometry.q.pointer[index] = SIMD2(cosine, 0) }
      try #require(geometry.load(count: cosines.count))
      let isKnown = geometry.analyse(
        covariance.complex.pointer, trace: covariance.trace, snapshots: 17, noise: covariance.noiseVariance)
      let hasVariances = isKnown && geometry.makeVariances(.subspace, snapshots: 17)
      let found = try #require(row.measure(covariance, cosines: geometry.q.pointer, count: cosines.count))
      #expect((found.variances != nil) == hasVariances)
      // Rounding, as many times over as two close sources' matrix is badly conditioned.
      let tolerance = cosines.contains(0.2999) ? 1e-5 : 1e-9
      for index in cosines.indices {
        let power = geometry.powers.pointer[index * (cosines.count + 1)].x
        #expect(Self.close(found.powers[index], power, tolerance), "\(noise): power \(index)")
        guard let variance = found.variances?[index] else { continue }
        // Noise is what is left of a difference of powers.
        let rounding = noise < 1e-3 ? 1e-4 : 0
        let expected = geometry.variances.pointer[index * (cosines.count + 1)]
        #expect(Self.close(variance, expected, max(tolerance, rounding)), "\(noise): variance \(index)")
      }
    }
  }

  @Test func coincidingSourcesAreNone() {
    let array = AntennaArray.linear(count: 8, spacing: Self.half, carrier: Self.carrier)
    let manifold = Manifold(array)
    let covariance = SampleCovariance(
      array: array, manifold: manifold, averaging: CovarianceAveraging(), isReal: true, snapshotLimit: 9)
    #expect(covariance.load(Self.snapshots(manifold, [0.3], count: 9, noise: 0.1, seed: 8200)))
    let row = RowSources(order: 8, step: manifold.rowStep)
    #expect(row.measure(covariance, cosines: [SIMD2(0.3, 0), SIMD2(0.3, 0)], count: 2) == nil)
    #expect(row.measure(covariance, cosines: [SIMD2(0.3, 0)], count: 1) != nil)
  }

  /// A single snapshot of two antennas leaves nothing to tell noise from, unless noise is given.
  @Test func noiseThatCannotBeToldGivesNoVariances() throws {
    let array = AntennaArray.linear(count: 3, spacing: Self.half, carrier: Self.carrier)
    let manifold = Manifold(array)
    let covariance = SampleCovariance(
      array: array, manifold: manifold, averaging: CovarianceAveraging(), isReal: true, snapshotLimit: 1)
    let row = RowSources(order: 3, step: manifold.rowStep)
    var x = Self.snapshots(manifold, [0.3, -0.4], count: 1, noise: 0.1, seed: 8300)
    let cosines = [SIMD2(0.3, 0), SIMD2(-0.4, 0)]
    #expect(covariance.load(x))
    let found = try #require(row.measure(covariance, cosines: cosines, count: 2))
    #expect(found.variances == nil && found.powers[0] > 0)
    x.noiseVariance = 0.01
    #expect(covariance.load(x))
    #expect(try #require(row.measure(covariance, cosines: cosines, count: 2)).powers[0] < found.powers[0])
  }
}
