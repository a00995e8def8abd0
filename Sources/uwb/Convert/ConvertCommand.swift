import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP

extension CaptureWriterFormat: ExpressibleByArgument {}
extension CaptureWriterOptions.Samples: ExpressibleByArgument {}

/// `uwb convert`: a capture in another format.
struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Write a capture in another format.",
    discussion: """
      The ending of OUT names the format: .ndjson, .csv, .npy, .mat (MATLAB), .sigmf-meta (a SigMF recording, which also has \
      NAME.sigmf-data; so has a NAME without ending), .sigmf (an archive of both), .sigmf-collection (several \
      recordings). - writes ndjson or CSV to standard output. Standard error lists what could not be read, and what the \
      new format can't hold.

      OUT is replaced once the new capture is complete. A stream is recorded under its name from its first exchange on; \
      Ctrl-C ends it and completes the capture.

      EXAMPLES
        uwb convert 11.log 11.sigmf-meta
        uwb convert 11.sigmf-meta cirs.npy
        cat /dev/ttyACM0 | uwb convert - live.sigmf-meta
      """)

  @Argument(help: ArgumentHelp("The capture to read; - is standard input.", valueName: "in"))
  var input: String

  @Argument(help: ArgumentHelp("The capture to write.", valueName: "out"))
  var output: String

  @OptionGroup(title: "Input options") var options: InputOptions

  @Option(help: "Format to write: sigmf, ndjson, csv, npy or mat. The default is by OUT's ending.")
  var to: CaptureWriterFormat?

  @Option(help: "Elements of a NumPy array: complex64 (stored samples times scale) or int16 (stored pairs).")
  var samples = CaptureWriterOptions.Samples.complex64

  @Option(
    help: ArgumentHelp(
      "Start a new SigMF recording after so many megabytes of samples, and write a collection.",
      valueName: "MB"),
    transform: OptionRange.reader(OptionRange.split))
  var split: Int?

  @OptionGroup var messages: MessageOptions

  func run() throws {
    let target = try CaptureTarget(
      output, format: to,
      options: CaptureWriterOptions(samples: samples, maximumByteCount: split.map { $0 * 1_000_000 }, isLive: isLive))
    try FileUse(captures: [input], files: options.truth.files, outputs: target.files).check()
    // A file can be converted again; what was a stream can't.
    if isLive { try Interruption.finishing { try convert(to: target) } } else { try convert(to: target) }
  }

  private var isLive: Bool { captureByteCount(input) == nil }

  private func convert(to target: CaptureTarget) throws {
    var reader = try options.open(input)
    let name = CaptureNames.shortest([input])[0]
    var progress = Progress(name, totalBytes: captureByteCount(input))
    var writer: (any CaptureWriter)?
    var account = Account()
    while let exchange = try reader.next() {
      // The header is whole once the first exchange was read.
      let open = try writer ?? create(target, reader.header)
      writer = open
      try open.append(exchange)
      account.add(exchange)
      progress.update(bytes: reader.bytesRead, exchanges: account.exchanges)
    }
    let written = try writer ?? create(target, reader.header)
    try written.finish()
    progress.finish()
    Message.note("\(name) → \(output): \(account.text)")
    tell("skipped input", reader.skipped)
    tell("not carried over", written.lost)
  }

  private func create(_ target: CaptureTarget, _ header: CaptureHeader) throws -> any CaptureWriter {
    var header = header
    if let profile = options.profile { header.profile = profile }
    return try target.create(header: header)
  }

  private func tell(_ what: String, _ counts: SkippedInput) {
    Message.note("  \(what): \(counts.counts.list(empty: "nothing"))")
  }
}

/// What was converted.
private struct Account {
  var exchanges = 0
  var impulseResponses = 0

  mutating func add(_ exchange: RangingExchange) {
    exchanges += 1
    impulseResponses += exchange.messages.count { $0.reception?.impulseResponse != nil }
  }

  var text: String { "\(exchanges) exchanges, \(impulseResponses) CIRs" }
}
