import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP

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

  @OptionGroup var messages: MessageOptions

  mutating func run() throws {
    captures = try options.captures(captures)
    try FileUse(captures: captures, outputs: [out]).check()
    var estimation = PulseEstimation()
    var spacing = UWB.tap
    for capture in captures {
      var reader = try options.open(capture)
      var progress = Progress(capture, totalBytes: captureByteCount(capture))
      defer { progress.finish() }
      while let exchange = try reader.next() {
        let period = try options.deviceProfile(of: reader.header, file: capture).backgroundPeriodTaps
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
    Message.note("\(out): pulse of \(estimation.count) CIRs, \(phase)\(error)")
  }
}
