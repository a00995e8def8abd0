import Numerics
import UWBDSP
import UWBPlatform

/// Walls of any place and size between and around two devices: specular reflections of the first order, and what a wall
/// takes from a path that goes through it.
///
/// A wall is a rectangle. As a mirror it gives one path by its image source (Allen & Berkley, JASA 65(4), 1979) where the
/// point of reflection lies on it, of amplitude Γ / L · exp(−j·2π·f·L/c). Every wall that a leg of a path goes through
/// takes `loss` from its amplitude and adds `excess` metres to its length (a slab of thickness d and refractive index n
/// adds (n − 1)·d). Neither depends on the angle; edges do not diffract; there are no second reflections.
///
/// Cost: walls² for each pair of places.
public struct Surroundings: Sendable, Hashable {
  /// A flat rectangle that reflects and attenuates.
  public struct Wall: Sendable, Hashable {
    /// A corner, m.
    public var corner: SIMD3<Double>
    /// The two edges from the corner, m; at right angles.
    public var edges: (SIMD3<Double>, SIMD3<Double>) {
      get { (first, second) }
      set { (first, second) = newValue }
    }
    private var first: SIMD3<Double>
    private var second: SIMD3<Double>
    /// Amplitude reflection coefficient, −1 … 1; 0 mirrors nothing.
    public var reflection: Double
    /// dB taken from a path through the wall.
    public var lossdB: Double
    /// m added to a path through the wall.
    public var excess: Double

    /// Creates one with the given values.
    public init(
      corner: SIMD3<Double>, edges: (SIMD3<Double>, SIMD3<Double>), reflection: Double, lossdB: Double,
      excess: Double = 0
    ) {
      self.corner = corner
      first = edges.0
      second = edges.1
      self.reflection = reflection
      self.lossdB = lossdB
      self.excess = excess
    }

    /// Upright on the floor between two points in plan (x, z), m.
    public static func upright(
      from: SIMD2<Double>, to: SIMD2<Double>, height: Double, base: Double = 0, reflection: Double, lossdB: Double,
      excess: Double = 0
    ) -> Wall {
      Wall(
        corner: SIMD3(from.x, base, from.y), edges: (SIMD3(to.x - from.x, 0, to.y - from.y), SIMD3(0, height, 0)),
        reflection: reflection, lossdB: lossdB, excess: excess)
    }

    /// The unit normal; `nil` for a wall without area.
    fileprivate var normal: SIMD3<Double>? {
      let cross = SIMD3(
        first.y * second.z - first.z * second.y, first.z * second.x - first.x * second.z,
        first.x * second.y - first.y * second.x)
      let length = cross.length
      return length > 1e-9 ? cross / length : nil
    }

    /// Where the straight line between two points meets the rectangle, as a part 0 … 1 of the line; ends don't count.
    fileprivate func crossing(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double? {
      guard let normal else { return nil }
      let from = ((a - corner) * normal).sum()
      let to = ((b - corner) * normal).sum()
      guard from * to < 0 else { return nil }
      let part = from / (from - to)
      let point = a + part * (b - a) - corner
      let along = (point * first).sum() / (first * first).sum()
      let up = (point * second).sum() / (second * second).sum()
      return (0...1).contains(along) && (0...1).contains(up) ? part : nil
    }

    fileprivate func image(of point: SIMD3<Double>) -> SIMD3<Double>? {
      normal.map { point - 2 * ((point - corner) * $0).sum() * $0 }
    }
  }

  /// All walls, in any order.
  public var walls: [Wall]

  /// Creates one with the given values.
  public init(walls: [Wall]) {
    self.walls = walls
  }

  /// The six inner faces of a box, which nothing goes through, e.g. a room's.
  ///
  /// - Parameters: `sides`, `floor`, `ceiling`: amplitude reflection coefficients.
  public static func box(
    lower: SIMD3<Double>, upper: SIMD3<Double>, sides: Double, floor: Double, ceiling: Double, lossdB: Double = 30
  ) -> [Wall] {
    let size = upper - lower
    let (x, y, z) = (SIMD3(size.x, 0, 0), SIMD3(0, size.y, 0), SIMD3(0, 0, size.z))
    func wall(_ corner: SIMD3<Double>, _ a: SIMD3<Double>, _ b: SIMD3<Double>, _ reflection: Double) -> Wall {
      Wall(corner: corner, edges: (a, b), reflection: reflection, lossdB: lossdB)
    }
    return [
      wall(lower, y, z, sides), wall(lower + x, y, z, sides), wall(lower, x, z, floor), wall(lower + y, x, z, ceiling),
      wall(lower, x, y, sides), wall(lower + z, x, y, sides),
    ]
  }

  /// Whether no wall stands between two places.
  public func isClear(from a: SIMD3<Double>, to b: SIMD3<Double>) -> Bool {
    !walls.contains { $0.crossing(a, b) != nil }
  }

  /// The direct path, through whatever is in its way, and all reflections, by delay; delays count from the straight
  /// line's, directions are unit vectors in the room's axes from the receiver.
  public func paths(
    from transmitter: SIMD3<Double>, to receiver: SIMD3<Double>, carrier: Double,
    propagationSpeed: Double = UWB.speedOfLightInAir
  ) -> [Path] {
    let direct = (transmitter - receiver).length
    func path(_ arrival: SIMD3<Double>, length: Double, reflection: Double, legs: [Leg], apartFrom mirror: Int?) -> Path
    {
      let passed = taken(from: legs, apartFrom: mirror)
      // Nearer than a centimetre there is no far field, and 1/L would have no bound.
      let size = reflection * passed.gain / max(length, 0.01)
      let total = length + passed.excess
      let angle = -2 * .pi * carrier * total / propagationSpeed
      return Path(
        delay: (total - direct) / propagationSpeed, amplitude: Complex(size * cos(angle), size * sin(angle)),
        direction: length > 0 ? arrival / length : nil)
    }
    var paths = [
      path(
        transmitter - receiver, length: direct, reflection: 1, legs: [Leg(transmitter, receiver)], apartFrom: nil)
    ]
    for (index, wall) in walls.enumerated() where wall.reflection != 0 {
      guard let image = wall.image(of: transmitter), let part = wall.crossing(image, receiver) else { continue }
      let point = image + part * (receiver - image)
      paths.append(
        path(
          image - receiver, length: (image - receiver).length, reflection: wall.reflection,
          legs: [Leg(transmitter, point), Leg(point, receiver)], apartFrom: index))
    }
    return paths.sorted { $0.delay < $1.delay }
  }

  private struct Leg {
    let a: SIMD3<Double>
    let b: SIMD3<Double>

    init(_ a: SIMD3<Double>, _ b: SIMD3<Double>) {
      self.a = a
      self.b = b
    }
  }

  private func taken(from legs: [Leg], apartFrom mirror: Int?) -> (gain: Double, excess: Double) {
    var lossdB = 0.0
    var excess = 0.0
    for (index, wall) in walls.enumerated() where index != mirror {
      for leg in legs where wall.crossing(leg.a, leg.b) != nil {
        lossdB += wall.lossdB
        excess += wall.excess
      }
    }
    return (pow(10, -lossdB / 20), excess)
  }
}
