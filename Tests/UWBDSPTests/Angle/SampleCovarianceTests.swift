import Numerics
import TestSupport
import Testing

@testable import UWBDSP

@Suite struct SampleCovarianceTests {
  private static let carrier = 7.9872e9
  private static let half = UWB.speedOfLightInAir / carrier / 2

  static func snapshots(_ antennas: Int, _ count: Int, seed: UInt64) -> Snapshots {
    var random = StatisticsRandom(seed: seed)
    var result = Snapshots(antennaCount: antennas, snapshotCount: count)
    for antenna in 0..<antennas {
      for t in 0..<count { result[antenna, t] = random.complexGaussian() }
    }
    return result
  }

  /// Σ x·xᴴ/N by the definition, averaged as asked.
  private static func naive(_ x: Snapshots, gains: [Complex<Double>], _ averaging: CovarianceAveraging) -> [[Complex<
    Double
  >]] {
    let count = x.antennaCount
    func value(_ antenna: Int, _ t: Int) -> Complex<Double> {
      gains.isEmpty ? x[antenna, t] : x[antenna, t] * gains[antenna].conjugate / Complex(gains[antenna].length)
    }
    let whole = (0..<count).map { row in
      (0..<count).map { column in
        (0..<x.snapshotCount).reduce(Complex<Double>.zero) { $0 + value(row, $1) * value(column, $1).conjugate }
          / Complex(Double(x.snapshotCount))
      }
    }
    let order = count - averaging.subarrayCount + 1
    var result = (0..<order).map { row in
      (0..<order).map { column in
        (0..<averaging.subarrayCount).reduce(Complex<Double>.zero) { $0 + whole[row + $1][column + $1] }
          / Complex(Double(averaging.subarrayCount))
      }
    }
    if averaging.forwardBackward {
      let plain = result
      for row in 0..<order {
        for column in 0..<order {
          result[row][column] =
            (plain[row][column] + plain[order - 1 - row][order - 1 - column].conjugate) / Complex(2)
        }
      }
    }
    return result
  }

  @Test(arguments: [2, 3, 5, 8], [1, 2, 17, 300])
  func matchesTheDefinition(antennas: Int, count: Int) {
    let x = Self.snapshots(antennas, count, seed: UInt64(4200 + antennas * 100 + count))
    for gains in [[], (0..<antennas).map { Complex(length: 2, phase: 0.7 * Double($0 * $0)) }] {
      let plain = AntennaArray.linear(count: antennas, spacing: Self.half, carrier: Self.carrier)
      let array = AntennaArray(positions: plain.positions, carrier: Self.carrier, gains: gains)
      for averaging in [
        CovarianceAveraging(forwardBackward: false), CovarianceAveraging(),
        CovarianceAveraging(subarrayCount: max(1, antennas / 2)),
      ] {
        let expected = Self.naive(x, gains: gains, averaging)
        let order = expected.count
        for isReal in [false, true] {
          let covariance = SampleCovariance(
            array: array, manifold: Manifold(array), averaging: averaging, isReal: isReal, snapshotLimit: 300)
          // What was there before does not matter.
          _ = covariance.load(Self.snapshots(antennas, 300, seed: 1))
          #expect(covariance.load(x))
          #expect(covariance.order == order)
          covariance.makeComplexFromReal()
          let trace = (0..<order).reduce(0.0) { $0 + expected[$1][$1].real }
          #expect(abs(covariance.trace - trace) < 1e-12 * trace)
          var worst = 0.0
          for row in 0..<order {
            for column in 0..<order {
              let re = covariance.complex.pointer[column * order + row]
              let im = covariance.complex.pointer[order * order + column * order + row]
              worst = max(worst, (Complex(re, im) - expected[row][column]).length)
            }
          }
          #expect(worst < 1e-12)
          if covariance.isReal { checkReal(covariance, expected) }
        }
      }
    }
  }

  /// C = QᴴRQ with Q written out.
  private func checkReal(_ covariance: SampleCovariance, _ expected: [[Complex<Double>]]) {
    let order = expected.count
    let half = order / 2
    let shift = order - half
    let root = Complex(0.5.squareRoot())
    var q = (0..<order).map { _ in [Complex<Double>](repeating: .zero, count: order) }
    for index in 0..<half {
      q[index][index] = root
      q[index][shift + index] = root * .i
      q[order - 1 - index][index] = root
      q[order - 1 - index][shift + index] = -root * .i
    }
    if order % 2 == 1 { q[half][half] = .one }
    let c = NaiveAlgebra.product(NaiveAlgebra.adjoint(q), NaiveAlgebra.product(expected, q))
    for row in 0..<order {
      for column in 0..<order {
        #expect(abs(c[row][column].imaginary) < 1e-12)
        #expect(abs(covariance.real.pointer[column * order + row] - c[row][column].real) < 1e-12)
      }
    }
  }

  @Test func aSquareIsAveragedWithItsMirrorImage() {
    let array = AntennaArray.rectangular(
      columns: 2, rows: 2, spacing: SIMD2(repeating: Self.half), carrier: Self.carrier)
    let x = Self.snapshots(4, 3, seed: 4290)
    let covariance = SampleCovariance(
      array: array, manifold: Manifold(array), averaging: .init(), isReal: true, snapshotLimit: 3)
    #expect(!covariance.isReal)
    #expect(covariance.load(x))
    let plain = Self.naive(x, gains: [], .init(forwardBackward: false))
    for row in 0..<4 {
      for column in 0..<4 {
        let wanted = (plain[row][column] + plain[3 - row][3 - column].conjugate) / Complex(2)
        let found = Complex(
          covariance.complex.pointer[column * 4 + row], covariance.complex.pointer[16 + column * 4 + row])
        #expect((found - wanted).length < 1e-12)
      }
    }
  }

  @Test func nothingToSeeIsSaid() {
    let array = AntennaArray.linear(count: 3, spacing: Self.half, carrier: Self.carrier)
    for isReal in [false, true] {
      let covariance = SampleCovariance(
        array: array, manifold: Manifold(array), averaging: .init(), isReal: isReal, snapshotLimit: 2)
      #expect(!covariance.load(Snapshots(antennaCount: 3, snapshotCount: 2)))
      for bad in [Double.nan, .infinity] {
        var x = Self.snapshots(3, 2, seed: 4291)
        x[1, 1] = Complex(bad, 0)
        #expect(!covariance.load(x))
      }
    }
  }
}
