import ArgumentParser
import Foundation
import UWBCalibration
import UWBCapture
import UWBDSP
import UWBReport

/// `uwb calibrate pulse`: a radio's pulse from ordinary captures.
struct CalibratePulseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pulse", abstract: "Measure a radio's pulse from captures of many places.",
    discussion: """
      The mean power spectrum over many channels is that of the pulse. Its phase is that of the profile's pulse and a share of \
      the minimum phase of the filter between the two. Where another phase is much nearer, it lies between zero (a symmetric \
      pulse) and the minimum phase (a causal filter's). Phases are compared by their residual on the rise of first paths in \
      held-out CIRs. The file holds that residual as the model error, which replay --pulse uses. Give captures from a dozen \
      places or more: captures of one place show the channel of that place.

      EXAMPLE
        uwb calibrate pulse *.log --out pulse.json
      """)

  @Argument(help: ArgumentHelp("Captures to read.", valueName: "capture"))
  var captures: [String]

  @OptionGroup(title: "Input options") var options: InputOptions

  @Option(help: ArgumentHelp("File to write, read by replay --pulse.", valueName: "file.json"))
  var out: String

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  mutating func run() throws {
    captures = try options.captures(captures)
    let file = try page.begin(captures: captures, outputs: [out])
    var profiles: [DeviceProfile] = []
    var estimation: PulseEstimation?
    var spacing = UWB.tap
    for capture in captures {
      var reader = try options.open(capture)
      try reader.forEach(showing: capture, of: capture) { exchange, header in
        let profile = try options.deviceProfile(of: header, file: capture)
        if !profiles.contains(where: { $0.name == profile.name }) { profiles.append(profile) }
        for reception in exchange.messages.compactMap(\.reception) {
          guard let response = reception.impulseResponse, let first = reception.chipFirstPathTaps else { continue }
          spacing = response.tapSpacing
          var pulse = estimation ?? PulseEstimation(near: profile.pulse)
          estimation = nil
          for antenna in 0..<response.antennaCount {
            pulse.add(response, antenna: antenna, firstPathTaps: first)
          }
          estimation = pulse
        }
      }
    }
    guard let estimation, let estimate = estimation.estimate(tapSpacing: spacing) else {
      throw CaptureError(
        file: captures.joined(separator: ", "), problem: "there is no channel impulse response with a first path",
        remedy: "Give captures that hold accumulators and the chip's first path.")
    }
    try PulseFile.write(estimate, to: out)
    let phase =
      switch estimate.phase {
      case .minimum(0): "symmetric"
      case .minimum(let share): "\(Int(100 * share)) % of the minimum phase"
      case .known(let share): "near the profile's, \(Int(100 * share)) % of the minimum phase between them"
      }
    let error = estimate.modelError.map { String(format: ", model error %.1f %%", 100 * $0) } ?? ""
    let text = "pulse of \(estimation.count) CIRs, \(phase)\(error)"
    Message.note("\(out): \(text)")
    try file?.write { Self.page(estimate, profiles, title: ReportFile.title(of: captures), text, $0) }
  }

  private static func page(
    _ estimate: PulseEstimation.Estimate, _ profiles: [DeviceProfile], title: String, _ text: String,
    _ provenance: [Page.Fact]
  ) -> Page {
    let pulse = estimate.pulse
    let times = pulse.samples.indices.map { (Double($0) - pulse.peakPosition) * pulse.spacing }
    let nanoseconds = times.map { $0 * 1e9 }
    var panel = Panel(title: "Pulse", x: Axis("time from the peak (ns)"), y: Axis("amplitude over the peak's"))
    panel.series = [Series("measured", x: nanoseconds, y: pulse.samples)]
    panel.series += profiles.enumerated().map { index, profile in
      Series(
        "profile \(profile.name)", x: nanoseconds, y: times.map { profile.pulse($0) }, ink: .series(index + 1),
        line: .dashed)
    }
    var table = EvaluationTable(
      name: "what was fitted", columns: ["sampling_ns", "samples", "phase_share", "phase_of", "model_error_percent"])
    let (share, source) =
      switch estimate.phase {
      case .minimum(let share): (share, "pulse")
      case .known(let share): (share, "filter behind the profile's pulse")
      }
    table.add([
      .number(pulse.spacing * 1e9, places: 4), .count(pulse.samples.count), .number(share, places: 2), .text(source),
      .number(estimate.modelError.map { 100 * $0 }, places: 2),
    ])
    return Page(
      title: "Pulse of \(title)", sentence: text.prefix(1).uppercased() + text.dropFirst() + ".",
      lead: PageCharts([panel]),
      sections: [
        .init(
          "What was fitted",
          note:
            "The model error is what the pulse leaves of the rise of first paths in CIRs held out, over its amplitude.",
          tables: [table])
      ], provenance: provenance)
  }
}
