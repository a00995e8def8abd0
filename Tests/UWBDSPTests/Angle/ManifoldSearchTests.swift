import Foundation
import TestSupport
import Testing
import UWBDSP

@Suite struct ManifoldSearchTests {
  @Test("half a wavelength and 30° to the right are +90°, and back")
  func handWorked() throws {
    let search = ManifoldSearch(manifold: IdealBoard.manifold(IdealBoard.lShape))
    var estimate = DirectionEstimate()
    search.estimate([.pi / 2, 0], into: &estimate, using: search.makeWorkspace())
    let source = try #require(estimate.sources.first)
    #expect(estimate.status == .ok && estimate.alternatives.isEmpty)
    #expect(abs(try #require(source.azimuth) - 30 * IdealBoard.degree) < 0.1 * IdealBoard.degree)
    #expect(abs(try #require(source.elevation)) < 0.1 * IdealBoard.degree)
    // 3° of phase against 180°·cos 30° a radian, and half a step of the grid.
    let expected = (pow(3 / (180 * cos(Double.pi / 6)), 2) + IdealBoard.degree * IdealBoard.degree / 12).squareRoot()
    #expect(abs(try #require(source.azimuthDeviation) / expected - 1) < 0.1)
    #expect(source.direction.x > 0 && source.direction.z < 0)
    search.estimate([0, .pi / 2], into: &estimate, using: search.makeWorkspace())
    #expect(abs(try #require(estimate.sources.first?.elevation) - 30 * IdealBoard.degree) < 0.1 * IdealBoard.degree)
  }

  @Test("noisy phases: errors as large as stated, with whole turns added and a used workspace")
  func consistency() throws {
    var random = StatisticsRandom(seed: 11)
    let search = ManifoldSearch(manifold: IdealBoard.manifold(IdealBoard.lShape))
    let workspace = search.makeWorkspace()
    var estimate = DirectionEstimate()
    let trials = 600
    var sums = SIMD2<Double>()
    for trial in 0..<trials {
      let azimuth = (random.uniform() - 0.5) * 80 * IdealBoard.degree
      let elevation = (random.uniform() - 0.5) * 80 * IdealBoard.degree
      let differences = IdealBoard.lShape.map {
        IdealBoard.phase($0, azimuth, elevation) + 3 * IdealBoard.degree * random.gaussian() + 2 * .pi
          * Double(trial % 5 - 2)
      }
      search.estimate(differences, into: &estimate, using: workspace)
      let source = try #require(estimate.sources.first)
      let x = try #require(source.azimuth) - azimuth
      let y = try #require(source.elevation) - elevation
      sums += SIMD2(
        pow(x / (try #require(source.azimuthDeviation)), 2), pow(y / (try #require(source.elevationDeviation)), 2))
      if trial % 100 == 0 {
        var fresh = DirectionEstimate()
        search.estimate(differences, into: &fresh, using: search.makeWorkspace())
        #expect(fresh == estimate)
      }
    }
    // The variance of a mean of n squared normals is 2/n: four deviations, and the cells' own share of the variance.
    let reach = 4 * (2 / Double(trials)).squareRoot() + 0.15
    #expect(abs(sums.x / Double(trials) - 1) < reach, "seed 11: \(sums / Double(trials))")
    #expect(abs(sums.y / Double(trials) - 1) < reach, "seed 11: \(sums / Double(trials))")
  }

  @Test("antennas a wavelength apart have twins, and both are told")
  func twins() throws {
    let search = ManifoldSearch(manifold: IdealBoard.manifold([SIMD2(1, 0), SIMD2(0, 0.5)]))
    var estimate = DirectionEstimate()
    // sin 40° and sin 40° − 1 differ by a turn.
    let azimuth = 40 * IdealBoard.degree
    search.estimate([IdealBoard.phase(SIMD2(1, 0), azimuth, 0), 0], into: &estimate, using: search.makeWorkspace())
    #expect(estimate.status == .ambiguous)
    let found = try [#require(estimate.sources.first?.azimuth), #require(estimate.alternatives.first?.azimuth)].sorted()
    #expect(abs(found[1] - azimuth) < 0.3 * IdealBoard.degree)
    #expect(abs(found[0] - asin(sin(azimuth) - 1)) < 0.3 * IdealBoard.degree)
    #expect(estimate.alternatives.first?.azimuthDeviation != nil)
  }

  @Test("against the misfit written out over every cell")
  func naive() throws {
    var random = StatisticsRandom(seed: 12)
    let manifold = IdealBoard.manifold([SIMD2(0.7, 0.1), SIMD2(-0.1, 0.6)], azimuth: 45, elevation: 30, step: 5)
    let search = ManifoldSearch(manifold: manifold)
    let workspace = search.makeWorkspace()
    var estimate = DirectionEstimate()
    for _ in 0..<8 {
      let differences = [random.gaussian() * 2, random.gaussian() * 2]
      search.estimate(differences, into: &estimate, using: workspace)
      var cells: [(azimuth: Double, elevation: Double, misfit: Double)] = []
      for row in 0...60 {
        for column in 0...90 {
          let (azimuth, elevation) = (Double(column - 45) * IdealBoard.degree, Double(row - 30) * IdealBoard.degree)
          var misfit = 0.0
          for channel in 0..<2 {
            let (phase, variance) = manifold.response(channel: channel, azimuth: azimuth, elevation: elevation)
            let away = atan2(sin(differences[channel] - phase), cos(differences[channel] - phase))
            misfit += 0.5 * away * away / variance + 0.5 * log(variance)
          }
          cells.append((azimuth, elevation, misfit))
        }
      }
      let best = try #require(cells.min { $0.misfit < $1.misfit })
      var (weights, x, y) = (0.0, 0.0, 0.0)
      for cell in cells
      where hypot(cell.azimuth - best.azimuth, cell.elevation - best.elevation) <= 12 * IdealBoard.degree + 1e-9 {
        let weight = exp(best.misfit - cell.misfit)
        weights += weight
        x += weight * cell.azimuth
        y += weight * cell.elevation
      }
      let source = try #require(estimate.sources.first)
      #expect(abs(try #require(source.azimuth) - x / weights) < 1e-3 * IdealBoard.degree)
      #expect(abs(try #require(source.elevation) - y / weights) < 1e-3 * IdealBoard.degree)
    }
  }

  @Test("phases that only a direction beyond the table explains say so")
  func outside() {
    let search = ManifoldSearch(manifold: IdealBoard.manifold(IdealBoard.lShape, azimuth: 30, elevation: 30))
    var estimate = DirectionEstimate()
    search.estimate(
      IdealBoard.lShape.map { IdealBoard.phase($0, 55 * IdealBoard.degree, 0) }, into: &estimate,
      using: search.makeWorkspace())
    #expect(estimate.status == .outsideFieldOfView)
    #expect(abs((estimate.sources.first?.azimuth ?? 0) - 30 * IdealBoard.degree) < 2 * IdealBoard.degree)
  }

  @Test(arguments: [[Double.nan, 0], [0, Double.infinity], [1e300, 0]])
  func phasesThatAreNone(_ differences: [Double]) {
    let search = ManifoldSearch(manifold: IdealBoard.manifold(IdealBoard.lShape, step: 10))
    var estimate = DirectionEstimate()
    search.estimate(differences, into: &estimate, using: search.makeWorkspace())
    #expect(estimate.status == .unusable && estimate.sources.isEmpty)
  }

  @Test("a table of one elevation tells azimuth alone")
  func oneElevation() throws {
    var manifold = IdealBoard.manifold([SIMD2(0.5, 0)], elevation: 0)
    manifold.elevation = PhaseManifold.Axis(start: 0, step: 0, count: 1)
    #expect(manifold.isValid)
    let search = ManifoldSearch(manifold: manifold)
    var estimate = DirectionEstimate()
    search.estimate([-.pi / 2], into: &estimate, using: search.makeWorkspace())
    let source = try #require(estimate.sources.first)
    #expect(abs(try #require(source.azimuth) + 30 * IdealBoard.degree) < 0.1 * IdealBoard.degree)
    #expect(source.elevation == nil && source.elevationDeviation == nil)
  }
}

@Suite struct PhaseManifoldTests {
  @Test("exact at the nodes, and everywhere for a plane")
  func interpolation() {
    var random = StatisticsRandom(seed: 5)
    let axes = (
      PhaseManifold.Axis(start: -1, step: 0.25, count: 9), PhaseManifold.Axis(start: -0.5, step: 0.2, count: 6)
    )
    var plane = PhaseManifold.Channel(phases: [], variances: [])
    var rough = plane
    for row in 0..<6 {
      for column in 0..<9 {
        plane.phases.append(0.3 + 1.2 * (-1 + 0.25 * Double(column)) - 0.7 * (-0.5 + 0.2 * Double(row)))
        rough.phases.append(random.gaussian())
        plane.variances.append(0.01)
        rough.variances.append(0.01 + random.uniform())
      }
    }
    let manifold = PhaseManifold(azimuth: axes.0, elevation: axes.1, channels: [plane, rough])
    #expect(manifold.isValid)
    for _ in 0..<200 {
      let (x, y) = (-1 + 2 * random.uniform(), -0.5 + random.uniform())
      #expect(abs(manifold.response(channel: 0, azimuth: x, elevation: y).phase - (0.3 + 1.2 * x - 0.7 * y)) < 1e-12)
    }
    for row in 0..<6 {
      for column in 0..<9 {
        let response = manifold.response(
          channel: 1, azimuth: -1 + 0.25 * Double(column), elevation: -0.5 + 0.2 * Double(row))
        #expect(abs(response.phase - rough.phases[row * 9 + column]) < 1e-12)
        #expect(abs(response.variance - rough.variances[row * 9 + column]) < 1e-12)
      }
    }
  }

  @Test("tables that make no sense are told from those that do")
  func validity() {
    let good = IdealBoard.manifold(IdealBoard.lShape, step: 10)
    #expect(good.isValid)
    var bad = good
    bad.channels[0].phases.removeLast()
    #expect(!bad.isValid)
    bad = good
    bad.channels[1].variances[3] = 0
    #expect(!bad.isValid)
    bad = good
    bad.azimuth.step = .nan
    #expect(!bad.isValid)
    bad = good
    bad.channels = []
    #expect(!bad.isValid)
  }
}
