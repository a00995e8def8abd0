import Foundation
import TestSupport
import Testing
import UWBDSP

/// A trolley under motion capture: ranges of three radios on it to eight on the walls, 100 Hz, noisier than stated.
@Suite("trolley (needs UWB_DATA)", .needsRealData("trolley-mocap")) struct TrolleyTests {
  private static let anchors: [SIMD3<Double>] = [
    SIMD3(-3.4203, 3.0053, 1.0442), SIMD3(0.0016, 3.0110, 1.0446), SIMD3(3.6056, 2.9795, 1.0463),
    SIMD3(3.6011, -0.0008, 1.0422), SIMD3(3.5674, -3.0087, 1.0443), SIMD3(-0.0072, -2.9652, 1.0444),
    SIMD3(-3.4673, -2.9587, 1.0445), SIMD3(-3.4858, -0.0098, 1.0457),
  ]
  /// In the trolley's frame.
  private static let tags: [SIMD3<Double>] = [
    SIMD3(-0.0689, -0.1423, 0.0011), SIMD3(-0.0750, 0.1402, 0.0016), SIMD3(0.2034, 0.1451, -0.0008),
  ]

  /// Seconds of the day, and what follows; an empty cell is none.
  private static func rows(_ name: String) throws -> [(time: Double, values: [Double?])] {
    let text = try String(
      contentsOfFile: RealData.path("trolley-mocap/\(name).csv"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("20") }.compactMap { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false)
      let clock =
        cells[0].split(separator: " ").last?.split(separator: ":").compactMap { Double($0) } ?? []
      guard clock.count == 3 else { return nil }
      return (clock[0] * 3600 + clock[1] * 60 + clock[2], cells.dropFirst().map { Double($0) })
    }
  }

  /// Where the tags are, between two rows of the motion capture. Its quaternion columns hold x, w, z, y: so they fit the ranges.
  private static func places(_ one: [Double], _ other: [Double], part: Double) -> [SIMD3<Double>] {
    let mean = zip(one, other).map { $0 + part * ($1 - $0) }
    let length = mean[3...6].reduce(0) { $0 + $1 * $1 }.squareRoot()
    let (w, axis) = (mean[4] / length, SIMD3(mean[3], mean[6], mean[5]) / length)
    return tags.map { tag in
      let turned = cross(axis, tag)
      return SIMD3(mean[0], mean[1], mean[2]) + tag + 2 * w * turned + 2 * cross(axis, turned)
    }
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }

  /// Each series less its median error, which no series tells: closer to the truth than what was measured, and as far off as is stated.
  @Test func noiseIsFollowed() throws {
    let truth = try Self.rows("motion-capture-fast").map {
      (time: $0.time, values: $0.values.compactMap { $0 })
    }
    let ranges = try Self.rows("uwb-fast")
    try #require(ranges.count > 10_000 && truth.allSatisfy { $0.values.count == 7 })
    var index = 0
    let places: [[SIMD3<Double>]?] = ranges.map { row in
      while index + 2 < truth.count, truth[index + 1].time <= row.time { index += 1 }
      let (one, other) = (truth[index], truth[index + 1])
      guard one.time <= row.time, row.time <= other.time, other.time > one.time else { return nil }
      return Self.places(
        one.values, other.values, part: (row.time - one.time) / (other.time - one.time))
    }
    var (raw, delivered, normalised) = (StatisticsErrors(), StatisticsErrors(), StatisticsErrors())
    for series in 0..<24 {
      var tracker = PeerTracker()
      var errors: [(raw: Double, delivered: Double, deviation: Double)] = []
      for (row, tags) in zip(ranges, places) {
        guard let tags, let range = row.values[series] else { continue }
        let output = tracker.update(
          RangingMeasurement(
            exchange: 0, time: row.time - ranges[0].time, peer: DeviceAddress(rawValue: 1),
            status: .ok, distance: range,
            distanceDeviation: 0.026)
        ).measurement
        let offset = tags[series % 3] - Self.anchors[series / 3]
        let distance = (offset * offset).sum().squareRoot()
        errors.append(
          (
            range - distance, try #require(output.distance) - distance,
            try #require(output.distanceDeviation)
          ))
      }
      let bias = errors.map(\.raw).sorted()[errors.count / 2]
      for one in errors {
        raw.add(one.raw - bias)
        delivered.add(one.delivered - bias)
        normalised.add((one.delivered - bias) / one.deviation)
      }
    }
    let ratio = delivered.rootMeanSquare / raw.rootMeanSquare
    #expect(ratio < 0.97, "\(ratio)")
    #expect(normalised.meanSquare > 0.5 && normalised.meanSquare < 2, "\(normalised.meanSquare)")
  }
}
