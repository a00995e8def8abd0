import UWBDSP
import UWBReport

/// What a calibration holds, for pages: delays and what power adds, phases over direction.
enum CalibrationSections {
  static func all(_ calibration: Calibration) -> [Page.Section] {
    delay(calibration.delay) + (calibration.angle.map(angle) ?? [])
  }

  static func delay(_ calibration: DelayCalibration?) -> [Page.Section] {
    guard let calibration else { return [] }
    var section = Page.Section(
      "Antenna delays", tables: calibration.devices.isEmpty ? [] : [CalibrationText.delays(calibration)])
    let curves = [("line of sight", calibration.lineOfSight)] + (calibration.obstructed.map { [("NLOS", $0)] } ?? [])
    var panel = Panel(
      title: "Range bias over received power", x: Axis("received power (dBm)"), y: Axis("measured less true (m)"))
    panel.series = curves.enumerated().compactMap { index, curve in
      curve.1.knots.isEmpty
        ? nil : Series(curve.0, x: curve.1.knots, y: curve.1.values, ink: .series(index), marker: .dot)
    }
    if !panel.series.isEmpty { section.blocks.append(.charts(PageCharts([panel]))) }
    return section.blocks.isEmpty ? [] : [section]
  }

  /// Delays as lengths, for the top of a page.
  static func picture(_ calibration: DelayCalibration?) -> PagePicture? {
    PagePicture(
      "Antenna delays.", unit: "m",
      bars: (calibration?.devices ?? []).map { device in
        let length = device.delay * UWB.speedOfLightInAir / 2
        return .init(
          device.address.map { "device \($0)" } ?? "all devices", value: length,
          extent: min(0, length)...max(0, length))
      }, caption: "What each device's antenna delay adds to a distance; transmission and reception together.")
  }

  static func angle(_ calibration: AngleCalibration) -> [Page.Section] {
    var sections: [Page.Section] = []
    if let manifold = calibration.manifold {
      sections.append(
        .init(
          "Phase differences over direction",
          note: "Mean phases at the nodes of the table, unwrapped, and one standard deviation of a measurement.",
          [.charts(phases(manifold))]))
    }
    if let antennas = calibration.antennas {
      var table = EvaluationTable(name: "effective positions", columns: ["antenna", "x_m", "y_m", "z_m"])
      for (index, position) in antennas.positions.enumerated() {
        table.add([.count(index)] + (0..<3).map { .number(position[$0], places: 5) })
      }
      sections.append(.init("Antennas", tables: [table]))
    }
    return sections
  }

  /// Over azimuth, an elevation at a time.
  private static func phases(_ manifold: PhaseManifold) -> PageCharts {
    let azimuths = (0..<manifold.azimuth.count).map {
      (manifold.azimuth.start + manifold.azimuth.step * Double($0)).degrees
    }
    return PageCharts(
      choosing: "Elevation",
      from: (0..<manifold.elevation.count).map { row in
        let elevation = (manifold.elevation.start + manifold.elevation.step * Double(row)).degrees
        let nodes = row * azimuths.count..<(row + 1) * azimuths.count
        var panel = Panel(
          title: "\(String(decimal: elevation, places: 1))°", x: Axis("azimuth (°)"), y: Axis("phase difference (°)"))
        panel.series = manifold.channels.enumerated().flatMap { index, channel in
          let mean = channel.phases[nodes].map(\.degrees)
          let spread = channel.variances[nodes].map { $0.squareRoot().degrees }
          let name = "difference \(index + 1)"
          return [
            Series(name, x: azimuths, y: mean, ink: .series(index), marker: .dot),
            Series("\(name) + σ", x: azimuths, y: zip(mean, spread).map(+), ink: .series(index), line: .dotted),
            Series("\(name) − σ", x: azimuths, y: zip(mean, spread).map(-), ink: .series(index), line: .dotted),
          ]
        }
        return panel
      })
  }
}
