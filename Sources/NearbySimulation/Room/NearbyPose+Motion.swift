import NearbySession
import UWBPlatform
import UWBSimulation

extension NearbyPose {
  /// The pose that a camera or an inertial unit would give of a moving device.
  public init?(_ motion: Motion, at time: Double) {
    let angles = motion.angles(at: time)
    let (sy, cy) = (sin(angles.yaw / 2), cos(angles.yaw / 2))
    let (sp, cp) = (sin(angles.pitch / 2), cos(angles.pitch / 2))
    let (sr, cr) = (sin(angles.roll / 2), cos(angles.roll / 2))
    // q_y(yaw)·q_x(pitch)·q_z(roll), as `DevicePose` turns.
    self.init(
      position: motion.trajectory.position(at: time),
      rotation: SIMD4(
        cy * sp * cr + sy * cp * sr, sy * cp * cr - cy * sp * sr, cy * cp * sr - sy * sp * cr,
        cy * cp * cr + sy * sp * sr))
  }
}
