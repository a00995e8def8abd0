import Foundation
import Numerics
import TestSupport
import Testing
import UWBCalibration
import UWBDSP

/// Arrays made up: gains, phases, coupling and stretched positions that are known.
@Suite struct AntennaFitTests {
  private static let degree = Double.pi / 180
  private static let carrier = 7.9872e9
  private static let half = UWB.speedOfLightInAir / carrier / 2

  static func square() -> AntennaArray {
    AntennaArray(
      positions: [SIMD3(0, 0, 0), SIMD3(half, 0, 0), SIMD3(0, half, 0), SIMD3(half, half, 0)], carrier: carrier)
  }

  /// C by rows: gains on the diagonal, and `coupling` between neighbours.
  static func response(coupling: Double) -> [Complex<Double>] {
    let gains = [
      Complex(length: 1, phase: 0), Complex(length: 1.3, phase: 0.7), Complex(length: 0.8, phase: -1.1),
      Complex(length: 0.9, phase: 2.5),
    ]
    return (0..<16).map { index in
      let (row, column) = (index / 4, index % 4)
      if row == column { return gains[row] }
      return Complex(length: coupling, phase: 1.3 * Double(row) - 0.4 * Double(column))
    }
  }

  static func snapshots(
    _ count: Int, _ response: [Complex<Double>], spacing: Double = 1, noise: Double,
    using random: inout StatisticsRandom
  ) -> [AntennaSnapshot] {
    let array = square()
    let wavenumber = 2 * Double.pi / array.wavelength
    return (0..<count).map { _ in
      let azimuth = random.uniform(-50 * degree...50 * degree)
      let elevation = random.uniform(-50 * degree...50 * degree)
      let direction = Direction.unitVector(azimuth: azimuth, elevation: elevation)
      let wave = array.positions.map { place in
        Complex(length: 1, phase: wavenumber * spacing * (place * direction).sum())
      }
      let common = Complex(length: random.uniform(0.5...2), phase: random.uniform(-3...3))
      let amplitudes = (0..<4).map { row in
        (0..<4).reduce(Complex<Double>.zero) { $0 + response[4 * row + $1] * wave[$1] } * common
          + random.complexGaussian(variance: noise * noise)
      }
      return AntennaSnapshot(azimuth: azimuth, elevation: elevation, amplitudes: amplitudes)
    }
  }

  private static func rms(_ snapshots: [AntennaSnapshot], _ estimates: [PhaseFit.Estimate?]) throws -> Double {
    var sum = 0.0
    for (snapshot, estimate) in zip(snapshots, estimates) {
      let found = try #require(estimate)
      sum += pow(try #require(found.azimuth) - snapshot.azimuth, 2)
      sum += pow(try #require(found.elevation) - snapshot.elevation, 2)
    }
    return (sum / Double(2 * snapshots.count)).squareRoot() / degree
  }

  @Test("without noise, gains and phases come back, and the correction undoes them")
  func gains() throws {
    var random = StatisticsRandom(seed: 51)
    let response = Self.response(coupling: 0)
    let snapshots = Self.snapshots(60, response, noise: 0, using: &random)
    let found = try #require(AntennaFit(array: Self.square())(snapshots, model: .gains))
    let scale = found.gains[0].length
    for (gain, index) in zip(found.gains, [0, 5, 10, 15]) {
      #expect((gain / Complex(scale) - response[index]).length < 1e-3)
    }
    #expect(found.residual < 1e-3 && abs(found.spacing.x - 1) < 1e-3 && abs(found.spacing.y - 1) < 1e-3)
    var amplitudes = snapshots[7].amplitudes
    found.calibration.correct(&amplitudes)
    let wavenumber = 2 * Double.pi / Self.square().wavelength
    let direction = Direction.unitVector(azimuth: snapshots[7].azimuth, elevation: snapshots[7].elevation)
    for (antenna, place) in Self.square().positions.enumerated() {
      let expected = Complex(length: 1, phase: wavenumber * (place * direction).sum())
      let ratio = amplitudes[antenna] / amplitudes[0]
      #expect((ratio - expected).length < 5e-3)
    }
  }

  @Test("stretched positions are found")
  func spacing() throws {
    var random = StatisticsRandom(seed: 52)
    let snapshots = Self.snapshots(200, Self.response(coupling: 0), spacing: 0.9, noise: 0.02, using: &random)
    let found = try #require(AntennaFit(array: Self.square())(snapshots, model: .gains))
    #expect(abs(found.spacing.x - 0.9) < 0.01 && abs(found.spacing.y - 0.9) < 0.01, "seed 52: \(found.spacing)")
    #expect(abs(found.calibration.positions[1].x - 0.9 * Self.half) < 0.01 * Self.half)
  }

  @Test("coupling is chosen where it is there, and errors on held-out directions fall to the noise's")
  func coupling() throws {
    var random = StatisticsRandom(seed: 53)
    let fit = AntennaFit(array: Self.square())
    let coupled = Self.snapshots(300, Self.response(coupling: 0.2), noise: 0.02, using: &random)
    let result = try #require(AntennaCrossValidation(fit: fit)(coupled))
    #expect(result.model == .coupling)
    let (before, after) = try (Self.rms(coupled, result.before), Self.rms(coupled, result.after))
    // 0.02 on an amplitude of about 1 is 0.014 rad of phase, over three antennas' worth of baseline: below half a degree.
    #expect(before > 5 && after < 1, "seed 53: \(before)°, \(after)°")

    let plain = Self.snapshots(300, Self.response(coupling: 0), noise: 0.02, using: &random)
    let checked = try #require(AntennaCrossValidation(fit: fit)(plain))
    #expect(checked.model == .gains)
    #expect(try Self.rms(plain, checked.after) < 1)
  }

  @Test("an array that is as it was given is left alone, and nothing is lost")
  func ideal() throws {
    let fit = AntennaFit(array: Self.square())
    let unity = (0..<16).map { $0 / 4 == $0 % 4 ? Complex<Double>.one : .zero }
    var left = 0
    for seed in 561..<581 as Range<UInt64> {
      var random = StatisticsRandom(seed: seed)
      let snapshots = Self.snapshots(60, unity, noise: 0.2, using: &random)
      let result = try #require(AntennaCrossValidation(fit: fit)(snapshots))
      if result.model == .none { left += 1 }
      let (before, after) = try (Self.rms(snapshots, result.before), Self.rms(snapshots, result.after))
      #expect(after <= 1.02 * before, "seed \(seed): \(before)°, \(after)°")
    }
    #expect(left >= 16, "\(left)")
    var random = StatisticsRandom(seed: 56)
    let clean = try #require(fit(Self.snapshots(60, unity, noise: 0, using: &random), model: .none))
    #expect(clean.residual < 1e-6)
    #expect(clean.calibration.positions == Self.square().positions)
  }

  @Test("too little to fit, amplitudes that are none, and files that make no sense")
  func unusable() {
    var random = StatisticsRandom(seed: 54)
    let fit = AntennaFit(array: Self.square())
    let few = Self.snapshots(5, Self.response(coupling: 0), noise: 0, using: &random)
    #expect(fit(few, model: .gains) == nil)
    let none = (0..<50).map { _ in
      AntennaSnapshot(azimuth: 0, elevation: 0, amplitudes: Array(repeating: Complex<Double>.zero, count: 4))
    }
    #expect(fit(none, model: .coupling) == nil)
    #expect(AntennaCrossValidation(fit: fit)(none) == nil)
    #expect(!AntennaCalibration(positions: Self.square().positions, correction: [1, 0]).isValid)
    #expect(!AntennaCalibration(positions: [SIMD3(0, 0, 0)], correction: [1, 0]).isValid)
  }

  @Test("the engine applies it: a row with a turned antenna points right again")
  func engine() throws {
    var random = StatisticsRandom(seed: 55)
    let array = AntennaArray(
      positions: [SIMD3(0, 0, 0), SIMD3(Self.half, 0, 0), SIMD3(0, Self.half, 0)], carrier: Self.carrier)
    var maker = ExchangeMaker()
    maker.array = array
    let exchange = maker.make(using: &random)
    let plain = RangingEngine(.init(profile: .ideal, array: array))
    let reference = plain.measure(exchange, using: plain.makeWorkspace(antennaCount: 3))
    // A quarter turn on antenna 1 by the calibration alone moves the direction by what 90° of phase are.
    let turn = AntennaCalibration(
      positions: array.positions, correction: [1, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 1, 0])
    var calibration = Calibration()
    calibration.angle = AngleCalibration(antennas: turn)
    let turned = RangingEngine(.init(profile: .ideal, array: array, calibration: calibration))
    let found = turned.measure(exchange, using: turned.makeWorkspace(antennaCount: 3))
    let before = try #require(reference.direction)
    let after = try #require(found.direction)
    #expect(abs(before.x - after.x - 0.5) < 0.02 && abs(before.y - after.y) < 0.02)
    let amplitudes = try #require(plain.firstPathAmplitudes(of: exchange, using: plain.makeWorkspace(antennaCount: 3)))
    #expect(amplitudes.count == 3 && amplitudes.allSatisfy { abs($0.length - 1) < 0.2 })
  }
}
