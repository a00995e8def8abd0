import Numerics
import TestSupport
import Testing
import UWBDSP

@Suite struct DelayBoundTests {
  private static let shapes: [PulseShape] = [
    .standard, .raisedCosine(rolloff: 0.25, period: 1 / UWB.chipRate),
    .rootRaisedCosine(rolloff: 0.5, period: 1 / UWB.chipRate),
  ]

  /// Inverse of the numerical Fisher information of delays and amplitudes together: its first K rows and columns.
  private func numerical(
    _ paths: [NaivePath], pulse: PulseShape, taps: Range<Int>, covariance: [[Complex<Double>]]? = nil
  ) throws -> [[Double]] {
    let information = NaiveFisherInformation.matrix(
      at: NaiveFisherInformation.parameters(paths), covariance: covariance,
      mean: NaiveFisherInformation.pathModel(pulse, taps: taps, pathCount: paths.count))
    return try #require(NaiveAlgebra.inverse(information))
  }

  @Test(arguments: shapes, [0.0, 0.2, 0.5, 0.77])
  func onePathMatchesTheNumericalInformation(pulse: PulseShape, fraction: Double) throws {
    let path = NaivePath(delayTaps: 60 + fraction, powerdB: 23, phase: 1.1)
    let exact = try numerical([path], pulse: pulse, taps: 0..<121)[0][0]
    let bound = DelayBound(pulse: pulse).onePathTapsSquared(snr: path.amplitude.lengthSquared)
    // The window cuts tails off; the root-raised cosine's are longest.
    #expect(abs(bound / exact - 1) < 1e-4)
  }

  /// Σ p'² is ∫ω²|P|², by the raised cosine's spectrum (β = ½, T = 2 taps): flat at 2 up to 1/8 cycles a tap, then half
  /// a cosine down to 0 at 3/8.
  @Test func slopeEnergyIsThatOfTheSpectrum() {
    var sum = 0.0
    let steps = 20_000
    for step in 0..<steps {
      let f = 0.375 * (Double(step) + 0.5) / Double(steps)
      let height = f <= 0.125 ? 2 : 1 + Double.cos(.pi * (f - 0.125) / 0.25)
      sum += 2 * (2 * .pi * f) * (2 * .pi * f) * height * height * 0.375 / Double(steps)
    }
    let bound = DelayBound().onePathTapsSquared(snr: 100)
    #expect(abs(bound * 200 * sum - 1) < 1e-5)
    #expect(
      abs(DelayBound().secondsSquared(tapsSquared: bound).squareRoot() / (bound.squareRoot() * UWB.tap) - 1) < 1e-12)
  }

  @Test(arguments: shapes, [0.7, 1.5, 2, 7.3])
  func twoPathsMatchTheNumericalInformation(pulse: PulseShape, separation: Double) throws {
    let bound = DelayBound(pulse: pulse)
    var random = StatisticsRandom(seed: 1101)
    for _ in 0..<2 {
      let first = NaivePath(
        delayTaps: 60 + random.uniform(), powerdB: random.uniform(10...40), phase: random.uniform(0...6))
      let second = NaivePath(
        delayTaps: first.delayTaps + separation, powerdB: random.uniform(0...40), phase: random.uniform(0...6))
      let exact = try numerical([first, second], pulse: pulse, taps: 0..<131)
      let phase = (second.amplitude * first.amplitude.conjugate).phase
      let closed = bound.ofTwoPathsTapsSquared(
        snr: first.amplitude.lengthSquared, separationTaps: separation, relativePhase: phase)
      #expect(abs(closed / exact[0][0] - 1) < 1e-3)
      let later = bound.ofTwoPathsTapsSquared(
        snr: second.amplitude.lengthSquared, separationTaps: -separation, relativePhase: -phase)
      #expect(abs(later / exact[1][1] - 1) < 1e-3)
    }
  }

  @Test(arguments: [0.7, 1.5, 2.0, 5])
  func meanOverPhasesIsTheMean(separation: Double) {
    let bound = DelayBound()
    let steps = 2000
    let mean =
      (0..<steps).reduce(0.0) {
        $0
          + bound.ofTwoPathsTapsSquared(
            snr: 50, separationTaps: separation, relativePhase: 2 * .pi * (Double($1) + 0.5) / Double(steps))
      } / Double(steps)
    #expect(abs(bound.ofTwoPathsTapsSquared(snr: 50, separationTaps: separation) / mean - 1) < 1e-9)
  }

  @Test func pathsFarApartAreAlone() {
    let bound = DelayBound()
    let alone = bound.onePathTapsSquared(snr: 30)
    #expect(abs(bound.ofTwoPathsTapsSquared(snr: 30, separationTaps: 40) / alone - 1) < 1e-4)
    #expect(bound.ofTwoPathsTapsSquared(snr: 30, separationTaps: 2) > alone)
    #expect(bound.ofTwoPathsTapsSquared(snr: 30, separationTaps: 0) == .infinity)
    #expect(bound.ofTwoPathsTapsSquared(snr: 30, separationTaps: 0, relativePhase: 1) == .infinity)
  }

  @Test(arguments: 1...4)
  func pathListsMatchTheNumericalInformation(count: Int) throws {
    var random = StatisticsRandom(seed: UInt64(1110 + count))
    for pulse in Self.shapes + [.dw1000] {
      let paths = (0..<count).map {
        NaivePath(
          delayTaps: 8 + 2.3 * Double($0) + random.uniform(-0.5...0.5), powerdB: random.uniform(10...30),
          phase: random.uniform(0...6))
      }
      let exact = try numerical(paths, pulse: pulse, taps: 0..<24)
      let bound = try #require(
        DelayBound(pulse: pulse).pathsTapsSquared(
          delaysTaps: paths.map(\.delayTaps), amplitudes: paths.map(\.amplitude), taps: 0..<24,
          noise: .white(variance: 1)))
      for row in 0..<count {
        for column in 0..<count {
          let scale = (exact[row][row] * exact[column][column]).squareRoot()
          // The measured pulse's curvature jumps at its samples, where numerical derivatives differ a little.
          let limit = pulse == .dw1000 ? 2e-2 : 1e-6
          #expect(abs(bound[column * count + row] - exact[row][column]) < limit * scale)
        }
      }
    }
  }

  @Test func pathListsAgreeWithTheClosedForms() throws {
    let bound = DelayBound()
    let amplitudes = [Complex(length: 12, phase: 0.3), Complex(length: 5.0, phase: 1.4)]
    let list = try #require(
      bound.pathsTapsSquared(
        delaysTaps: [60.2, 62.3], amplitudes: amplitudes, taps: 0..<124, noise: .white(variance: 0.25)))
    let closed = bound.ofTwoPathsTapsSquared(snr: 144 / 0.25, separationTaps: 2.1, relativePhase: 1.1)
    #expect(abs(list[0] / closed - 1) < 1e-4)
    let one = try #require(
      bound.pathsTapsSquared(
        delaysTaps: [60.2], amplitudes: [Complex(12)], taps: 0..<124, noise: .white(variance: 0.25)))
    #expect(abs(one[0] / bound.onePathTapsSquared(snr: 144 / 0.25) - 1) < 1e-6)
  }

  /// Noise of a complex autocorrelation: the whitened form against the numerical information with C⁻¹.
  @Test(arguments: 1...3)
  func colouredNoiseMatchesTheNumericalInformation(count: Int) throws {
    var random = StatisticsRandom(seed: UInt64(1120 + count))
    let taps = 0..<20
    let autocorrelation = (0..<4).map {
      Complex<Double>(length: Double.pow(0.6, Double($0)), phase: 0.5 * Double($0)) * Complex(2)
    }
    let paths = (0..<count).map {
      NaivePath(delayTaps: 7 + 2.6 * Double($0), powerdB: random.uniform(10...30), phase: random.uniform(0...6))
    }
    let noise = DelayNoise.stationary(autocorrelation: autocorrelation, tapCount: taps.count)
    guard case .covariance(let matrix) = noise else { return }
    let rows = taps.map { row in taps.map { matrix[$0 * taps.count + row] } }
    #expect(rows[3][1] == autocorrelation[2] && rows[1][3] == autocorrelation[2].conjugate)
    let exact = try numerical(paths, pulse: .standard, taps: taps, covariance: rows)
    let bound = try #require(
      DelayBound().pathsTapsSquared(
        delaysTaps: paths.map(\.delayTaps), amplitudes: paths.map(\.amplitude), taps: taps, noise: noise))
    for row in 0..<count {
      #expect(abs(bound[row * count + row] / exact[row][row] - 1) < 1e-6)
    }
  }

  @Test func whiteIsASpecialCaseOfColoured() throws {
    let white = try #require(
      DelayBound().pathsTapsSquared(
        delaysTaps: [9.3, 11], amplitudes: [Complex(3), Complex(2, 1)], taps: 0..<20, noise: .white(variance: 0.7)))
    let coloured = try #require(
      DelayBound().pathsTapsSquared(
        delaysTaps: [9.3, 11], amplitudes: [Complex(3), Complex(2, 1)], taps: 0..<20,
        noise: .stationary(autocorrelation: [Complex(0.7)], tapCount: 20)))
    for (a, b) in zip(white, coloured) { #expect(abs(a / b - 1) < 1e-9) }
  }

  @Test func whatCannotBeToldHasNoBound() {
    let bound = DelayBound()
    let one = Complex<Double>.one
    let white = DelayNoise.white(variance: 1)
    #expect(bound.pathsTapsSquared(delaysTaps: [9, 9], amplitudes: [one, one], taps: 0..<20, noise: white) == nil)
    #expect(bound.pathsTapsSquared(delaysTaps: [9], amplitudes: [.zero], taps: 0..<20, noise: white) == nil)
    #expect(bound.pathsTapsSquared(delaysTaps: [9], amplitudes: [one], taps: 5..<5, noise: white) == nil)
    let negative = DelayNoise.stationary(autocorrelation: [Complex(-1)], tapCount: 20)
    #expect(bound.pathsTapsSquared(delaysTaps: [9], amplitudes: [one], taps: 0..<20, noise: negative) == nil)
  }
}
