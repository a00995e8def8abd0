import Numerics
import UWBDSP
import UWBPlatform

/// An empty box of a room whose floor, ceiling and walls mirror: specular paths by image sources.
///
/// Allen & Berkley, "Image method for efficiently simulating small-room acoustics", JASA 65(4), 1979. The peer's image
/// behind each plane gives the path's length L, direction and amplitude Π Γ / L · exp(−j·2π·f·L/c): a path of 1 m without
/// reflection has amplitude 1. As the peer moves, delays, directions and phases move smoothly. Reflection does not depend
/// on the angle, and polarisation and antenna patterns play no part.
public struct Room: Sendable, Hashable {
  /// The corner of smallest coordinates, m.
  public var lower: SIMD3<Double>
  /// The corner of largest coordinates, m.
  public var upper: SIMD3<Double>
  /// Amplitude reflection coefficients of the planes x, y, z = `lower` (y: the floor), −1 … 1.
  public var lowerReflection: SIMD3<Double>
  /// The same at `upper` (y: the ceiling).
  public var upperReflection: SIMD3<Double>
  /// Most reflections on a path.
  public var reflectionCount: Int

  /// - Precondition: `upper` is beyond `lower` in all three axes; `reflectionCount` is not negative.
  public init(
    lower: SIMD3<Double>, upper: SIMD3<Double>, lowerReflection: SIMD3<Double>, upperReflection: SIMD3<Double>,
    reflectionCount: Int = 1
  ) {
    precondition(
      all(upper .> lower) && reflectionCount >= 0, "a room from \(lower) to \(upper) m, \(reflectionCount) reflections")
    self.lower = lower
    self.upper = upper
    self.lowerReflection = lowerReflection
    self.upperReflection = upperReflection
    self.reflectionCount = reflectionCount
  }

  /// The direct path and all reflections up to `reflectionCount`, by delay; delays count from the direct path, directions
  /// are unit vectors in the room's axes from the receiver.
  public func paths(
    from transmitter: SIMD3<Double>, to receiver: SIMD3<Double>, carrier: Double,
    propagationSpeed: Double = UWB.speedOfLightInAir
  ) -> [Path] {
    let direct = (transmitter - receiver).length
    var paths: [Path] = []
    let n = reflectionCount
    for x in -n...n {
      for y in -n...n where abs(x) + abs(y) <= n {
        for z in -n...n where abs(x) + abs(y) + abs(z) <= n {
          let images = (image(0, x, transmitter), image(1, y, transmitter), image(2, z, transmitter))
          let position = SIMD3(images.0.position, images.1.position, images.2.position)
          let reflection = images.0.reflection * images.1.reflection * images.2.reflection
          guard reflection != 0 else { continue }
          paths.append(
            Self.path(
              from: position - receiver, direct: direct, gain: reflection, carrier: carrier, speed: propagationSpeed))
        }
      }
    }
    return paths.sorted { $0.delay < $1.delay }
  }

  /// The direct path alone, as if there were no room.
  public static func freeSpace(
    from transmitter: SIMD3<Double>, to receiver: SIMD3<Double>, carrier: Double,
    propagationSpeed: Double = UWB.speedOfLightInAir
  ) -> Path {
    let offset = transmitter - receiver
    return path(from: offset, direct: offset.length, gain: 1, carrier: carrier, speed: propagationSpeed)
  }

  private static func path(
    from offset: SIMD3<Double>, direct: Double, gain: Double, carrier: Double, speed: Double
  ) -> Path {
    // Nearer than a centimetre there is no far field, and 1/L would have no bound.
    let length = max(offset.length, 0.01)
    let angle = -2 * .pi * carrier * length / speed
    let size = gain / length
    return Path(
      delay: (offset.length - direct) / speed, amplitude: Complex(size * cos(angle), size * sin(angle)),
      direction: offset.length > 0 ? offset / offset.length : nil)
  }

  /// Coordinate and reflection of image `order` along one axis: the far plane is met first where `order` > 0.
  private func image(
    _ axis: Int, _ order: Int, _ source: SIMD3<Double>
  ) -> (position: Double, reflection: Double) {
    let size = upper[axis] - lower[axis]
    let s = source[axis] - lower[axis]
    let position =
      order % 2 == 0 ? lower[axis] + Double(order) * size + s : lower[axis] + Double(order + 1) * size - s
    let first = order > 0 ? upperReflection[axis] : lowerReflection[axis]
    let second = order > 0 ? lowerReflection[axis] : upperReflection[axis]
    var reflection = 1.0
    for bounce in 0..<abs(order) {
      reflection *= bounce % 2 == 0 ? first : second
    }
    return (position, reflection)
  }
}
