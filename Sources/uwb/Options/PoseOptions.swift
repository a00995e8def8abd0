import ArgumentParser
import UWBCapture

/// How the device lay while it recorded: for the verbs that track.
struct PoseOptions: ParsableArguments {
  static let oneCapture = "--pose is of one capture; replay captures with poses one by one."

  @Option(
    help: ArgumentHelp(
      "The device's own pose over time: directions are tracked in the room, so that a turn of the device does not turn the peer.",
      discussion:
        "Columns: time_s, then qx,qy,qz,qw or yaw_deg,pitch_deg,roll_deg, and x_m,y_m,z_m where places are known.",
      valueName: "file.csv"))
  var pose: String?

  /// - Throws: `CaptureError` for a table that can't be read.
  func table() throws -> PoseTable? { try pose.map { try PoseTable(path: $0) } }

  /// What the table could not tell.
  func tell(_ totals: ReplayTotals) {
    guard let pose, totals.withoutPose > 0 else { return }
    Message.note(
      "\(pose): it tells no pose at the time of \(totals.withoutPose) of \(totals.exchanges) exchanges; time_s counts from the capture's "
        + "first exchange.")
  }
}
