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

  /// What a table's axes are.
  public enum Frame: Sendable, Hashable {
    /// Of the local device in a world with +y up. Columns are called as above, and there are no others.
    case device
    /// Of a thing that moves in a room with +z up (`TruthTrajectory`): places, and perhaps a quaternion, or a heading about +z, counter-clockwise.
    /// Headers as they are usual; other columns are passed over, and so are rows whose time does not grow.
    case room

    var remedy: String {
      switch self {
      case .device:
        "A pose table has the columns time_s, then qx,qy,qz,qw or yaw_deg,pitch_deg,roll_deg, and x_m,y_m,z_m if places are known."
      case .room: "A trajectory has a time, x, y and z, and perhaps qx, qy, qz and qw, or a heading."
      }
    }
  }

  /// What the table's own clock says at its time 0, s; `nil` where its times are the capture's.
  public private(set) var clockStart: Double?
  /// Whether the quaternion's columns have no names.
  public private(set) var isQuaternionOrderOpen = false

  private var times: [Double] = []
  private var rotations: [SIMD4<Double>] = []
  private var positions: [SIMD3<Double>] = []

  /// Rows.
  public var count: Int { times.count }

  /// - Throws: `CaptureError` that names the line, for a file that can't be read, columns that don't go together, a field
  ///   that is no number, times that don't grow, or a quaternion that is none.
  public init(path: String, frame: Frame = .device) throws {
    try self.init(ByteSource(path: path), frame: frame)
  }

  /// - Parameter frame: what the table's axes are, and how strictly it is read.
  public init(_ source: ByteSource, frame: Frame = .device) throws {
    let rows = try TableRows(source)
    func failure(_ place: String, _ problem: String) -> CaptureError {
      CaptureError(file: source.name, place: place, problem: problem, remedy: frame.remedy)
    }
    let found = rows.found
    if frame == .device { try Self.check(rows.table) { failure("header", $0) } }
    guard found[.time] != nil || !rows.table.hasNames else {
      throw failure("header", "the column “time_s” is missing")
    }
    let unnamed = frame == .room ? Self.unnamedQuaternion(rows.header) : []
    isQuaternionOrderOpen = !unnamed.isEmpty
    let quaternion = unnamed.isEmpty ? TableQuantity.quaternion.compactMap { found[$0] } : unnamed
    let hasAngles = found[.yaw] != nil
    let hasPlace = TableQuantity.place.contains { found[$0] != nil }
    guard quaternion.isEmpty || quaternion.count == 4, !hasPlace || found.has(TableQuantity.place) else {
      throw failure("header", "of qx,qy,qz,qw, or of x_m,y_m,z_m, some are missing")
    }
    guard frame == .room ? hasPlace : quaternion.isEmpty == hasAngles else {
      throw failure(
        "header",
        frame == .room
          ? "a trajectory has the columns x, y and z"
          : "a pose is a quaternion or angles that begin with yaw_deg, one of the two")
    }

    var origin = 0.0
    while try rows.next() {
      let line = "line \(rows.row.line)"
      guard rows.isWhole else {
        throw failure(line, "it has \(rows.row.count) fields, the header \(rows.header.count)")
      }
      guard times.count < Self.mostRows else { throw failure(line, "there are more than \(Self.mostRows) rows") }
      do {
        guard let stamped = try rows.time() else {
          throw TableRows.BadField(column: found[.time]?.index ?? 0, problem: "is not a time")
        }
        // A date is none of the capture's own times: the first row is taken for its begin.
        if times.isEmpty, frame == .room || rows.row.number(found[.time]?.index) == nil {
          (origin, clockStart) = (stamped, stamped)
        }
        let now = stamped - origin
        guard abs(now) <= 1e9 else {
          throw TableRows.BadField(column: found[.time]?.index ?? 0, problem: "is out of range")
        }
        if let last = times.last, now <= last {
          if frame == .room { continue }
          throw failure(line, "its time does not follow the one before")
        }
        var rotation = SIMD4(0.0, 0, 0, 1)
        if !quaternion.isEmpty {
          for (axis, column) in quaternion.enumerated() { rotation[axis] = try rows.required(column, within: 2) }
          let length = (rotation * rotation).sum().squareRoot()
          guard abs(length - 1) < 0.05 else {
            throw failure(line, "a quaternion of length \((length * 1000).rounded() / 1000) turns nothing")
          }
          rotation /= length
        } else if hasAngles {
          var angles = SIMD3<Double>()
          for (axis, quantity) in TableQuantity.angles.enumerated() {
            if let column = found[quantity] { angles[axis] = try rows.required(column, within: 1e6) }
          }
          rotation =
            frame == .room
            ? Self.turn(angles.x) : Self.rotation(yaw: angles.x, pitch: angles.y, roll: angles.z)
        }
        var position = SIMD3<Double>()
        for (axis, quantity) in TableQuantity.place.enumerated() {
          if let column = found[quantity] { position[axis] = try rows.required(column, within: 1e7) }
        }
        times.append(now)
        rotations.append(rotation)
        positions.append(position)
      } catch let error as TableRows.BadField {
        throw CaptureError(
          file: source.name, place: "\(line), \(rows.header[error.column])",
          problem: "“\(rows.row.text(error.column))” \(error.problem)", remedy: frame.remedy)
      }
    }
    guard !times.isEmpty else { throw failure("its end", "there is no row") }
  }

  /// A pose table of the device has no other columns, and none twice.
  private static func check(_ table: CSVTable, _ failure: (String) -> CaptureError) throws {
    let known = ["time_s", "qx", "qy", "qz", "qw", "yaw_deg", "pitch_deg", "roll_deg", "x_m", "y_m", "z_m"]
    for (index, name) in table.header.enumerated() {
      guard known.contains(where: { name.caseInsensitiveCompare($0) == .orderedSame }) else {
        throw failure("there is no column “\(name)” in a pose table")
      }
      guard table.column(name) == index else { throw failure("the column “\(name)” is there twice") }
    }
    let hasQuaternion = ["qx", "qy", "qz", "qw"].contains { table.column($0) != nil }
    let hasAngles = ["yaw_deg", "pitch_deg", "roll_deg"].contains { table.column($0) != nil }
    guard hasQuaternion != hasAngles, !hasAngles || table.column("yaw_deg") != nil else {
      throw failure("a pose is a quaternion or angles that begin with yaw_deg, one of the two")
    }
  }

  /// Four columns of which the first alone has a name, `rotation,,,`.
  private static func unnamedQuaternion(_ header: [String]) -> [TableColumns.Column] {
    let names = ["rotation", "orientation", "quaternion", "quat"]
    guard let first = header.firstIndex(where: { names.contains(TableColumns.parse($0).name) }),
      first + 3 < header.count, header[first + 1...first + 3].allSatisfy(\.isEmpty)
    else { return [] }
    return (first..<first + 4).map { TableColumns.Column(index: $0, factor: 1, hasUnit: false) }
  }

  /// The table with the parts of its quaternions in another order: part k is read from column `order[k]` of x, y, z, w.
  func reordered(_ order: [Int]) -> PoseTable {
    var table = self
    table.rotations = rotations.map { SIMD4($0[order[0]], $0[order[1]], $0[order[2]], $0[order[3]]) }
    return table
  }

  /// Seconds from the first row to the last.
  var duration: Double { (times.last ?? 0) - (times.first ?? 0) }

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

  /// About +z.
  private static func turn(_ angle: Double) -> SIMD4<Double> { SIMD4(0, 0, sin(angle / 2), cos(angle / 2)) }

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
