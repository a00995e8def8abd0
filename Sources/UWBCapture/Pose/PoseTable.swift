import Foundation
import UWBTypes

/// How a device lay while it recorded: a CSV table of its pose over the capture's time, as an inertial or camera tracker writes it.
///
///     time_s,qx,qy,qz,qw[,x_m,y_m,z_m]        or        time_s,yaw_deg[,pitch_deg][,roll_deg][,x_m,y_m,z_m]
///
/// `time_s` counts as the capture's exchanges do and grows from row to row; where it holds ISO 8601 times, they count from the first row. The world's axes are right-handed with +y up and stay where they
/// are. The quaternion turns the device's axes (+x right, +y up, −z out of its back) into the world's; the angles do the same: first `yaw`
/// about +y (positive turns the back to the left), then `pitch` about the device's own +x (positive raises its back), then `roll`
/// about its own +z. Without a place the device only turns.
///
/// Between two rows the pose turns and moves steadily. Memory: 64 bytes a row.
public struct PoseTable: Sendable {
  /// Rows further apart than this say nothing of what lies between them, s.
  public static let longestGap = 1.0
  /// So long before the first row and after the last one, and at the edge of a gap, the nearest row is taken, s.
  public static let longestHold = 0.25
  /// More rows than these are refused: 200 a second for some five hours.
  public static let mostRows = 4_000_000

  private static let angles = ["yaw_deg", "pitch_deg", "roll_deg"]
  private static let quaternion = ["qx", "qy", "qz", "qw"]
  private static let place = ["x_m", "y_m", "z_m"]
  private static let remedy =
    "A pose table has the columns time_s, then qx,qy,qz,qw or yaw_deg,pitch_deg,roll_deg, and x_m,y_m,z_m if places are known."

  private var times: [Double] = []
  private var rotations: [SIMD4<Double>] = []
  private var positions: [SIMD3<Double>] = []

  /// Rows.
  public var count: Int { times.count }

  /// - Throws: `CaptureError` that names the line, for a file that can't be read, columns that don't go together, a field
  ///   that is no number, times that don't grow, or a quaternion that is none.
  public init(path: String) throws {
    try self.init(ByteSource(path: path))
  }

  public init(_ source: ByteSource) throws {
    var table = try CSVTable(source)
    func failure(_ place: String, _ problem: String) -> CaptureError {
      CaptureError(file: source.name, place: place, problem: problem, remedy: Self.remedy)
    }
    let known = ["time_s"] + Self.quaternion + Self.angles + Self.place
    for (index, name) in table.header.enumerated() {
      guard known.contains(where: { name.caseInsensitiveCompare($0) == .orderedSame }) else {
        throw failure("header", "there is no column “\(name)” in a pose table")
      }
      guard table.column(name) == index else { throw failure("header", "the column “\(name)” is there twice") }
    }
    guard let time = table.column("time_s") else { throw failure("header", "the column “time_s” is missing") }
    let quaternion = Self.quaternion.compactMap(table.column)
    let angles = Self.angles.map(table.column)
    let place = Self.place.compactMap(table.column)
    guard quaternion.isEmpty || quaternion.count == 4, place.isEmpty || place.count == 3 else {
      throw failure("header", "of qx,qy,qz,qw, or of x_m,y_m,z_m, some are missing")
    }
    guard quaternion.isEmpty != (angles[0] == nil), !quaternion.isEmpty || angles[0] != nil,
      quaternion.isEmpty || angles.allSatisfy({ $0 == nil })
    else { throw failure("header", "a pose is a quaternion or angles that begin with yaw_deg, one of the two") }

    var clock = TableClock()
    var origin = 0.0
    while let row = try table.next() {
      let line = "line \(row.line)"
      guard row.fields.count == table.header.count else {
        throw failure(line, "it has \(row.fields.count) fields, the header \(table.header.count)")
      }
      guard times.count < Self.mostRows else { throw failure(line, "there are more than \(Self.mostRows) rows") }
      func number(_ column: Int, within limit: Double) throws -> Double {
        guard let value = row.number(column), abs(value) <= limit else {
          throw failure("\(line), \(table.header[column])", "“\(row.fields[column])” is out of range or no number")
        }
        return value
      }
      guard let stamped = clock.seconds(row.fields[time], row.dialect), TableClock.range.contains(stamped) else {
        throw failure("\(line), \(table.header[time])", "“\(row.fields[time])” is no time")
      }
      // A date is none of the capture's own times: the first row is taken for its begin.
      if times.isEmpty, row.number(time) == nil { origin = stamped }
      let now = stamped - origin
      guard abs(now) <= 1e9 else {
        throw failure("\(line), \(table.header[time])", "“\(row.fields[time])” is out of range")
      }
      guard times.last.map({ now > $0 }) ?? true else { throw failure(line, "its time does not follow the one before") }
      var rotation = SIMD4<Double>()
      if quaternion.isEmpty {
        let radians = try angles.map { try $0.map { try number($0, within: 1e6) * .pi / 180 } ?? 0 }
        rotation = Self.rotation(yaw: radians[0], pitch: radians[1], roll: radians[2])
      } else {
        for (axis, column) in quaternion.enumerated() { rotation[axis] = try number(column, within: 2) }
        let length = (rotation * rotation).sum().squareRoot()
        guard abs(length - 1) < 0.05 else {
          throw failure(line, "a quaternion of length \((length * 1000).rounded() / 1000) turns nothing")
        }
        rotation /= length
      }
      var position = SIMD3<Double>()
      for (axis, column) in place.enumerated() { position[axis] = try number(column, within: 1e7) }
      times.append(now)
      rotations.append(rotation)
      positions.append(position)
    }
    guard !times.isEmpty else { throw failure("its end", "there is no row") }
  }

  /// The device's pose at a time, s; `nil` where the table does not tell. Cost O(log rows).
  public func pose(at time: Double) -> DevicePose? {
    guard time.isFinite else { return nil }
    // The first row that is later.
    var (lower, upper) = (0, times.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if times[middle] > time { upper = middle } else { lower = middle + 1 }
    }
    let (before, after) = (lower - 1, lower)
    guard before >= 0, after < times.count, times[after] - times[before] <= Self.longestGap else {
      let nearest = [before, after].filter(times.indices.contains).min { abs(times[$0] - time) < abs(times[$1] - time) }
      guard let nearest, abs(times[nearest] - time) <= Self.longestHold else { return nil }
      return Self.pose(rotations[nearest], positions[nearest])
    }
    let part = (time - times[before]) / (times[after] - times[before])
    return Self.pose(
      Self.between(rotations[before], rotations[after], part),
      positions[before] + part * (positions[after] - positions[before]))
  }

  /// Along the shortest way, at a steady rate (Shoemake 1985).
  private static func between(_ one: SIMD4<Double>, _ other: SIMD4<Double>, _ part: Double) -> SIMD4<Double> {
    let cosine = (one * other).sum()
    // A quaternion and its negative are the same turn.
    let end = cosine < 0 ? -other : other
    let angle = acos(min(1, abs(cosine)))
    guard angle > 1e-6 else { return one }
    return (sin((1 - part) * angle) * one + sin(part * angle) * end) / sin(angle)
  }

  private static func rotation(yaw: Double, pitch: Double, roll: Double) -> SIMD4<Double> {
    let (cy, sy) = (cos(yaw / 2), sin(yaw / 2))
    let (cp, sp) = (cos(pitch / 2), sin(pitch / 2))
    let (cr, sr) = (cos(roll / 2), sin(roll / 2))
    // The product of the turns about y, x and z.
    return SIMD4(
      cy * sp * cr + sy * cp * sr, sy * cp * cr - cy * sp * sr, cy * cp * sr - sy * sp * cr, cy * cp * cr + sy * sp * sr
    )
  }

  private static func pose(_ q: SIMD4<Double>, _ position: SIMD3<Double>) -> DevicePose {
    let (x, y, z, w) = (q.x, q.y, q.z, q.w)
    // Columns of the rotation matrix.
    return DevicePose(
      position: position,
      right: SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)),
      up: SIMD3(2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)),
      front: SIMD3(2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)))
  }
}
