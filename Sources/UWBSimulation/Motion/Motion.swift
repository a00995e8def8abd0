import UWBPlatform
import UWBTypes

/// Where a device is over time and how it is turned: a trajectory and what its back points at.
public struct Motion: Sendable, Hashable {
  /// How the device is turned, by the angles of `DevicePose`, rad.
  public enum Attitude: Sendable, Hashable {
    /// Always turned by these angles, rad.
    case fixed(yaw: Double, pitch: Double = 0, roll: Double = 0)
    /// Its back, −z, points at where something else is at that time.
    case towards(Trajectory)
    /// By the clock: the trajectory's x, y and z are yaw, pitch and roll, rad.
    case following(Trajectory)
    /// About the vertical at a steady rate, rad/s.
    case turning(yaw: Double, rate: Double, pitch: Double = 0)
  }

  /// Where the device is over time.
  public var trajectory: Trajectory
  /// How the device is turned over time.
  public var attitude: Attitude

  /// Creates one with the given values.
  public init(_ trajectory: Trajectory, attitude: Attitude = .fixed(yaw: 0)) {
    self.trajectory = trajectory
    self.attitude = attitude
  }

  /// Yaw, pitch and roll at a time, rad.
  public func angles(at time: Double) -> (yaw: Double, pitch: Double, roll: Double) {
    switch attitude {
    case .fixed(let yaw, let pitch, let roll):
      return (yaw, pitch, roll)
    case .following(let angles):
      let now = angles.position(at: time)
      return (now.x, now.y, now.z)
    case .turning(let yaw, let rate, let pitch):
      return (yaw + rate * time, pitch, 0)
    case .towards(let target):
      let offset = target.position(at: time) - trajectory.position(at: time)
      let length = offset.length
      guard length > 0 else { return (0, 0, 0) }
      return (atan2(-offset.x, -offset.z), (offset / length).elevation, 0)
    }
  }

  /// The pose at a time, s.
  public func pose(at time: Double) -> DevicePose {
    let angles = angles(at: time)
    return DevicePose(position: trajectory.position(at: time), yaw: angles.yaw, pitch: angles.pitch, roll: angles.roll)
  }
}
