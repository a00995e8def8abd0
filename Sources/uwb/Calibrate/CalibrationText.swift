import UWBDSP

/// Delays and phase differences of a calibration as tables for people.
enum CalibrationText {
  static func make(_ calibration: Calibration) -> String {
    var tables: [EvaluationTable] = []
    if let delay = calibration.delay { tables.append(delays(delay)) }
    if let manifold = calibration.angle?.manifold {
      var table = EvaluationTable(
        name: "phase differences by direction",
        columns: ["azimuth_deg", "elevation_deg", "difference", "phase_deg", "phase_std_deg"])
      for elevation in 0..<manifold.elevation.count {
        for azimuth in 0..<manifold.azimuth.count {
          let node = elevation * manifold.azimuth.count + azimuth
          for (index, channel) in manifold.channels.enumerated() {
            table.add([
              degrees(manifold.azimuth.start + manifold.azimuth.step * Double(azimuth)),
              degrees(manifold.elevation.start + manifold.elevation.step * Double(elevation)), .count(index + 1),
              degrees(channel.phases[node]), degrees(channel.variances[node].squareRoot()),
            ])
          }
        }
      }
      tables.append(table)
    }
    return tables.isEmpty
      ? "no antenna delays and no phase differences\n" : tables.map { $0.lines() }.joined(separator: "\n")
  }

  static func delays(_ calibration: DelayCalibration) -> EvaluationTable {
    var table = EvaluationTable(
      name: "antenna delays, transmission and reception together; half of them on each",
      columns: ["device", "delay_ns", "delay_ticks", "range_m"])
    for device in calibration.devices {
      table.add([
        .text(device.address ?? "(unnamed)"), .number(device.delay * 1e9, places: 4),
        .number(device.delay / UWB.tick, places: 2), .number(device.delay * UWB.speedOfLightInAir / 2, places: 4),
      ])
    }
    return table
  }

  private static func degrees(_ radians: Double) -> EvaluationTable.Cell { .number(radians.degrees, places: 2) }
}
