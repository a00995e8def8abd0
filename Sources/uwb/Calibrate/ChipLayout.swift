import ArgumentParser
import Foundation
import UWBDSP

/// Layouts of chips' calibrations (`Documentation/explanation/Calibration.md` says where each is known from).
enum ChipLayout: String, ExpressibleByArgument, CaseIterable {
  case qorvo, nxp, text

  /// Ticks that an antenna delay may have: 16 bits.
  static let antennaDelays = 0...65_535
  static let antennas = 0...3

  /// Reads offsets of phase differences, degrees.
  @Sendable
  static func offsets(_ text: String) throws -> [Double] {
    try text.split(separator: ",").map { try OptionRange.reader(-180.0...180)(String($0)) }
  }

  struct Made {
    var text: String
    /// What the calibration holds and the text does not.
    var untold: [String]
  }

  /// - Throws: `CaptureError` where nothing can be written, and why.
  func make(_ wanted: ChipCalibration) throws -> Made {
    switch self {
    case .qorvo: try QorvoCalibration.make(wanted)
    case .nxp: try NXPCalibration.make(wanted)
    case .text: Made(text: CalibrationText.make(wanted.calibration), untold: [])
    }
  }
}

/// The JSON file that `load_cal` of Qorvo's tools sends to a chip, key by key: QM33 and DW3000 with UCI firmware, DWM3001C.
///
/// - `ant<n>.ch<c>.ant_delay`: antenna delay, 32 bits, ticks of 15.65 ps, for transmission and reception alike. A larger one makes
///   distances shorter. A device's delay is of both together: half of it is added.
/// - `pdoa_lut<n>.data`: 31 pairs of phase difference and angle, rad. Each has 16 bits, 11 of them fraction; phases ascend.
///   `ant_pair<n>.ch<c>.pdoa.lut_id` names the table of a pair.
enum QorvoCalibration {
  static let nodes = 31
  static let fraction = 2048.0

  static func make(_ wanted: ChipCalibration) throws -> ChipLayout.Made {
    var tables: [String] = []
    var keys: [String] = []
    if let delay = try wanted.delay() {
      guard let present = wanted.antennaDelay else {
        throw wanted.failure(
          "delay", "it holds what the chip's antenna delay lacks, and a chip takes the whole",
          "Give the delay that the chip had with --antenna-delay; the DWM3001CDK's LISTCAL shows it.")
      }
      let ticks = Double(present) + delay / UWB.tick / 2
      guard let whole = Int(checked: ticks.rounded()), ChipLayout.antennaDelays.contains(whole) else {
        throw wanted.failure("delay", "the antenna delay would be \(ticks) ticks", "Check --antenna-delay.")
      }
      keys.append("\"ant\(wanted.antenna).ch\(wanted.channel).ant_delay\": \"\(whole)\"")
    }
    if let manifold = wanted.calibration.angle?.manifold {
      for channel in manifold.channels.indices.prefix(2) {
        let table = try table(manifold, channel: channel, wanted)
        let name = "PDOA_LUT_\(channel)_CH\(wanted.channel)"
        let rows = table.map { "      [\(radians($0.phase)), \(radians($0.angle))]" }
        tables.append("    \"\(name)\": [\n\(rows.joined(separator: ",\n"))\n    ]")
        keys.append("\"pdoa_lut\(channel).data\": \"\(name)\"")
        keys.append("\"ant_pair\(channel).ch\(wanted.channel).pdoa.lut_id\": \"\(channel)\"")
      }
    }
    guard !keys.isEmpty else {
      throw wanted.failure(
        nil, "it holds neither antenna delays nor phase differences", "Measure them with uwb calibrate delay or angle.")
    }
    let text = """
      {
        "LUT": {
      \(tables.joined(separator: ",\n"))
        },
        "calibrations": {
      \(keys.map { "    \($0)" }.joined(separator: ",\n"))
        }
      }

      """
    return ChipLayout.Made(text: text, untold: wanted.untold)
  }

  /// The first difference over azimuth, the second over elevation; the other angle zero, or as near as the manifold goes.
  static func table(
    _ manifold: PhaseManifold, channel: Int, _ wanted: ChipCalibration
  ) throws -> [(phase: Double, angle: Double)] {
    let axis = channel == 0 ? manifold.azimuth : manifold.elevation
    let other = channel == 0 ? manifold.elevation : manifold.azimuth
    let place = "angle.manifold.channels[\(channel)]"
    guard axis.count > 1 else {
      throw wanted.failure(
        place, "it was measured at one \(channel == 0 ? "azimuth" : "elevation") alone", "Measure it over several.")
    }
    let across = min(max(0, other.start), other.end)
    var table = (0..<nodes).map { node -> (phase: Double, angle: Double) in
      let angle = axis.start + (axis.end - axis.start) * Double(node) / Double(nodes - 1)
      let phase = manifold.response(
        channel: channel, azimuth: channel == 0 ? angle : across, elevation: channel == 0 ? across : angle
      ).phase
      return ((phase * fraction).rounded() / fraction, angle)
    }
    if let first = table.first, let last = table.last, last.phase < first.phase { table.reverse() }
    guard zip(table, table.dropFirst()).allSatisfy({ $0.phase < $1.phase }), table.allSatisfy({ abs($0.phase) < 16 })
    else {
      throw wanted.failure(
        place, "its phase difference does not grow or fall steadily over the angle, and the chip's table has to",
        "Calibrate over a smaller range of angles.")
    }
    return table
  }

  private static func radians(_ value: Double) -> String { String(decimal: value, places: 4) }
}

/// UCI commands that NXP's chips take once they are reset, SR150 and SR250: `2F 21` with channel, parameter, length and value.
///
/// - 03: number of pairs, and for each its number and what is taken off its phase difference, degrees in Q9.7: the phase
///   difference at boresight.
///
/// Antenna delays (02) are not written: by how much a step moves a distance is not public. Tables of phase differences (62) are not
/// written: sources contradict each other about the order of their angles.
enum NXPCalibration {
  static func make(_ wanted: ChipCalibration) throws -> ChipLayout.Made {
    let delay =
      "what a step of NXP's antenna delay does to a distance is not public, so it is not written; --to text shows the delays"
    guard let manifold = wanted.calibration.angle?.manifold else {
      let hasDelay = wanted.calibration.delay != nil
      throw wanted.failure(
        hasDelay ? "delay" : nil, hasDelay ? delay : "it holds no phase differences",
        "Measure phase differences with uwb calibrate angle.")
    }
    let (azimuth, elevation) = (manifold.azimuth, manifold.elevation)
    guard azimuth.start <= 0, azimuth.end >= 0, elevation.start <= 0, elevation.end >= 0 else {
      throw wanted.failure("angle.manifold", "it does not reach boresight", "Measure azimuth 0 and elevation 0, too.")
    }
    var value: [UInt8] = [UInt8(manifold.channels.count)]
    for channel in manifold.channels.indices {
      let phase = manifold.response(channel: channel, azimuth: 0, elevation: 0).phase.degrees
      let present = channel < wanted.pdoaOffsets.count ? wanted.pdoaOffsets[channel] : 0
      // A whole turn less is the same phase.
      let offset = (phase + present).remainder(dividingBy: 360)
      let raw = UInt16(bitPattern: Int16((offset * 128).rounded()))
      value += [UInt8(channel + 1), UInt8(raw & 0xFF), UInt8(raw >> 8)]
    }
    let payload = [wanted.channel, 0x03, UInt8(value.count)] + value
    let packet = [0x2F, 0x21, 0x00, UInt8(payload.count)] + payload
    var untold = wanted.untold.filter { !$0.hasPrefix("delay") }
    if wanted.calibration.delay != nil { untold.append("delay: \(delay)") }
    untold.append(
      "angle: public sources contradict each other about the order of angles in NXP's tables; the offsets alone are written"
    )
    return ChipLayout.Made(text: HexText.string(packet) + "\n", untold: untold)
  }
}
