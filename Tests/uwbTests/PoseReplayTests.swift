import Foundation
import Testing
import UWBCapture
import UWBDSP
import UWBSimulation

/// `uwb replay --pose`: a device that turns to and fro, a peer that stays where it is.
@Suite("replay --pose") struct PoseReplayTests {
  private struct Swing {
    let folder: TemporaryFolder
    let capture: String
    let poses: String

    /// 12 s, ±40° in 2 s each way; poses at 50 a second.
    init() throws {
      folder = try TemporaryFolder()
      var turns: [(time: Double, position: SIMD3<Double>)] = []
      for step in 0...6 { turns.append((2 * Double(step), SIMD3(step % 2 == 0 ? -0.7 : 0.7, 0, 0))) }
      let motion = Motion(.stationary(SIMD3(0, 1.3, 0)), attitude: .following(.timed(turns)))
      var link = ExchangeConfiguration(
        profile: .ideal, array: .lShaped(), peerTrajectory: .stationary(SIMD3(0.3, 1.6, -4)), exchangeCount: 120)
      link.localMotion = motion
      link.snrAtOneMetredB = 30
      let path = folder.path("swing")
      let writer = try createCapture(
        path, header: CaptureHeader(format: "sigmf", profile: "ideal", array: AntennaArray.lShaped().layout),
        format: .sigmf)
      for exchange in ExchangeSimulator(link, seed: 61) { try writer.append(exchange) }
      try writer.finish()
      capture = path + ".sigmf-meta"
      poses = folder.path("pose.csv")
      var text = "time_s,yaw_deg,pitch_deg,roll_deg,x_m,y_m,z_m\n"
      for step in 0...600 {
        let time = 0.02 * Double(step)
        text += "\(time),\(motion.angles(at: time).yaw * 180 / .pi),0,0,0,1.3,0\n"
      }
      try text.write(toFile: poses, atomically: true, encoding: .utf8)
    }
  }

  /// Root of the mean square azimuth error of the later updates, °.
  private static func error(_ run: UwbProcess) throws -> Double {
    #expect(run.status == 0, "\(run.errors)")
    let updates = try run.events().filter { $0["event"] as? String == "update" }.dropFirst(20)
    #expect(updates.count == 100)
    var sum = 0.0
    for update in updates {
      let error = try #require(update["azimuth_deg"] as? Double) - #require(update["true_azimuth_deg"] as? Double)
      sum += error * error
    }
    return (sum / Double(updates.count)).squareRoot()
  }

  @Test("with its pose the device's turns are not the peer's")
  func turning() throws {
    let swing = try Swing()
    let plain = try UwbProcess.run("replay", swing.capture)
    let posed = try UwbProcess.run("replay", swing.capture, "--pose", swing.poses)
    let (without, with) = (try Self.error(plain), try Self.error(posed))
    print("azimuth error \(without)° without a pose, \(with)° with it")
    #expect(with < without)
    #expect(!posed.errors.contains("pose"), "\(posed.errors)")
    // Joined shards are tracked with the same poses, to the byte.
    let shards = try (1...2).map { part in
      let run = try UwbProcess.run("replay", swing.capture, "--shard", "\(part)/2")
      let file = swing.folder.path("\(part).ndjson")
      try run.output.write(toFile: file, atomically: true, encoding: .utf8)
      return file
    }
    let merged = try UwbProcess.run(["merge"] + shards + ["--pose", swing.poses])
    #expect(merged.output == posed.output)
    #expect(try UwbProcess.run(["merge"] + shards).output == plain.output)
  }

  @Test("a table of another time is told of, and changes nothing")
  func elsewhere() throws {
    let swing = try Swing()
    let other = swing.folder.path("other.csv")
    try "time_s,yaw_deg\n500,0\n501,3\n".write(toFile: other, atomically: true, encoding: .utf8)
    let run = try UwbProcess.run("replay", swing.capture, "--pose", other)
    #expect(run.status == 0 && run.errors.contains("120 of 120 exchanges") && run.errors.contains("other.csv"))
    #expect(try UwbProcess.run("replay", swing.capture).output == run.output)
  }

  @Test func wrongUse() throws {
    let folder = try TemporaryFolder()
    let bad = folder.path("bad.csv")
    try "time_s,yaw_deg\n1,0\n0.5,0\n".write(toFile: bad, atomically: true, encoding: .utf8)
    #expect(try UwbProcess.run("replay", "a", "b", "--pose", bad).status == 64)
    #expect(try UwbProcess.run("replay", "a", "--pose", bad, "--shard", "1/2").status == 64)
    let run = try UwbProcess.run("replay", "a", "--pose", bad)
    #expect(run.status == 1 && run.errors.contains("bad.csv, line 3"), "\(run.errors)")
    #expect(try UwbProcess.run("replay", "a", "--pose", folder.path("none.csv")).errors.contains("none.csv"))
  }
}
