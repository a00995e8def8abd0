import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP
import UWBReport

/// `uwb calibrate pulse`: a radio's pulse from ordinary captures.
struct CalibratePulseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pulse", abstract: "Measure a radio's pulse from captures of many places.",
    discussion: """
      The mean power spectrum over many channels is that of the pulse. Its phase lies between zero (a symmetric pulse) and \
      the minimum phase (a causal filter's); it is chosen for the smallest residual on the rise of first paths in held-out \
      CIRs. The file holds that residual as the model error, which replay --pulse uses. Give captures from a dozen places or \
      more: captures of one place show the channel of that place.

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
    try FileUse(captures: captures, outputs: [out, page.report]).check()
    let file = page.begin(captures: captures)
    var profiles: [DeviceProfile] = []
    var estimation = PulseEstimation()
    var spacing = UWB.tap
    for capture in captures {
      var reader = try options.open(capture)
      var progress = Progress(capture, totalBytes: captureByteCount(capture))
      defer { progress.finish() }
      while let exchange = try reader.next() {
        let profile = try options.deviceProfile(of: reader.header, file: capture)
        if !profiles.contains(where: { $0.name == profile.name }) { profiles.append(profile) }
        let period = profile.backgroundPeriodTaps
        for reception in exchange.messages.compactMap(\.reception) {
          guard let response = reception.impulseResponse, let first = reception.chipFirstPathTaps else { continue }
          spacing = response.tapSpacing
          for antenna in 0..<response.antennaCount {
            estimation.add(response, antenna: antenna, firstPathTaps: first, backgroundPeriodTaps: period)
          }
        }
        progress.update(bytes: reader.bytesRead, exchanges: exchange.index + 1)
      }
    }
    guard let estimate = estimation.estimate(tapSpacing: spacing) else {
      throw CaptureError(
        file: captures.joined(separator: ", "), problem: "there is no channel impulse response with a first path",
        remedy: "Give captures that hold accumulators and the chip's first path.")
    }
    try PulseFile.write(estimate, to: out)
    let phase = estimate.phaseShare == 0 ? "symmetric" : "phase \(estimate.phaseShare) of the minimum phase"
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
      name: "what was fitted", columns: ["sampling_ns", "samples", "phase_share", "model_error_percent"])
    table.add([
      .number(pulse.spacing * 1e9, places: 4), .count(pulse.samples.count), .number(estimate.phaseShare, places: 2),
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
