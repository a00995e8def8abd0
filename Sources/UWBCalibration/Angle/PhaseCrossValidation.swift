import UWBDSP

/// How well a board's calibration carries over to directions that it has not seen: a checkerboard of the grid points is
/// held out, both ways round, and every sample of the held-out points is located with what the others gave.
///
/// All settings are found inside each half (`PhaseManifoldFit` takes none by hand), so nothing of a point that is scored
/// enters what scores it. Cost: two fits of half the points.
public struct PhaseCrossValidation: Sendable, Hashable {
  /// The fit that is validated.
  public var fit: PhaseManifoldFit
  /// Settings of the search that scores it.
  public var search: ManifoldSearch.Settings

  /// Creates one with the given values.
  public init(fit: PhaseManifoldFit = PhaseManifoldFit(), search: ManifoldSearch.Settings = ManifoldSearch.Settings()) {
    self.fit = fit
    self.search = search
  }

  /// What became of one sample while its point was held out.
  public struct HeldOut: Sendable, Hashable {
    /// Which sample.
    public var index: Int
    /// Which half of the checkerboard it lies on, 0 or 1.
    public var half: Int
    /// Whether the search found a direction.
    public var status: DirectionStatus
    /// `nil` where there is no answer.
    public var source: SourceDirection?
    /// The second candidate, where one is offered.
    public var alternative: SourceDirection?

    /// Creates one with the given values.
    public init(
      index: Int, half: Int, status: DirectionStatus, source: SourceDirection? = nil,
      alternative: SourceDirection? = nil
    ) {
      self.index = index
      self.half = half
      self.status = status
      self.source = source
      self.alternative = alternative
    }
  }

  /// Held-out answers to all samples, in their order. The deviations of each half are scaled by what the other half says.
  ///
  /// - Throws: `PhaseManifoldFit.Failure` where half of the points are too few.
  public func callAsFunction(_ samples: [PhaseSample]) throws(PhaseManifoldFit.Failure) -> [HeldOut] {
    let halves = Self.checkerboard(samples)
    var results: [HeldOut] = []
    for half in 0...1 {
      let kept = samples.indices.filter { halves[$0] != half }
      let measured = try fit(kept.map { samples[$0] })
      let search = ManifoldSearch(manifold: measured.manifold, settings: search)
      let workspace = search.makeWorkspace()
      var estimate = DirectionEstimate()
      for index in samples.indices where halves[index] == half {
        search.estimate(samples[index].differences, into: &estimate, using: workspace)
        results.append(
          HeldOut(
            index: index, half: half, status: estimate.status, source: estimate.sources.first,
            alternative: estimate.alternatives.first))
      }
    }
    for half in 0...1 {
      let scale = Self.deviationScale(results.filter { $0.half != half }, samples)
      for place in results.indices where results[place].half == half {
        results[place].source?.azimuthDeviation? *= scale.x
        results[place].source?.elevationDeviation? *= scale.y
        results[place].alternative?.azimuthDeviation? *= scale.x
        results[place].alternative?.elevationDeviation? *= scale.y
      }
    }
    return results.sorted { $0.index < $1.index }
  }

  /// Which half each sample's grid point lies on: columns and rows are counted along the angles that occur; where these
  /// are too many for a grid, along cells as wide as the points are apart.
  public static func checkerboard(_ samples: [PhaseSample]) -> [Int] {
    let half = 0.5 * Double.pi / 180
    func cells(_ angles: [Double], _ width: Double) -> [Int] { angles.map { PhasePoints.cell($0, width) } }
    func ranks(_ cells: [Int]) -> [Int] {
      var rank: [Int: Int] = [:]
      for cell in Set(cells).sorted() { rank[cell] = rank.count }
      return cells.map { rank[$0] ?? 0 }
    }
    let (azimuths, elevations) = (samples.map(\.azimuth), samples.map(\.elevation))
    var (columns, rows) = (ranks(cells(azimuths, half)), ranks(cells(elevations, half)))
    let points = PhasePoints(samples, channels: 0)
    let places = ((columns.max() ?? 0) + 1) * ((rows.max() ?? 0) + 1)
    if places > 4 * points.count {
      let width = max(half, points.spacing)
      (columns, rows) = (cells(azimuths, width), cells(elevations, width))
    }
    // A checkerboard's own half has one colour; its columns alternate instead, which is the checkerboard of that lattice.
    let patterns = [zip(columns, rows).map { abs($0 + $1) % 2 }, columns.map { abs($0) % 2 }, rows.map { abs($0) % 2 }]
    func smallerHalf(_ pattern: [Int]) -> Int {
      let ones = Set(pattern.indices.filter { pattern[$0] == 1 }.map { SIMD2(columns[$0], rows[$0]) }).count
      return min(ones, points.count - ones)
    }
    return patterns.first { 3 * smallerHalf($0) >= points.count } ?? patterns.max { smallerHalf($0) < smallerHalf($1) }
      ?? patterns[0]
  }

  /// Whether held-out answers beat angles that are there without a calibration, a chip's own, by the rule of all calibrations over cells
  /// of direction.
  ///
  /// - Parameter angles: of each sample, rad; those without any don't count.
  /// - Returns: `true` where too few directions have such angles to compare with.
  public static func beats(
    _ angles: [(azimuth: Double?, elevation: Double?)], _ heldOut: [HeldOut], _ samples: [PhaseSample]
  ) -> Bool {
    let width = AntennaCrossValidation.cell
    var sums: [SIMD2<Int>: (before: Double, after: Double, count: Double)] = [:]
    for answer in heldOut {
      let (truth, angle) = (samples[answer.index], angles[answer.index])
      guard angle.azimuth != nil || angle.elevation != nil else { continue }
      let cell = SIMD2(PhasePoints.cell(truth.azimuth, width), PhasePoints.cell(truth.elevation, width))
      var sum = sums[cell] ?? (0, 0, 0)
      sum.before += AntennaCrossValidation.squaredError(angle, truth.azimuth, truth.elevation)
      sum.after += AntennaCrossValidation.squaredError(
        answer.source.map { ($0.azimuth, $0.elevation) }, truth.azimuth, truth.elevation)
      sum.count += 1
      sums[cell] = sum
    }
    guard sums.count > 1 else { return true }
    let cells = sums.sorted { ($0.key.x, $0.key.y) < ($1.key.x, $1.key.y) }.map(\.value)
    return CalibrationChoice.simplest([cells.map { $0.before / $0.count }, cells.map { $0.after / $0.count }]) == 1
  }

  /// What deviations are to be multiplied by so that two thirds of the held-out errors of clear answers lie within one of
  /// them: 1 … 3, for azimuth and elevation. The quantile rather than the mean square, which one twin would rule.
  public static func deviationScale(_ heldOut: [HeldOut], _ samples: [PhaseSample]) -> SIMD2<Double> {
    var ratios: (azimuth: [Double], elevation: [Double]) = ([], [])
    for answer in heldOut where answer.status == .ok {
      guard let source = answer.source else { continue }
      if let angle = source.azimuth, let deviation = source.azimuthDeviation {
        ratios.azimuth.append(abs(angle - samples[answer.index].azimuth) / deviation)
      }
      if let angle = source.elevation, let deviation = source.elevationDeviation {
        ratios.elevation.append(abs(angle - samples[answer.index].elevation) / deviation)
      }
    }
    func scale(_ ratios: [Double]) -> Double {
      guard ratios.count >= 3 else { return 1 }
      return min(max(ratios.sorted()[Int(0.6827 * Double(ratios.count - 1), within: 0...ratios.count - 1)], 1), 3)
    }
    return SIMD2(scale(ratios.azimuth), scale(ratios.elevation))
  }
}
