import Numerics
import TestSupport
import Testing
import UWBBaselines

@testable import UWBDSP

/// What every angle estimator over snapshots owes: one suite for all of them.
@Suite struct DirectionEstimatorTests {
  static let carrier = 7.9872e9
  static let half = UWB.speedOfLightInAir / carrier / 2

  static let row = AntennaArray.linear(count: 6, spacing: half, carrier: carrier)
  static let pair = AntennaArray.linear(count: 2, spacing: half, carrier: carrier)
  static let corner = AntennaArray.cornered(spacing: half, carrier: carrier)
  static let square = AntennaArray.rectangular(
    columns: 2, rows: 2, spacing: SIMD2(repeating: half), carrier: carrier)
  static let solid = AntennaArray(
    positions: [
      SIMD3(), SIMD3(half, 0, 0), SIMD3(0, half, 0), SIMD3(0, 0, half), SIMD3(0.7 * half, 0.6 * half, -0.5 * half),
    ], carrier: carrier, gains: [.one, Complex(0, 1), Complex(1.3), .one, Complex(-0.8, 0.2)])

  /// An estimator over an array that suits it.
  struct Case: Sendable, CustomTestStringConvertible {
    var method: DirectionMethod
    var name: String
    var array: AntennaArray
    var testDescription: String { "\(method.rawValue) over \(name)" }

    func estimator(sources: Int = 1) throws -> any DirectionEstimator {
      try #require(method.estimator(for: array, options: DirectionOptions(sources: .known(sources))))
    }
  }

  static let all: [Case] = [("row", row), ("pair", pair), ("corner", corner), ("square", square), ("solid", solid)]
    .flatMap { name, array in
      DirectionMethod.allCases.compactMap { method in
        method.estimator(for: array, options: .init()) == nil ? nil : Case(method: method, name: name, array: array)
      }
    }

  /// Snapshots of sources at `angles` (azimuth, elevation): unit powers, Gaussian where there are many, in noise.
  static func snapshots(
    _ array: AntennaArray, _ angles: [SIMD2<Double>], count: Int, snrdB: Double?, isCoherent: Bool = false,
    using random: inout StatisticsRandom
  ) -> Snapshots {
    let waves = angles.map { array.response(to: Direction.unitVector(azimuth: $0.x, elevation: $0.y)) }
    let noise = snrdB.map { Double.pow(10, -$0 / 10) } ?? 0
    var result = Snapshots(
      antennaCount: array.positions.count, snapshotCount: count, noiseVariance: count == 1 && noise > 0 ? noise : nil)
    let phases = angles.map { _ in Complex<Double>(length: 1, phase: random.uniform(-3...3)) }
    for t in 0..<count {
      let shared = random.complexGaussian()
      let values = angles.indices.map { index in
        count == 1 ? phases[index] : isCoherent ? shared * phases[index] : random.complexGaussian()
      }
      for antenna in array.positions.indices {
        var value = noise > 0 ? random.complexGaussian(variance: noise) : .zero
        for (source, wave) in waves.enumerated() { value += values[source] * wave[antenna] }
        result[antenna, t] = value
      }
    }
    return result
  }

  private static func run<E: DirectionEstimator>(_ estimator: E, _ count: Int) -> (Snapshots) -> DirectionEstimate {
    let workspace = estimator.makeWorkspace(snapshotCount: count)
    return { snapshots in
      var result = DirectionEstimate()
      estimator.estimate(snapshots, into: &result, using: workspace)
      return result
    }
  }

  // MARK: Signs and axes

  /// A peer 30° to the right and, where the array can tell, 20° up; without noise.
  @Test(arguments: all) func rightIsPositiveAndUpIsPositive(test: Case) throws {
    var random = StatisticsRandom(seed: 4501)
    let isRow = test.name == "row" || test.name == "pair"
    let truth = SIMD2(Double.pi / 6, isRow ? 0 : Double.pi / 9)
    let run = try Self.run(test.estimator(), 8)
    for count in [1, 8] {
      let found = run(Self.snapshots(test.array, [truth], count: count, snrdB: nil, using: &random))
      let source = try #require(found.sources.first)
      #expect(found.status == .ok)
      #expect(abs((source.azimuth ?? .nan) - truth.x) < 1e-6)
      let wanted = Direction.unitVector(azimuth: truth.x, elevation: truth.y)
      let apart = source.direction - wanted
      #expect((apart * apart).sum().squareRoot() < 1e-6)
      if isRow {
        #expect(source.elevation == nil && source.elevationDeviation == nil)
      } else {
        #expect(abs((source.elevation ?? .nan) - truth.y) < 1e-6)
      }
    }
  }

  /// Elevation raises a row's cone: cos is sin(azimuth)·cos(elevation), and that is what a row reports as its azimuth.
  @Test func aRowMeasuresTheAngleToItsAxis() throws {
    var random = StatisticsRandom(seed: 4502)
    for method in [DirectionMethod.music, .rootMUSIC, .esprit, .bartlett, .phaseFit] {
      let estimator = try #require(method.estimator(for: Self.row, options: .init()))
      let found = estimator.estimate(
        Self.snapshots(Self.row, [SIMD2(0.5, 0.4)], count: 1, snrdB: nil, using: &random))
      #expect(abs((found.sources.first?.azimuth ?? .nan) - Double.asin(Double.sin(0.5) * Double.cos(0.4))) < 1e-6)
    }
  }

  /// From behind (+z) a plane hears what it hears from the front.
  @Test func aPlaneCantTellFrontFromBack() throws {
    let estimator = MUSIC(array: Self.square)
    let behind = SIMD3(0.3, 0.2, (1 - 0.13).squareRoot())
    let found = estimator.estimate(Snapshots(Self.square.response(to: behind), noiseVariance: 1e-4))
    let source = try #require(found.sources.first)
    #expect(abs(source.direction.x - 0.3) < 1e-6 && abs(source.direction.y - 0.2) < 1e-6 && source.direction.z < 0)
  }

  // MARK: One source in noise

  /// Unbiased, at the bound where the method reaches it, with deviations that hold: 300 trials.
  @Test(arguments: all) func oneSourceIsUnbiasedWithHonestDeviations(test: Case) throws {
    // Smoothed methods state the deviation of one subarray; Capon's loading and few snapshots have no closed variance.
    let isHonest = !test.method.rawValue.hasSuffix("smoothed") && test.method != .capon
    var random = StatisticsRandom(seed: 4503)
    let trials = 300
    for count in [1, 16] {
      let run = try Self.run(test.estimator(), count)
      var azimuths = StatisticsErrors()
      var elevations = StatisticsErrors()
      var plain = StatisticsErrors()
      var stated = StatisticsErrors()
      for _ in 0..<trials {
        let isRow = test.name == "row" || test.name == "pair"
        let truth = SIMD2(random.uniform(-0.5...0.5), isRow ? 0 : random.uniform(-0.4...0.4))
        let found = run(Self.snapshots(test.array, [truth], count: count, snrdB: 25, using: &random))
        guard let source = found.sources.first, let deviation = source.azimuthDeviation else { continue }
        let error = (source.azimuth ?? .nan) - truth.x
        plain.add(error)
        stated.add(deviation)
        azimuths.add(error / deviation)
        if let elevation = source.elevation, let deviation = source.elevationDeviation {
          elevations.add((elevation - truth.y) / deviation)
        }
      }
      #expect(plain.count == trials)
      guard isHonest else { continue }
      #expect(abs(plain.mean) < StatisticsLimits.mean(deviation: stated.rootMeanSquare, trials: trials))
      // Deviations from a noise estimated with few degrees of freedom raise the normalised variance: ν/(ν − 2).
      let freedom = 2.0 * Double((test.array.positions.count - 1) * count) - 2
      let inflation = count == 1 ? 1 : freedom / (freedom - 2)
      let limits = StatisticsLimits.normalisedVariance(trials: trials)
      #expect(azimuths.meanSquare < limits.upperBound * inflation * 1.03)
      #expect(azimuths.meanSquare > limits.lowerBound * 0.97)
      if elevations.count > 0 {
        #expect(elevations.meanSquare < limits.upperBound * inflation * 1.03)
        #expect(elevations.meanSquare > limits.lowerBound * 0.97)
      }
    }
  }

  // MARK: Two sources

  /// Independent sources 5° and 25°, a row of eight: found by all methods that resolve, at MUSIC's variance or ESPRIT's.
  @Test(arguments: [
    DirectionMethod.music, .rootMUSIC, .esprit, .capon, .maximumLikelihood, .musicSmoothed, .espritSmoothed,
  ])
  func twoSourcesAreToldApart(method: DirectionMethod) throws {
    let array = AntennaArray.linear(count: 8, spacing: Self.half, carrier: Self.carrier)
    let truth = [SIMD2(5 * Double.pi / 180, 0), SIMD2(25 * Double.pi / 180, 0)]
    let estimator = try #require(method.estimator(for: array, options: .init(sources: .known(2))))
    let run = Self.run(estimator, 64)
    var random = StatisticsRandom(seed: 4504)
    var normalised = StatisticsErrors()
    for _ in 0..<100 {
      let found = run(Self.snapshots(array, truth, count: 64, snrdB: 15, using: &random))
      #expect(found.sources.count == 2 && found.status == .ok)
      let azimuths = found.sources.compactMap(\.azimuth).sorted()
      for (azimuth, wanted) in zip(azimuths, truth) {
        #expect(abs(azimuth - wanted.x) < 0.01)
      }
      for source in found.sources {
        let wanted = truth.map(\.x).min { abs($0 - (source.azimuth ?? 9)) < abs($1 - (source.azimuth ?? 9)) } ?? 0
        normalised.add(((source.azimuth ?? .nan) - wanted) / (source.azimuthDeviation ?? .nan))
      }
    }
    if method == .music || method == .rootMUSIC || method == .maximumLikelihood {
      #expect(StatisticsLimits.normalisedVariance(trials: 200).contains(normalised.meanSquare))
    }
  }

  /// Coherent sources: smoothing and maximum likelihood find them whatever their phase, the latter at the bound.
  @Test(arguments: [DirectionMethod.musicSmoothed, .rootMUSICSmoothed, .espritSmoothed, .maximumLikelihood])
  func coherentSourcesAreToldApart(method: DirectionMethod) throws {
    let array = AntennaArray.linear(count: 8, spacing: Self.half, carrier: Self.carrier)
    let truth = [SIMD2(5 * Double.pi / 180, 0), SIMD2(25 * Double.pi / 180, 0)]
    let estimator = try #require(method.estimator(for: array, options: .init(sources: .known(2))))
    let run = Self.run(estimator, 32)
    var random = StatisticsRandom(seed: 4505)
    for _ in 0..<60 {
      let found = run(
        Self.snapshots(array, truth, count: 32, snrdB: 25, isCoherent: true, using: &random))
      let azimuths = found.sources.compactMap(\.azimuth).sorted()
      #expect(azimuths.count == 2)
      for (azimuth, wanted) in zip(azimuths, truth) { #expect(abs(azimuth - wanted.x) < 0.02) }
    }
  }

  /// Azimuth × elevation of two sources at once, over a plane and over antennas in space.
  @Test(arguments: [DirectionMethod.music, .maximumLikelihood])
  func twoSourcesInTwoAngles(method: DirectionMethod) throws {
    let plane = AntennaArray.rectangular(
      columns: 3, rows: 3, spacing: SIMD2(repeating: Self.half), carrier: Self.carrier)
    let truth = [SIMD2(0.5, 0.3), SIMD2(-0.4, -0.2)]
    for array in [plane, Self.solid] {
      let estimator = try #require(method.estimator(for: array, options: .init(sources: .known(2))))
      var random = StatisticsRandom(seed: 4506)
      for _ in 0..<5 {
        let found = estimator.estimate(Self.snapshots(array, truth, count: 40, snrdB: 30, using: &random))
        #expect(found.sources.count == 2)
        for wanted in truth {
          let nearest = found.sources.map {
            let apart = $0.direction - Direction.unitVector(azimuth: wanted.x, elevation: wanted.y)
            return (apart * apart).sum().squareRoot()
          }.min()
          #expect((nearest ?? .infinity) < 0.03)
        }
      }
    }
  }

  // MARK: A manifold that was measured

  /// Antennas that couple: the measured manifold finds the source, the ideal one is degrees off.
  @Test(arguments: [DirectionMethod.music, .bartlett, .maximumLikelihood])
  func aMeasuredManifoldTakesTheIdealOnesPlace(method: DirectionMethod) throws {
    let ideal = Self.corner
    let axis = ManifoldGrid.Axis(first: -1.2, step: 0.1, count: 25)
    func coupled(_ direction: SIMD3<Double>) -> [Complex<Double>] {
      let a = ideal.response(to: direction)
      let c = Complex(length: 0.3, phase: 1.0)
      return [a[0] + c * a[1] + c * a[2], a[1] + c * a[0], a[2] + c * a[0]]
    }
    var measured: [Complex<Double>] = []
    for antenna in 0..<3 {
      for row in 0..<25 {
        for column in 0..<25 {
          let direction = Direction.unitVector(
            azimuth: -1.2 + 0.1 * Double(column), elevation: -1.2 + 0.1 * Double(row))
          measured.append(coupled(direction)[antenna])
        }
      }
    }
    var array = ideal
    array.manifold = ManifoldGrid(measured: measured, azimuths: axis, elevations: axis, over: ideal)
    let truth = SIMD2(0.43, -0.27)
    let x = Snapshots(coupled(Direction.unitVector(azimuth: truth.x, elevation: truth.y)), noiseVariance: 1e-4)
    func error(_ array: AntennaArray) throws -> Double {
      let estimator = try #require(method.estimator(for: array, options: .init()))
      let source = try #require(estimator.estimate(x).sources.first)
      return max(abs((source.azimuth ?? 9) - truth.x), abs((source.elevation ?? 9) - truth.y))
    }
    #expect(try error(array) < 0.005)
    #expect(try error(ideal) > 0.03)
  }

  // MARK: Ambiguity

  /// Four antennas 0.8 λ apart: cosines 1.25 apart are twins. At 10° there is none inside ±90°; at 30° there is one, and the
  /// one nearer to broadside comes first; at 45° that is the wrong one, and the truth is the alternative.
  @Test(arguments: [DirectionMethod.phaseFit, .bartlett, .music, .rootMUSIC, .esprit, .maximumLikelihood])
  func wideSpacingIsAmbiguousAndSaysSo(method: DirectionMethod) throws {
    let array = AntennaArray.linear(count: 4, spacing: 1.6 * Self.half, carrier: Self.carrier)
    let estimator = try #require(method.estimator(for: array, options: .init()))
    var random = StatisticsRandom(seed: 4507)
    func run(_ degrees: Double) -> DirectionEstimate {
      estimator.estimate(
        Self.snapshots(array, [SIMD2(degrees * .pi / 180, 0)], count: 1, snrdB: 30, using: &random))
    }
    #expect(run(10).status == .ok)
    let one = run(30)
    #expect(one.status == .ambiguous && abs((one.sources[0].azimuth ?? 9) - .pi / 6) < 0.03)
    #expect(one.alternatives.count == 1 && abs((one.alternatives[0].azimuth ?? 9) - Double.asin(0.5 - 1.25)) < 0.03)
    let two = run(45)
    #expect(two.status == .ambiguous)
    #expect(two.alternatives.contains { abs(($0.azimuth ?? 9) - .pi / 4) < 0.03 })
    // With a field of view that leaves the twin out there is no doubt.
    let narrow = try #require(method.estimator(for: array, options: .init(fieldOfView: 38 * .pi / 180)))
    let sure = narrow.estimate(Self.snapshots(array, [SIMD2(0.5, 0)], count: 1, snrdB: 30, using: &random))
    #expect(sure.status == .ok && abs((sure.sources[0].azimuth ?? 9) - 0.5) < 0.03)
  }

  /// Half a wavelength apart at 89°: noise carries the phase round, both ends are named, nothing is NaN.
  @Test(arguments: all.filter { $0.name == "pair" }) func theEndsOfAPairAreOneAnother(test: Case) throws {
    var random = StatisticsRandom(seed: 4508)
    let run = try Self.run(test.estimator(), 1)
    for degrees in stride(from: -90.0, through: 90, by: 4) {
      for _ in 0..<3 {
        let truth = degrees * .pi / 180
        let found = run(Self.snapshots(test.array, [SIMD2(truth, 0)], count: 1, snrdB: 20, using: &random))
        let all = found.sources + found.alternatives
        for source in all {
          #expect(source.azimuth?.isFinite == true && source.azimuthDeviation?.isFinite == true)
          #expect(source.direction.x.isFinite && source.direction.z.isFinite)
        }
        if abs(degrees) >= 85 {
          #expect(found.status == .ambiguous)
          #expect(all.contains { abs(($0.azimuth ?? 9) - truth) < 0.6 })
        }
        if abs(degrees) <= 45 { #expect(found.status == .ok) }
      }
    }
  }

  // MARK: What has no direction

  @Test(arguments: all) func nothingComesOfNothing(test: Case) throws {
    let run = try Self.run(test.estimator(), 4)
    let count = test.array.positions.count
    #expect(run(Snapshots(antennaCount: count, snapshotCount: 4)).status == .unusable)
    for bad in [Double.nan, .infinity] {
      var x = SampleCovarianceTests.snapshots(count, 4, seed: 4509)
      x[count - 1, 2] = Complex(bad, 0)
      let found = run(x)
      #expect(found.status == .unusable && found.sources.isEmpty && found.alternatives.isEmpty)
    }
  }

  /// Noise alone: whatever comes out is finite and inside the field of view.
  @Test(arguments: all) func noiseAloneStaysFinite(test: Case) throws {
    let run = try Self.run(test.estimator(), 5)
    for seed in 0..<12 {
      for count in [1, 5] {
        let found = run(
          SampleCovarianceTests.snapshots(test.array.positions.count, count, seed: UInt64(4600 + seed)))
        for source in found.sources + found.alternatives {
          #expect(abs((source.direction * source.direction).sum() - 1) < 1e-9)
          for angle in [source.azimuth, source.azimuthDeviation, source.elevation, source.elevationDeviation] {
            #expect(angle?.isFinite ?? true)
          }
        }
      }
    }
  }

  /// The same numbers from a workspace that has seen other data, and from another estimate's memory.
  @Test(arguments: all) func aDirtyWorkspaceChangesNothing(test: Case) throws {
    func check<E: DirectionEstimator>(_ estimator: E) {
      var random = StatisticsRandom(seed: 4510)
      let workspace = estimator.makeWorkspace(snapshotCount: 9)
      var dirty = DirectionEstimate()
      for _ in 0..<6 {
        let truth = SIMD2(random.uniform(-1.2...1.2), 0)
        let x = Self.snapshots(
          test.array, [truth], count: random.uniform() < 0.5 ? 1 : 9, snrdB: 12, using: &random)
        estimator.estimate(x, into: &dirty, using: workspace)
        #expect(dirty == estimator.estimate(x))
      }
    }
    check(try test.estimator())
  }

  @Test func refusesWrongShapes() async {
    await #expect(processExitsWith: .failure) {
      let array = AntennaArray.linear(count: 3, spacing: 0.02, carrier: 7.9872e9)
      _ = MUSIC(array: array).estimate(Snapshots(antennaCount: 2, snapshotCount: 1))
    }
    await #expect(processExitsWith: .failure) {
      _ = RootMUSIC(array: .cornered(spacing: 0.02, carrier: 7.9872e9))
    }
  }

  // MARK: How many sources

  /// Independent sources in 100 snapshots at 10 dB: MDL counts them; AIC never counts fewer.
  @Test(arguments: [0, 1, 2, 3]) func criteriaCountSources(count: Int) {
    let array = AntennaArray.linear(count: 8, spacing: Self.half, carrier: Self.carrier)
    let angles = [SIMD2(-0.6, 0.0), SIMD2(0.1, 0), SIMD2(0.7, 0)].prefix(count)
    var random = StatisticsRandom(seed: UInt64(4511 + count))
    var right = 0
    for isReal in [true, false] {
      let averaging = CovarianceAveraging(forwardBackward: isReal)
      let covariance = SampleCovariance(
        array: array, manifold: Manifold(array), averaging: averaging, isReal: isReal, snapshotLimit: 100)
      let split = SubspaceSplit(order: 8, limit: 7, isReal: covariance.isReal)
      for _ in 0..<50 {
        #expect(covariance.load(Self.snapshots(array, Array(angles), count: 100, snrdB: 10, using: &random)))
        _ = split.decompose(covariance, sources: .mdl(atMost: 7))
        right += split.count == count ? 1 : 0
        let byMDL = split.count
        _ = split.decompose(covariance, sources: .aic(atMost: 7))
        #expect(split.count >= byMDL)
      }
    }
    // MDL errs with a chance that falls faster than 1/N; five of a hundred is far beyond it.
    #expect(right >= 95)
  }

  @Test func aCountedEstimatorFindsThemAll() throws {
    var random = StatisticsRandom(seed: 4512)
    let array = AntennaArray.linear(count: 8, spacing: Self.half, carrier: Self.carrier)
    let truth = [SIMD2(-0.6, 0.0), SIMD2(0.1, 0), SIMD2(0.7, 0)]
    let x = Self.snapshots(array, truth, count: 100, snrdB: 20, using: &random)
    for method in [DirectionMethod.music, .rootMUSIC, .esprit, .maximumLikelihood] {
      let estimator = try #require(method.estimator(for: array, options: .init(sources: .mdl(atMost: 6))))
      let found = estimator.estimate(x)
      #expect(found.sources.count == 3)
      for (azimuth, wanted) in zip(found.sources.compactMap(\.azimuth).sorted(), truth) {
        #expect(abs(azimuth - wanted.x) < 0.01)
      }
    }
  }
}
