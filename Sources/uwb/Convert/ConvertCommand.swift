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
      The ending of OUT names the format: .ndjson, .csv, .npy, else a SigMF recording (NAME.sigmf-meta and \
      NAME.sigmf-data; NAME.sigmf is an archive of both). - writes ndjson or CSV to standard output. What could not be \
      read, and what the new format can't hold, is told on standard error.

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

  @Option(help: "Format to write: sigmf, ndjson, csv or npy. The default is by OUT's ending.")
  var to: CaptureWriterFormat?

  @Option(help: "Elements of a NumPy array: complex64 (stored samples times scale) or int16 (stored pairs).")
  var samples = CaptureWriterOptions.Samples.complex64

  @Option(
    help: ArgumentHelp(
      "Begin a new SigMF recording whenever one's samples reach so many megabytes, and write a collection of them.",
      valueName: "MB"),
    transform: OptionRange.reader(OptionRange.split))
  var split: Int?

  func run() throws {
    var reader = try options.open(input)
    try refuseToOverwriteTheInput()
    let name = input == "-" ? "-" : URL(fileURLWithPath: input).lastPathComponent
    var progress = Progress(name, totalBytes: captureByteCount(input))
    var writer: (any CaptureWriter)?
    var account = Account()
    while let exchange = try reader.next() {
      // The header is whole once the first exchange was read.
      let target = try writer ?? create(reader.header)
      writer = target
      try target.append(exchange)
      account.add(exchange)
      progress.update(bytes: reader.bytesRead, exchanges: account.exchanges)
    }
    let target = try writer ?? create(reader.header)
    try target.finish()
    progress.finish()
    Message.write("\(name) → \(output): \(account.text)")
    tell("skipped input", reader.skipped)
    tell("not carried over", target.lost)
  }

  private func create(_ header: CaptureHeader) throws -> any CaptureWriter {
    var header = header
    if let profile = options.profile { header.profile = profile }
    return try createCapture(
      output, header: header, format: to,
      options: CaptureWriterOptions(samples: samples, maximumByteCount: split.map { $0 * 1_000_000 }))
  }

  private func tell(_ what: String, _ counts: SkippedInput) {
    let list = counts.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    Message.write("  \(what): \(list.isEmpty ? "nothing" : list.joined(separator: ", "))")
  }

  // Creating the output empties it: a capture that is converted onto itself would be gone.
  private func refuseToOverwriteTheInput() throws {
    guard input != "-", output != "-" else { return }
    let read = Set(captureFiles(input).compactMap(Self.identity))
    let written = captureFiles(output) + [output]
    guard written.compactMap(Self.identity).allSatisfy({ !read.contains($0) }) else {
      throw CaptureError(
        file: output, problem: "is the capture that is to be read", remedy: "Choose another name for the output.")
    }
  }

  private static func identity(_ path: String) -> [UInt64]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
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
