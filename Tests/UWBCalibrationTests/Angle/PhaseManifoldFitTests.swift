import Foundation
import TestSupport
import Testing
import UWBDSP

@testable import UWBCalibration

/// Boards made up: ideal pairs, a smooth ripple as mutual coupling makes it, offsets, noise.
@Suite struct PhaseManifoldFitTests {
  static let degree = Double.pi / 180

  struct Board {
    var pairs = [SIMD2(-0.42, 0.02), SIMD2(-0.1, 0.4)]
    var offsets = [-0.1, 0.4]
    var ripple = 0.25
    var noise = 2.0

    func phase(_ pair: Int, _ azimuth: Double, _ elevation: Double) -> Double {
      offsets[pair] + IdealBoard.phase(pairs[pair], azimuth, elevation)
        + ripple * sin(2.1 * azimuth + 1.3 * elevation + Double(pair)) * cos(1.5 * elevation - 0.4)
    }

    func samples(
      azimuths: [Double], elevations: [Double], repeats: Int, using random: inout StatisticsRandom
    ) -> [PhaseSample] {
      var samples: [PhaseSample] = []
      for elevation in elevations {
        for azimuth in azimuths {
          for _ in 0..<repeats {
            let (x, y) = (azimuth * degree, elevation * degree)
            samples.append(
              PhaseSample(
                azimuth: x, elevation: y,
                differences: pairs.indices.map { phase($0, x, y) + noise * degree * random.gaussian() }))
          }
        }
      }
      return samples
    }
  }

  static let grid = Array(stride(from: -60.0, through: 60, by: 20))

  /// Held-out rms errors, degrees.
  static func errors(_ samples: [PhaseSample]) throws -> (azimuth: Double, elevation: Double, answered: Int) {
    let heldOut = try PhaseCrossValidation()(samples)
    #expect(heldOut.map(\.index) == Array(samples.indices))
    var sums = SIMD2<Double>()
    var answered = 0
    for answer in heldOut {
      guard let azimuth = answer.source?.azimuth, let elevation = answer.source?.elevation else { continue }
      let truth = samples[answer.index]
      guard abs(truth.azimuth) <= 45 * degree, abs(truth.elevation) <= 45 * degree else { continue }
      answered += 1
      sums += SIMD2(pow(azimuth - truth.azimuth, 2), pow(elevation - truth.elevation, 2))
    }
    let means = (sums / Double(max(answered, 1)))
    return (means.x.squareRoot() / degree, means.y.squareRoot() / degree, answered)
  }

  @Test(
    "a rippled board: carriers found, held-out directions near their noise, signs either way round",
    arguments: [1.0, -1])
  func rippled(sign: Double) throws {
    var random = StatisticsRandom(seed: 31)
    var board = Board()
    board.pairs[0] *= sign
    let samples = board.samples(azimuths: Self.grid, elevations: Self.grid, repeats: 4, using: &random)
    let fitted = try PhaseManifoldFit()(samples)
    #expect(fitted.pointCount == 49 && fitted.manifold.isValid)
    // The ripple tilts the carrier by a little; it can't hide its sign or size.
    #expect(abs(fitted.carriers[0].right / (2 * .pi) - board.pairs[0].x) < 0.1)
    #expect(abs(fitted.carriers[1].up / (2 * .pi) - board.pairs[1].y) < 0.1)
    // 2° of phase against 144° a radian is 0.8°; the rest is the ripple between points 28° apart.
    let errors = try Self.errors(samples)
    #expect(errors.answered > 80)
    #expect(errors.azimuth < 3 && errors.elevation < 3, "seed 31: \(errors)")
    // A manifold follows the ripple where the plain carriers can't.
    for (azimuth, elevation) in [(10.0, -5.0), (-33, 20), (41, -28)] {
      let (x, y) = (azimuth * Self.degree, elevation * Self.degree)
      for pair in 0..<2 {
        let away = fitted.manifold.response(channel: pair, azimuth: x, elevation: y).phase - board.phase(pair, x, y)
        #expect(abs(Phase.wrapped(away)) < 5 * Self.degree, "seed 31, pair \(pair) at \(azimuth), \(elevation)")
      }
    }
  }

  @Test("one repeat a point, missing points and uneven steps are enough")
  func sparse() throws {
    var random = StatisticsRandom(seed: 32)
    let steps = [-55.0, -42, -30, -14, 0, 9, 22, 37, 50]
    let samples = Board().samples(azimuths: steps, elevations: Array(steps.dropFirst()), repeats: 1, using: &random)
      .enumerated().filter { $0.offset % 7 != 3 }.map(\.element)
    let errors = try Self.errors(samples)
    #expect(errors.azimuth < 3 && errors.elevation < 4, "seed 32: \(errors)")
  }

  @Test("the same samples give the same calibration")
  func determinism() throws {
    var random = StatisticsRandom(seed: 33)
    let samples = Board().samples(
      azimuths: [-40, -20, 0, 20, 40], elevations: [-20, 0, 20], repeats: 2, using: &random)
    #expect(try PhaseManifoldFit()(samples) == PhaseManifoldFit()(samples))
  }

  @Test("one pair on one elevation: azimuth alone")
  func row() throws {
    var random = StatisticsRandom(seed: 34)
    var board = Board()
    board.pairs.removeLast()
    let samples = board.samples(
      azimuths: Array(stride(from: -60, through: 60, by: 10)), elevations: [0], repeats: 3, using: &random)
    let fitted = try PhaseManifoldFit()(samples)
    #expect(fitted.manifold.elevation.count == 1)
    let heldOut = try PhaseCrossValidation()(samples)
    let errors = try heldOut.map { abs(try #require($0.source?.azimuth) - samples[$0.index].azimuth) / Self.degree }
    #expect(errors.sorted()[errors.count / 2] < 2, "seed 34")
    #expect(heldOut.allSatisfy { $0.source?.elevation == nil })
  }

  @Test func tooFew() {
    let one = PhaseSample(azimuth: 0, elevation: 0, differences: [0, 0])
    #expect(throws: PhaseManifoldFit.Failure.tooFewDirections(found: 0, needed: 5)) { try PhaseManifoldFit()([]) }
    #expect(throws: PhaseManifoldFit.Failure.tooFewDirections(found: 1, needed: 5)) {
      try PhaseManifoldFit()([one, one])
    }
    #expect(throws: PhaseManifoldFit.Failure.unevenSamples) {
      try PhaseManifoldFit()([one, PhaseSample(azimuth: 0.1, elevation: 0, differences: [0])])
    }
  }

  @Test("a turntable that never stops is joined in cells")
  func continuous() throws {
    var random = StatisticsRandom(seed: 35)
    let board = Board()
    let samples = (0..<3000).map { _ in
      let (x, y) = ((random.uniform() - 0.5) * 2, (random.uniform() - 0.5) * 2)
      return PhaseSample(azimuth: x, elevation: y, differences: (0..<2).map { board.phase($0, x, y) })
    }
    let points = PhasePoints(samples, channels: 2)
    #expect(points.count <= PhasePoints.most && points.count > PhasePoints.most / 5)
    #expect(points.counts.reduce(0, +) == 3000)
  }

  @Test("the checkerboard splits grid points, both ways round, and its own halves again")
  func checkerboard() {
    var random = StatisticsRandom(seed: 36)
    let samples = Board().samples(azimuths: Self.grid, elevations: Self.grid, repeats: 2, using: &random)
    let halves = PhaseCrossValidation.checkerboard(samples)
    for (index, half) in halves.enumerated() {
      let point = index / 2
      #expect(half == (point % 7 + point / 7) % 2)
    }
    for half in 0...1 {
      let kept = samples.indices.filter { halves[$0] == half }.map { samples[$0] }
      let again = PhaseCrossValidation.checkerboard(kept)
      let share = Double(again.reduce(0, +)) / Double(again.count)
      #expect(share > 1.0 / 3 - 0.02 && share < 2.0 / 3 + 0.02)
    }
  }

  @Test("deviations are scaled by what two thirds of the errors are")
  func deviationScale() {
    let samples = (0..<100).map { _ in PhaseSample(azimuth: 0, elevation: 0, differences: [0]) }
    let heldOut = (0..<100).map { index in
      PhaseCrossValidation.HeldOut(
        index: index, half: 0, status: .ok,
        source: SourceDirection(
          direction: SIMD3(0, 0, -1), azimuth: Double(index) / 100, azimuthDeviation: 0.4, elevation: 0.001,
          elevationDeviation: 1))
    }
    let scale = PhaseCrossValidation.deviationScale(heldOut, samples)
    #expect(abs(scale.x - 0.67 / 0.4) < 1e-9)
    #expect(scale.y == 1)
  }

  @Test("a carrier is found whatever its sign, spacing and offset")
  func carriers() {
    var random = StatisticsRandom(seed: 37)
    for _ in 0..<10 {
      let truth = LinearCarrier(
        offset: (random.uniform() - 0.5) * 6, right: (random.uniform() - 0.5) * 11, up: (random.uniform() - 0.5) * 11)
      var azimuths: [Double] = []
      var elevations: [Double] = []
      for elevation in stride(from: -60.0, through: 60, by: 15) {
        for azimuth in stride(from: -60.0, through: 60, by: 15) {
          azimuths.append(azimuth * Self.degree)
          elevations.append(elevation * Self.degree)
        }
      }
      let phases = azimuths.indices.map {
        Phase.wrapped(truth.phase(azimuth: azimuths[$0], elevation: elevations[$0]) + 0.05 * random.gaussian())
      }
      let found = LinearCarrier(azimuths: azimuths, elevations: elevations, phases: phases)
      #expect(abs(found.right - truth.right) < 0.1 && abs(found.up - truth.up) < 0.1, "seed 37: \(found), \(truth)")
      #expect(abs(Phase.wrapped(found.offset - truth.offset)) < 0.1)
    }
  }
}

@Suite struct PositiveDefiniteTests {
  @Test("factor, determinant, whitening and inverse of a matrix worked by hand")
  func handWorked() {
    // [[4, 2], [2, 5]]: L = [[2, 0], [1, 2]], determinant 16, inverse [[5, −2], [−2, 4]]/16.
    let matrix = PositiveDefinite(order: 2)
    for (index, value) in [4.0, 2, 2, 5].enumerated() { matrix.matrix.pointer[index] = value }
    #expect(matrix.factorise())
    #expect(abs(matrix.halfLogDeterminant - 0.5 * log(16)) < 1e-14)
    var side = [2.0, 5]
    side.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { matrix.whiten(base, count: 1) } }
    #expect(side == [1, 2])
    #expect(matrix.invert())
    let product = matrix.product([16, 0])
    #expect(abs(product[0] - 5) < 1e-13 && abs(product[1] + 2) < 1e-13)
  }

  @Test func indefinite() {
    let matrix = PositiveDefinite(order: 2)
    for (index, value) in [1.0, 2, 2, 1].enumerated() { matrix.matrix.pointer[index] = value }
    #expect(!matrix.factorise())
  }
}

@Suite struct NelderMeadTests {
  @Test("the minimum of Rosenbrock's valley, and of a bowl in five variables")
  func minima() {
    let valley = NelderMead(mostCalls: 2000, tolerance: 1e-14).minimum(from: [-1.2, 1], step: 0.5) {
      100 * pow($0[1] - $0[0] * $0[0], 2) + pow(1 - $0[0], 2)
    }
    #expect(abs(valley.point[0] - 1) < 1e-4 && abs(valley.point[1] - 1) < 1e-4)
    let bowl = NelderMead(mostCalls: 4000, tolerance: 1e-14).minimum(from: [1, 2, 3, 4, 5], step: 0.7) { point in
      point.enumerated().reduce(2) { $0 + Double($1.offset + 1) * pow($1.element - Double($1.offset), 2) }
    }
    for (index, value) in bowl.point.enumerated() { #expect(abs(value - Double(index)) < 1e-3) }
    #expect(abs(bowl.value - 2) < 1e-6)
  }
}
