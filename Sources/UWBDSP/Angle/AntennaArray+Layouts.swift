import UWBPlatform

/// Layouts that people build. Spacings in metres; antenna 0 is the first named of each. All of them lie in the plane
/// z = 0, so that they can't tell front from back; a row measures the angle to its own axis alone.
extension AntennaArray {
  /// `count` antennas in a row from −x to +x, about the origin.
  public static func linear(count: Int, spacing: Double, carrier: Double) -> AntennaArray {
    AntennaArray(
      positions: (0..<count).map { SIMD3(spacing * (Double($0) - Double(count - 1) / 2), 0, 0) }, carrier: carrier)
  }

  /// A corner antenna at the origin, `right` antennas along +x from it and `up` along +y.
  public static func cornered(right: Int = 1, up: Int = 1, spacing: Double, carrier: Double) -> AntennaArray {
    AntennaArray(
      positions: [SIMD3()] + (1..<(right + 1)).map { SIMD3(spacing * Double($0), 0, 0) }
        + (1..<(up + 1)).map { SIMD3(0, spacing * Double($0), 0) },
      carrier: carrier)
  }

  /// `columns` × `rows` antennas about the origin, row by row from the lowest, each row from left to right.
  public static func rectangular(
    columns: Int, rows: Int, spacing: SIMD2<Double>, carrier: Double
  ) -> AntennaArray {
    var positions: [SIMD3<Double>] = []
    for row in 0..<rows {
      for column in 0..<columns {
        positions.append(
          SIMD3(
            spacing.x * (Double(column) - Double(columns - 1) / 2), spacing.y * (Double(row) - Double(rows - 1) / 2),
            0))
      }
    }
    return AntennaArray(positions: positions, carrier: carrier)
  }

  /// `count` antennas on a circle about the origin in the plane z = 0, the first on +x, the next towards +y.
  public static func circular(count: Int, radius: Double, carrier: Double) -> AntennaArray {
    AntennaArray(
      positions: (0..<count).map { index in
        let angle = 2 * Double.pi * Double(index) / Double(count)
        return SIMD3(radius * cos(angle), radius * sin(angle), 0)
      }, carrier: carrier)
  }
}
