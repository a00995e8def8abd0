import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP
import UWBSimulation

@Suite("pose tables") struct PoseTableTests {
  private static func table(_ bytes: [UInt8]) throws -> PoseTable {
    var left = ArraySlice(bytes)
    return try PoseTable(
      ByteSource(name: "pose.csv") { buffer in
        let count = min(buffer.count, left.count)
        buffer.copyBytes(from: left.prefix(count))
        left = left.dropFirst(count)
        return count
      })
  }

  private static func table(_ text: String) throws -> PoseTable { try table(Array(text.utf8)) }

  private static func near(_ one: SIMD3<Double>, _ other: SIMD3<Double>, _ limit: Double = 1e-12) -> Bool {
    let offset = one - other
    return (offset * offset).sum().squareRoot() < limit
  }

  /// The simulator turns devices by matrices of its own.
  @Test("angles turn as the simulator's poses do, quaternions as angles do")
  func angles() throws {
    var random = StatisticsRandom(seed: 2701)
    let degree = Double.pi / 180
    for _ in 0..<50 {
      let (yaw, pitch, roll) = (random.uniform(-400...400), random.uniform(-180...180), random.uniform(-180...180))
      let place = SIMD3(random.uniform(-5...5), random.uniform(-5...5), random.uniform(-5...5))
      let table = try Self.table(
        "time_s,roll_deg,pitch_deg,yaw_deg,x_m,y_m,z_m\n3,\(roll),\(pitch),\(yaw),\(place.x),\(place.y),\(place.z)\n")
      let pose = try #require(table.pose(at: 3))
      let expected = DevicePose(position: place, yaw: yaw * degree, pitch: pitch * degree, roll: roll * degree)
      #expect(Self.near(pose.right, expected.right) && Self.near(pose.up, expected.up))
      #expect(Self.near(pose.front, expected.front) && pose.position == place)
      // A quaternion of a turn by an angle about an axis, by the definition.
      let axis = expected.right * 0.36 + expected.up * 0.48 + expected.front * 0.8
      let angle = random.uniform(0.1...3)
      let q = SIMD4(axis * sin(angle / 2), cos(angle / 2))
      let turned = try #require(
        Self.table("time_s,qw,qx,qy,qz\n0,\(q.w),\(q.x),\(q.y),\(q.z)\n").pose(at: 0))
      // Rodrigues' formula for the image of +x.
      let x = SIMD3(1.0, 0, 0)
      let cross = SIMD3(0, axis.z, -axis.y)
      let image = x * cos(angle) + cross * sin(angle) + axis * (axis.x * (1 - cos(angle)))
      #expect(Self.near(turned.right, image))
      #expect(Self.near(turned.toDevice(turned.toWorld(place)), place))
      #expect(turned.position == .zero)
    }
  }

  @Test("between rows the pose turns and moves steadily, the shorter way")
  func between() throws {
    let degree = Double.pi / 180
    let table = try Self.table("time_s,yaw_deg,x_m,y_m,z_m\n0,170,0,1,0\n0.5,-130,1,1,-4\n")
    for part in [0.0, 0.25, 0.5, 0.9] {
      let pose = try #require(table.pose(at: 0.5 * part))
      let expected = DevicePose(position: SIMD3(part, 1, -4 * part), yaw: (170 + 60 * part) * degree)
      #expect(Self.near(pose.front, expected.front) && Self.near(pose.position, expected.position), "\(part)")
    }
    // The same turn by a quaternion and by its negative.
    let signs = try Self.table("time_s,qx,qy,qz,qw\n0,0,0,0,1\n1,0,-0.1,0,-0.99498743710662\n")
    let middle = try #require(signs.pose(at: 0.5))
    #expect(abs(middle.front.x - sin(asin(0.1))) < 1e-9)
  }

  @Test("where the table does not tell, there is no pose")
  func silence() throws {
    let table = try Self.table("time_s,yaw_deg\n1,0\n2,10\n4,20\n")
    #expect(table.count == 3)
    for time in [0.8, 1, 1.5, 2, 2.2, 3.8, 4, 4.2] { #expect(table.pose(at: time) != nil, "\(time)") }
    for time in [0.7, 2.3, 3, 3.7, 4.3, -.infinity, .infinity, .nan] { #expect(table.pose(at: time) == nil, "\(time)") }
  }

  @Test(
    "what makes no sense is refused with its line",
    arguments: [
      ("", "is empty"), ("time_s\n1\n", "a quaternion or angles"), ("yaw_deg\n1\n", "time_s"),
      ("time_s,yaw_deg\n", "no row"), ("time_s,yaw_deg\n1\n", "line 2"), ("time_s,yaw_deg\n1,x\n", "yaw_deg"),
      ("time_s,yaw_deg\n1,nan\n", "line 2"), ("time_s,yaw_deg\n1,inf\n", "line 2"), ("time_s,yaw_deg\n1,\n", "line 2"),
      ("time_s,yaw_deg\n1,0\n1,0\n", "line 3"), ("time_s,yaw_deg\n2,0\n1,0\n", "line 3"),
      ("time_s,pitch_deg\n1,0\n", "yaw_deg"), ("time_s,yaw_deg,qx,qy,qz,qw\n1,0,0,0,0,1\n", "one of the two"),
      ("time_s,qx,qy,qz\n1,0,0,0\n", "missing"), ("time_s,yaw_deg,x_m\n1,0,0\n", "missing"),
      ("time_s,qx,qy,qz,qw\n1,0,0,0,0\n", "line 2"), ("time_s,qx,qy,qz,qw\n1,1,1,0,0\n", "length 1.414"),
      ("time_s,yaw_deg,speed\n1,0,0\n", "speed"), ("time_s,yaw_deg,yaw_deg\n1,0,0\n", "twice"),
      ("time_s,yaw_deg\n1e300,0\n", "time_s"),
    ])
  func hostile(text: String, shown: String) {
    expectRefusal(of: text, showing: [shown, "pose.csv"]) { _ = try Self.table(text) }
  }

  /// Whatever the bytes, a table or an error, and poses that are turns.
  @Test("cut at every byte, and 5 000 random changes")
  func damaged() throws {
    var random = StatisticsRandom(seed: 2711)
    let whole = Array(
      "# tracker\ntime_s,qx,qy,qz,qw,x_m,y_m,z_m\n0,0,0,0,1,0,1,0\n0.1,0,0.1,0,0.995,0,1,0\n0.25,0,0.2,0,0.98,0.5,1,0\n"
        .utf8)
    var accepted = 0
    func check(_ bytes: [UInt8]) throws {
      do {
        let table = try Self.table(bytes)
        accepted += 1
        for time in [-1, 0, 0.05, 0.2, 0.3, 2] {
          guard let pose = table.pose(at: time) else { continue }
          for axis in [pose.right, pose.up, pose.front] { #expect(abs((axis * axis).sum() - 1) < 1e-9) }
        }
      } catch is CaptureError {
      }
    }
    for count in whole.indices { try check(Array(whole[..<count])) }
    for _ in 0..<5000 {
      var bytes = whole
      for _ in 0...Int(random.uniform(0...3)) {
        let place = Int(random.uniform(0...Double(bytes.count) - 0.5))
        bytes[place] = UInt8(truncatingIfNeeded: random.next())
      }
      try check(bytes)
    }
    #expect(accepted > 100)
  }
}
