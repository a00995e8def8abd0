import Numerics

/// A measured array manifold: complex responses of every antenna over a grid of azimuth × elevation.
///
/// What is stored and interpolated is the measured response over that of the ideal plane wave, which varies slowly where
/// the antennas stand where they are said to; `init(measured:…)` divides. Between grid points the product of Catmull–Rom
/// cubics runs in both angles (Catmull & Rom 1974): through every point, with continuous slopes, exact for parabolas.
/// Beyond the grid's edge its edge holds. A grid of one elevation holds for all of them. Cost: 16 products an antenna.
/// Where antennas stand unknown distances apart (phases that turn by more than a radian between grid points), refine the
/// grid: interpolation of turning phasors loses amplitude.
public struct ManifoldGrid: Sendable, Hashable {
  /// Equidistant angles, rad.
  public struct Axis: Sendable, Hashable {
    /// First angle, rad.
    public var first: Double
    /// Angle from node to node, rad.
    public var step: Double
    /// Number of nodes.
    public var count: Int

    /// - Precondition: a count of at least 1; a positive step where the count is more.
    public init(first: Double, step: Double, count: Int) {
      precondition(count >= 1 && (count == 1 || step > 0), "\(count) angles \(step) rad apart are no axis")
      self.first = first
      self.step = step
      self.count = count
    }

    /// Last angle, rad.
    public var last: Double { first + step * Double(count - 1) }
  }

  /// Azimuths of the grid.
  public let azimuths: Axis
  /// Elevations of the grid.
  public let elevations: Axis
  /// Number of antennas.
  public let antennaCount: Int
  /// Over the ideal response; antenna by antenna, in it elevation by elevation, in it azimuth by azimuth.
  public let responses: [Complex<Double>]

  /// - Parameter responses: over the ideal response; azimuth varies fastest, then elevation, then antenna.
  /// - Precondition: one response for each antenna and grid point.
  public init(azimuths: Axis, elevations: Axis, antennaCount: Int, responses: [Complex<Double>]) {
    precondition(
      antennaCount >= 1 && responses.count == azimuths.count * elevations.count * antennaCount,
      "\(antennaCount) antennas × \(elevations.count) elevations × \(azimuths.count) azimuths got \(responses.count)")
    self.azimuths = azimuths
    self.elevations = elevations
    self.antennaCount = antennaCount
    self.responses = responses
  }

  /// From responses as they were measured: divides by those of `ideal`, an array without a manifold.
  ///
  /// - Parameter measured: azimuth varies fastest, then elevation, then antenna.
  public init(measured: [Complex<Double>], azimuths: Axis, elevations: Axis, over ideal: AntennaArray) {
    let count = ideal.positions.count
    let points = azimuths.count * elevations.count
    precondition(
      measured.count == points * count,
      "\(count) antennas × \(elevations.count) elevations × \(azimuths.count) azimuths got \(measured.count)")
    var responses = measured
    for elevation in 0..<elevations.count {
      for azimuth in 0..<azimuths.count {
        let wave = ideal.response(
          to: Direction.unitVector(
            azimuth: azimuths.first + azimuths.step * Double(azimuth),
            elevation: elevations.first + elevations.step * Double(elevation)))
        for antenna in 0..<count {
          responses[antenna * points + elevation * azimuths.count + azimuth] /= wave[antenna]
        }
      }
    }
    self.init(azimuths: azimuths, elevations: elevations, antennaCount: count, responses: responses)
  }

  /// A response and its derivatives by azimuth and elevation.
  struct Response {
    var value: Complex<Double>
    var byAzimuth: Complex<Double>
    var byElevation: Complex<Double>
  }

  func response(antenna: Int, direction: SIMD3<Double>) -> Response {
    let angles = Direction.angles(of: direction)
    return response(antenna: antenna, azimuth: angles.azimuth, elevation: angles.elevation)
  }

  func response(antenna: Int, azimuth: Double, elevation: Double) -> Response {
    let across = Weights(azimuths, azimuth)
    let upwards = Weights(elevations, elevation)
    let start = antenna * azimuths.count * elevations.count
    var result = Response(value: .zero, byAzimuth: .zero, byElevation: .zero)
    for row in 0..<4 {
      let line = start + upwards.index(row) * azimuths.count
      var value = SIMD2<Double>()
      var slope = SIMD2<Double>()
      for column in 0..<4 {
        let raw = responses[line + across.index(column)].rawStorage
        value += across.value[column] * SIMD2(raw.x, raw.y)
        slope += across.slope[column] * SIMD2(raw.x, raw.y)
      }
      result.value += Complex(upwards.value[row] * value.x, upwards.value[row] * value.y)
      result.byAzimuth += Complex(upwards.value[row] * slope.x, upwards.value[row] * slope.y)
      result.byElevation += Complex(upwards.slope[row] * value.x, upwards.slope[row] * value.y)
    }
    return result
  }

  /// Catmull–Rom weights of the four points round an angle, and their derivatives.
  private struct Weights {
    var value = SIMD4<Double>(0, 1, 0, 0)
    var slope = SIMD4<Double>()
    private var first = 0
    private let count: Int

    init(_ axis: Axis, _ angle: Double) {
      count = axis.count
      guard axis.count > 1 else { return }
      let exact = (angle - axis.first) / axis.step
      let place = min(max(exact.isFinite ? exact : 0, 0), Double(axis.count - 1))
      first = Int(place, within: 0...axis.count - 2)
      let t = place - Double(first)
      value = SIMD4(
        ((2 - t) * t - 1) * t / 2, ((3 * t - 5) * t * t + 2) / 2, ((4 - 3 * t) * t + 1) * t / 2, (t - 1) * t * t / 2)
      if exact >= 0 && exact <= Double(axis.count - 1) {
        slope =
          SIMD4(
            ((4 - 3 * t) * t - 1) / 2, (9 * t - 10) * t / 2, ((8 - 9 * t) * t + 1) / 2, (3 * t - 2) * t / 2) / axis.step
      }
      // Beyond the ends the cubic continues straight: −1 is 2·(0) − (1).
      if first == 0 { extend(at: 0, 1, 2) }
      if first + 2 > axis.count - 1 { extend(at: 3, 2, 1) }
    }

    private mutating func extend(at end: Int, _ near: Int, _ far: Int) {
      value[near] += 2 * value[end]
      value[far] -= value[end]
      value[end] = 0
      slope[near] += 2 * slope[end]
      slope[far] -= slope[end]
      slope[end] = 0
    }

    func index(_ offset: Int) -> Int { min(max(first + offset - 1, 0), count - 1) }
  }
}
