import Numerics
import UWBDSP
import UWBPlatform

/// One path of a list, and where it comes from.
public struct DirectionalPath: Sendable, Hashable {
  /// Delay, power and phase.
  public var path: PathSpecification
  /// rad, positive to the right
  public var azimuth: Double
  /// rad, positive upwards
  public var elevation: Double

  /// A path that arrives from these angles, rad.
  public init(_ path: PathSpecification, azimuth: Double, elevation: Double = 0) {
    self.path = path
    self.azimuth = azimuth
    self.elevation = elevation
  }
}

/// Plane waves that reach an array, each with a delay and a direction of its own: to test estimators of both on.
public struct DirectionalChannel: Sendable, Hashable {
  /// By delay; the first is the truth. Powers are relative to it.
  public var paths: [DirectionalPath]

  /// - Precondition: at least one path.
  public init(_ paths: [DirectionalPath]) {
    precondition(!paths.isEmpty, "a channel without paths")
    self.paths = paths.sorted { $0.path.delay < $1.path.delay }
  }

  /// Draws the phases that are not given, and one that is common to all paths. Delays count from the first path.
  public func draw(using generator: inout SeededGenerator) -> [Path] {
    let common = generator.phase()
    let onset = paths.first?.path.delay ?? 0
    return paths.map { one in
      let angle = common + (one.path.phase ?? generator.phase())
      let size = pow(10, one.path.powerdB / 20)
      return Path(
        delay: one.path.delay - onset, amplitude: Complex(size * cos(angle), size * sin(angle)),
        direction: Direction.unitVector(azimuth: one.azimuth, elevation: one.elevation))
    }
  }
}
