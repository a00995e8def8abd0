import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP

/// `uwb info`: what a capture holds, and what it lacks.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Summarise captures: devices, messages, rates, gaps, damage, what is missing.",
    discussion: """
      Reads all of each capture. The hash of a SigMF recording is compared, too.

      EXAMPLES
        uwb info 11.log
        uwb info *.sigmf-meta --output ndjson
      """)

  @Argument(help: ArgumentHelp("Captures to read, and folders of them; - is standard input.", valueName: "capture"))
  var captures: [String]

  @OptionGroup(title: "Input options") var input: InputOptions

  @Option(help: ArgumentHelp("JSON file with the receiver's antennas, as in replay.", valueName: "file"))
  var array: String?

  @Option(help: "What to write: text, or ndjson (one object a capture).")
  var output = OutputKind.text

  @OptionGroup var messages: MessageOptions

  enum OutputKind: String, ExpressibleByArgument, CaseIterable {
    case text, ndjson
  }

  mutating func run() throws {
    captures = try input.captures(captures)
    try FileUse(captures: captures, files: [array] + input.truth.files).check()
    try Interruption.finishing(summarise)
  }

  private func summarise() throws {
    var failures = 0
    let bytes = ByteOutput()
    for (capture, name) in zip(captures, CaptureNames.shortest(captures)) where !Interruption.isRequested {
      do {
        var opened = try input.open(capture)
        let info = try info(capture, name, &opened)
        try bytes.write(output == .text ? info.text : info.line)
        try bytes.flush()
        if info.summary.exchanges == 0 { throw opened.nothingRead }
      } catch let error as CaptureError {
        Message.write("Error: \(error)")
        failures += 1
      }
    }
    if failures > 0 { throw ExitCode(1) }
  }

  private func info(_ path: String, _ name: String, _ opened: inout OpenedCapture) throws -> CaptureInfo {
    let array = try array.map(ArrayFile.read)
    var summary = CaptureSummary()
    let size = captureByteCount(path)
    var progress = Progress(name, totalBytes: size)
    defer { progress.finish() }
    let profile = input.profile ?? opened.header.profile
    var pulse = DeviceProfile.named(profile).map(CapturePulse.init)
    // A stream ends by itself.
    while size == nil || !Interruption.isRequested, let exchange = try opened.reader.next() {
      summary.add(exchange)
      pulse?.add(exchange)
      progress.update(bytes: opened.bytesRead, exchanges: summary.exchanges)
    }
    var hash: Bool?
    if let recording = opened.reader as? any HashedCapture { hash = try recording.hashFits() }
    return CaptureInfo(
      name: name, header: opened.header, array: array?.layout ?? opened.header.array, summary: summary,
      skipped: opened.skipped, hashFits: hash, profile: profile,
      pulse: pulse?.outcome())
  }
}
