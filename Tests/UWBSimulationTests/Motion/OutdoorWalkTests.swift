import Foundation
import TestSupport
import Testing
import UWBDSP

/// Real walks with truth by satellite: ranges of a radio on a moving platform to four others, in line of sight and not.
@Suite("outdoor walks (need UWB_DATA)", .needsRealData("outdoor-walks"))
struct OutdoorWalkTests {
  /// The truth comes so much later than the ranges, s: with it all eight series agree best with their truth.
  private static let lag = 0.175
  /// Of the radio above what the truth is of, m.
  private static let height = 1.0

  private struct Row {
    var time: Double
    var values: [Double]
  }

  /// Rows of numbers below a header; the first of `timeColumn` is in nanoseconds.
  private static func rows(_ path: String, time: Int, from start: Double?) throws -> (rows: [Row], start: Double) {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
    let numbers = try lines.map { try $0.split(separator: ",").map { try #require(Double($0)) } }
    let first = try start ?? (try #require(numbers.first))[time]
    return (numbers.map { Row(time: ($0[time] - first) * 1e-9, values: $0) }, first)
  }

  @Test(arguments: ["LOS/Trajectory_A/Case_1", "NLOS/Trajectory_B/Case_3"], ["A3", "A5", "A9", "A12"])
  func outliersAreNotDelivered(walk: String, anchor: String) throws {
    let folder = try RealData.path("outdoor-walks/\(walk)")
    let (ranges, start) = try Self.rows("\(folder)/\(anchor).csv", time: 1, from: nil)
    let truth = try Self.rows("\(folder)/trajectory.csv", time: 0, from: start).rows
    var tracker = PeerTracker()
    var (raw, delivered) = ([Double](), [Double]())
    var index = 0
    for range in ranges {
      let output = tracker.update(
        RangingMeasurement(
          exchange: 0, time: range.time, peer: DeviceAddress(rawValue: 1), status: .ok, distance: range.values[6],
          distanceDeviation: 0.026))
      let time = range.time - Self.lag
      while index + 2 < truth.count, truth[index + 1].time < time { index += 1 }
      guard truth[index].time <= time, time <= truth[index + 1].time else { continue }
      let part = (time - truth[index].time) / (truth[index + 1].time - truth[index].time)
      let place = (1...3).map { truth[index].values[$0] * (1 - part) + truth[index + 1].values[$0] * part }
      let (x, y, z) = (place[0] - range.values[3], place[1] - range.values[4], place[2] + Self.height - range.values[5])
      let distance = (x * x + y * y + z * z).squareRoot()
      raw.append(abs(range.values[6] - distance))
      delivered.append(abs(try #require(output.measurement.distance) - distance))
    }
    #expect(raw.count > 1000)
    func far(_ errors: [Double]) -> Int { errors.count { $0 > 1 } }
    func percentile(_ errors: [Double]) -> Double { errors.sorted()[errors.count * 95 / 100] }
    #expect(far(delivered) <= far(raw) / 10, "\(far(delivered)) of \(far(raw))")
    #expect(percentile(delivered) <= percentile(raw), "\(percentile(delivered)), \(percentile(raw)) m")
  }
}
