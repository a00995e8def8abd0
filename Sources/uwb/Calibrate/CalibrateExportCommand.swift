import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP
import UWBReport

/// `uwb calibrate export`: a calibration file as chips take it.
struct CalibrateExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a calibration in a chip's own layout.",
    discussion: """
      qorvo: a JSON file for Qorvo's load_cal (antenna delay, tables of phase differences). nxp: UCI commands in hexadecimal, a \
      line each (offsets of phase differences). text: all of it, for people. A chip ranges with its own first path: calibrate \
      with --delay chip. What a layout can't hold, or what is not known well enough, is reported and not written.

      EXAMPLES
        uwb calibrate export cal.json --to qorvo --antenna-delay 16375 --out board.json
        uwb calibrate export cal.json --to nxp --pdoa-offset 2.3,21.4
        uwb calibrate export cal.json --to text
      """)

  @Argument(help: ArgumentHelp("Calibration file that uwb calibrate wrote.", valueName: "cal.json"))
  var calibration: String

  @Option(help: "Layout: qorvo, nxp or text.")
  var to: ChipLayout

  @Option(help: ArgumentHelp("File to write; standard output without.", valueName: "file"))
  var out: String?

  @Option(help: "Channel that was calibrated: 5 or 9.")
  var channel = Channel.nine

  @Option(help: ArgumentHelp("Device whose delay is meant, where the file knows several.", valueName: "address"))
  var device: DeviceAddress?

  @Option(
    help: ArgumentHelp("qorvo: antenna delay that the chip had while it was calibrated.", valueName: "ticks"),
    transform: OptionRange.reader(ChipLayout.antennaDelays))
  var antennaDelay: Int?

  @Option(help: "qorvo: antenna path of the delay.", transform: OptionRange.reader(ChipLayout.antennas))
  var antenna = 0

  @Option(
    help: ArgumentHelp(
      "nxp: offsets that the chip had while it was calibrated, of pairs 1, 2, …; 0 without.", valueName: "degrees,…"),
    transform: ChipLayout.offsets)
  var pdoaOffset: [Double] = []

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  enum Channel: String, ExpressibleByArgument, CaseIterable {
    case five = "5"
    case nine = "9"
  }

  func run() throws {
    let file = try page.begin(files: [(ReportFile.calibration, calibration)], outputs: [out])
    let known = try CalibrationFile.read(calibration)
    let export = ChipCalibration(
      file: calibration, calibration: known, channel: UInt8(channel.rawValue) ?? 9, device: device,
      antennaDelay: antennaDelay, antenna: antenna, pdoaOffsets: pdoaOffset)
    let made = try to.make(export)
    for text in made.untold { Message.warn("\(calibration), \(text)") }
    if let out { try OutputFile.write(made.text, to: out) } else { try ByteOutput.write(made.text) }
    try file?.write { provenance in
      var page = Page(
        title: "Calibration \(calibration) for \(to.rawValue)",
        sentence: made.untold.isEmpty
          ? "All parts of the calibration are in the exported file."
          : "\(made.untold.count) parts of the calibration are not in the exported file: see below.",
        picture: CalibrationSections.picture(known.delay), sections: CalibrationSections.all(known),
        provenance: provenance)
      if !made.untold.isEmpty {
        page.sections.insert(.init("What was not exported", made.untold.map { .text($0) }), at: 0)
      }
      page.sections.append(
        .init(
          "The exported file", [.listing("Its lines", lines: made.text.split(separator: "\n").map(String.init))]))
      page.leadWithCharts()
      return page
    }
  }
}

extension DeviceAddress: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

/// What is to be written, and for what.
struct ChipCalibration {
  var file: String
  var calibration: Calibration
  var channel: UInt8
  var device: DeviceAddress?
  /// What the chip had while it was calibrated, ticks and degrees.
  var antennaDelay: Int?
  var antenna = 0
  var pdoaOffsets: [Double] = []

  func failure(_ place: String?, _ problem: String, _ remedy: String) -> CaptureError {
    CaptureError(file: file, place: place, problem: problem, remedy: remedy)
  }

  /// Residual delay of the device that is meant, s; `nil` without a delay part.
  ///
  /// - Throws: `CaptureError` where the file knows several devices, or not this one.
  func delay() throws -> Double? {
    guard let devices = calibration.delay?.devices, !devices.isEmpty else { return nil }
    if let device {
      guard let found = devices.first(where: { $0.address.flatMap { DeviceAddress($0) } == device }) else {
        throw failure(
          "delay", "it knows no delay of the device \(device)", "Name one that it knows: \(names(devices)).")
      }
      return found.delay
    }
    guard devices.count == 1 else {
      throw failure("delay", "it knows \(devices.count) devices", "Name one with --device: \(names(devices)).")
    }
    return devices[0].delay
  }

  private func names(_ devices: [DelayCalibration.Device]) -> String {
    devices.map { $0.address ?? "(unnamed)" }.joined(separator: ", ")
  }

  /// What no chip's layout holds, or does not fit a chip.
  var untold: [String] {
    var list: [String] = []
    if let delay = calibration.delay {
      if !delay.lineOfSight.knots.isEmpty || delay.obstructed != nil {
        list.append("delay: the bias over received power has no place in a chip and is not written")
      }
      if let method = calibration.origins?.delay?.delay, method != DelayMethod.chip.name {
        list.append(
          "delay: made with --delay \(method), and a chip takes its own first path; where captures hold CIRs, calibrate with --delay chip"
        )
      }
    }
    if calibration.quality != nil {
      list.append("bias: line of sight and range bias have no place in a chip and are not written")
    }
    if calibration.angle?.antennas != nil {
      list.append("angle, antennas: gains and places of antennas have no place in a chip and are not written")
    }
    return list
  }
}
