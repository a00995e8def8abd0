import TestSupport
import Testing
import UWBDSP

@testable import UWBCalibration

/// A calibration of one board, moved to others of its kind.
@Suite struct BoardTrimTests {
  private static let degree = PhaseManifoldFitTests.degree
  private static let references = [SIMD2(0.0, 0), SIMD2(-30, 0), SIMD2(30, 10), SIMD2(0, -25), SIMD2(10, 30)]

  /// References of another board, and the offsets it has.
  private static func references(
    _ count: Int, _ offsets: [Double], shape: Double, using random: inout StatisticsRandom
  ) -> [PhaseSample] {
    var board = PhaseManifoldFitTests.Board()
    board.offsets = zip(board.offsets, offsets).map { $0 + $1 }
    return references.prefix(count).map { place in
      var sample = board.samples(azimuths: [place.x], elevations: [place.y], repeats: 1, using: &random)[0]
      for index in sample.differences.indices { sample.differences[index] += shape * degree * random.gaussian() }
      return sample
    }
  }

  /// Offsets are found whatever the turns; what is left is stated as the references scatter.
  @Test func offsetsAndWhatIsLeft() throws {
    var random = StatisticsRandom(seed: 2701)
    let grid = PhaseManifoldFitTests.grid
    let fitted = try PhaseManifoldFit()(
      PhaseManifoldFitTests.Board().samples(azimuths: grid, elevations: grid, repeats: 4, using: &random))
    let calibration = AngleCalibration(carriers: fitted.carriers, manifold: fitted.manifold)
    for offsets in [[0.3, -0.2], [3.0, -3.1]] {
      let one = try BoardTrim()(
        calibration, references: Self.references(1, offsets, shape: 0, using: &random))
      #expect(one.directionCount == 1)
      for (found, offset) in zip(one.offsets, offsets) {
        // 2° of noise, and what the manifold itself is off by.
        #expect(abs(Phase.wrapped(found - offset)) < 8 * Self.degree, "\(found) \(offset)")
      }
      // One reference says nothing of the shape: the prior's, and once more for the offset taken from it.
      let variance = try #require(one.calibration.boardVariance)
      #expect(abs(variance - 2 * BoardTrim.shapeVariance) < 1e-9)
    }
    let rough = try BoardTrim()(
      calibration, references: Self.references(5, [0, 0], shape: 25, using: &random))
    let smooth = try BoardTrim()(calibration, references: Self.references(5, [0, 0], shape: 0, using: &random))
    #expect(try #require(rough.calibration.boardVariance) > 4 * (try #require(smooth.calibration.boardVariance)))
    // Trimmed twice is trimmed once.
    let again = try BoardTrim()(
      smooth.calibration, references: Self.references(5, [0, 0], shape: 0, using: &random))
    #expect(again.offsets.allSatisfy { abs($0) < 4 * Self.degree })
  }

  /// Over many boards: errors in stated deviations have a mean square of about 1 (400 angles of 100 boards whose offsets
  /// are shared: ±0.45 is three of their deviations).
  @Test func deviationsAreHonest() throws {
    var random = StatisticsRandom(seed: 2702)
    let grid = PhaseManifoldFitTests.grid
    let fitted = try PhaseManifoldFit()(
      PhaseManifoldFitTests.Board().samples(azimuths: grid, elevations: grid, repeats: 4, using: &random))
    let calibration = AngleCalibration(
      manifold: fitted.manifold, boardVariance: BoardTrim.otherBoardVariance)
    let search = try #require(calibration.search())
    let workspace = search.makeWorkspace()
    var estimate = DirectionEstimate()
    var (sum, count) = (0.0, 0.0)
    let deviation = BoardTrim.otherBoardVariance.squareRoot()
    for _ in 0..<100 {
      var board = PhaseManifoldFitTests.Board()
      board.offsets = board.offsets.map { $0 + deviation * random.gaussian() }
      for sample in board.samples(azimuths: [-25, 5], elevations: [-10, 20], repeats: 1, using: &random) {
        search.estimate(sample.differences, into: &estimate, using: workspace)
        let source = try #require(estimate.sources.first)
        let error = try #require(source.azimuth) - sample.azimuth
        let stated = try #require(source.azimuthDeviation)
        sum += min(error * error / (stated * stated), 9)
        count += 1
      }
    }
    #expect(abs(sum / count - 1) < 0.45, "\(sum / count)")
  }

  @Test func refusals() throws {
    #expect(throws: BoardTrim.Failure.noManifold) {
      try BoardTrim()(AngleCalibration(), references: [])
    }
    let axis = PhaseManifold.Axis(start: -0.5, step: 0.5, count: 3)
    let nodes = [Double](repeating: 0, count: 9)
    let channel = PhaseManifold.Channel(phases: nodes, variances: nodes.map { _ in 0.01 })
    let calibration = AngleCalibration(
      manifold: PhaseManifold(azimuth: axis, elevation: axis, channels: [channel, channel]))
    #expect(throws: BoardTrim.Failure.noReference) { try BoardTrim()(calibration, references: []) }
    #expect(throws: BoardTrim.Failure.otherChannels(found: 1, expected: 2)) {
      try BoardTrim()(calibration, references: [PhaseSample(azimuth: 0, elevation: 0, differences: [1])])
    }
    #expect(throws: BoardTrim.Failure.outside(azimuth: 0.7, elevation: 0)) {
      try BoardTrim()(calibration, references: [PhaseSample(azimuth: 0.7, elevation: 0, differences: [1, 1])])
    }
  }
}
