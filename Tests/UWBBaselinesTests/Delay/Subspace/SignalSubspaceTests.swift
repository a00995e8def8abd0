import Numerics
import TestSupport
import Testing
import UWBDSP

@testable import UWBBaselines

@Suite struct SignalSubspaceTests {
  private func loaded(_ seed: UInt64) -> (FrequencyResponse, SubspaceTrial) {
    var random = TrialGenerator(seed: seed)
    let trial = SubspaceBench.trial(.three, using: &random)
    let taps = PreparedTaps(tapCount: SubspaceBench.tapCount)
    taps.load(ChannelImpulseResponse(trial.samples), antenna: 0)
    let response = FrequencyResponse(FrequencyWindow())
    response.load(taps, firstTap: Int(trial.firstDelay) - 12)
    return (response, trial)
  }

  private func element(_ response: FrequencyResponse, _ row: Int, _ column: Int) -> Complex<Double> {
    let at = column * response.rows + row
    return Complex(response.matrix.pointer[at], response.matrix.pointer[response.rows * response.columns + at])
  }

  @Test func aLonePathTurnsByItsDelay() {
    let taps = PreparedTaps(tapCount: SubspaceBench.tapCount)
    for delay in [8.3, 15.0, 16.5, 22.9] {
      let samples = (0..<SubspaceBench.tapCount).map {
        Complex<Float>(Float(PulseShape.standard((Double($0) - 100 - delay) * UWB.tap)), 0)
      }
      taps.load(ChannelImpulseResponse(samples), antenna: 0)
      let response = FrequencyResponse(FrequencyWindow())
      response.load(taps, firstTap: 100)
      for row in 1..<response.rows {
        let turn = (element(response, row, 3) / element(response, row - 1, 3)).phase
        #expect(abs(response.delay(angle: turn) - delay) < 0.03)
      }
    }
  }

  /// The eigenvalues of the complex forward–backward average are twice those of the real matrix.
  @Test(arguments: [61, 62, 63] as [UInt64])
  func realMatrixHasTheEigenvaluesOfTheForwardBackwardAverage(seed: UInt64) {
    let (response, _) = loaded(seed)
    let rows = response.rows
    var average = [Complex<Double>](repeating: .zero, count: rows * rows)
    for row in 0..<rows {
      for column in 0..<rows {
        for snapshot in 0..<response.columns {
          average[column * rows + row] +=
            element(response, row, snapshot) * element(response, column, snapshot).conjugate
          average[column * rows + row] +=
            element(response, rows - 1 - row, snapshot).conjugate * element(response, rows - 1 - column, snapshot)
        }
      }
    }
    let problem = HermitianEigenvectors(order: rows)
    var values = [Double](repeating: 0, count: rows)
    var vectors = average
    #expect(problem.decompose(average, values: &values, vectors: &vectors, using: problem.makeWorkspace()))
    let subspace = SignalSubspace(response)
    #expect(subspace.decompose())
    for index in 0..<rows { #expect(abs(2 * subspace.values[index] - values[index]) < 1e-10 * values[rows - 1]) }
  }

  /// D(μ) straight from its definition, ‖e‖² − Σ|sᴴe|², and its derivatives by differences.
  @Test func nullSpectrumAgreesWithItsDefinition() {
    let (response, _) = loaded(64)
    let subspace = SignalSubspace(response)
    #expect(subspace.decompose())
    let spectrum = NullSpectrum(subspace)
    #expect(spectrum.make(order: 3))
    func naive(_ angle: Double) -> Double {
      let path = (0..<response.rows).map {
        Complex(length: response.rowWeights[$0], phase: Double($0) * angle)
      }
      var value = path.reduce(0) { $0 + $1.lengthSquared }
      for index in 0..<3 {
        var sum = Complex<Double>.zero
        for row in 0..<response.rows {
          let at = 2 * (index * response.rows + row)
          let direction =
            Complex(subspace.exponentials.pointer[at], subspace.exponentials.pointer[at + 1])
            * Complex(response.rowWeights[row])
          sum += direction.conjugate * path[row]
        }
        value -= sum.lengthSquared
      }
      return value
    }
    for step in 0..<50 {
      let angle = -3 + 0.12 * Double(step)
      let got = spectrum.evaluate(angle)
      #expect(abs(got.value - naive(angle)) < 1e-9)
      #expect(abs(got.slope - (naive(angle + 1e-5) - naive(angle - 1e-5)) / 2e-5) < 1e-5)
      let bend = (naive(angle + 1e-4) - 2 * naive(angle) + naive(angle - 1e-4)) / 1e-8
      #expect(abs(got.bend - bend) < 1e-3)
    }
  }

  @Test func countsSourcesByTheGapInTheEigenvalues() {
    for sources in 1...5 {
      let values = (0..<8).map { $0 < 8 - sources ? 1.0 + 0.05 * Double($0) : 1000.0 * Double($0) }
      #expect(SubspaceStage.pathCount(values, order: 8, snapshots: 16, most: 6) == sources)
      #expect(SubspaceStage.pathCount(values, order: 8, snapshots: 16, most: 2) <= min(sources, 2))
    }
    // Nothing but noise still counts as the one path that the search has seen.
    #expect(SubspaceStage.pathCount([1, 1.01, 1.02, 1.03], order: 4, snapshots: 16, most: 3) == 1)
  }
}
