import ArgumentParser
import UWBCapture
import UWBDSP

/// `uwb describe`: what a capture is taken for, and what of it is to be remembered.
struct DescribeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe", abstract: "Tell how a capture is read: format, columns, units, what is missing.",
    discussion: """
      Reads the beginning of the capture. --save writes the input options to CAPTURE.uwb.json, where every verb reads \
      them. Options on the command line replace them.

      EXAMPLES
        uwb describe ranges.csv
        uwb describe ranges.csv --columns "distance=d1" --unit cm --save
      """)

  @Argument(help: ArgumentHelp("The capture; - is standard input.", valueName: "capture"))
  var capture: String

  @OptionGroup(title: "Input options") var input: InputOptions

  @Flag(help: "Save the input options beside the capture, for all verbs.")
  var save = false

  @OptionGroup var messages: MessageOptions

  /// Exchanges that are looked at.
  private static let mostExchanges = 1000

  func validate() throws {
    if save, capture == "-" { throw ValidationError("--save needs a file: standard input has no place beside it.") }
  }

  func run() throws {
    let saved = try CaptureDescription.read(beside: capture)
    // Nothing is kept that does not read the capture.
    let text = try text()
    try ByteOutput.write(text)
    guard save else { return }
    let description = input.completed(by: saved ?? CaptureDescription()).description
    try description.write(beside: capture)
    Message.note(
      "\(CaptureDescription.path(of: capture)): \(description.text.isEmpty ? "nothing to keep" : description.text)")
  }

  private func text() throws -> String {
    var opened = try input.open(capture)
    var summary = CaptureSummary()
    while summary.exchanges < Self.mostExchanges, let exchange = try opened.next() { summary.add(exchange) }
    let header = opened.header
    let info = CaptureInfo(
      name: CaptureNames.shortest([capture])[0], header: header, array: header.array, summary: summary,
      skipped: opened.skipped, profile: header.profile)
    let format = CaptureFormat.named(header.format)
    var lines = ["\(info.name): \(header.format)\(format.map { ", \($0.summary)" } ?? ""); radio \(header.profile)"]
    lines += header.notes.map { "  note: \($0)" }
    if let use = opened.columnUse {
      lines += use.columns.map {
        "  column “\($0.header)”: \($0.name), \($0.meaning)\($0.unit.map { " in \($0)" } ?? "")"
      }
      if !use.unused.isEmpty { lines.append("  not used: \(use.unused.joined(separator: ", "))") }
    }
    lines.append("  \(summary.exchanges) exchanges looked at, with \(summary.peers.count) peers")
    lines.append("  missing for distance: \(Self.list(info.missingForDistance))")
    lines.append("  missing for direction: \(Self.list(info.missingForDirection))")
    lines.append("  next: \(next(summary, header))")
    return lines.map { $0.printable() }.joined(separator: "\n") + "\n"
  }

  private static func list(_ items: [String]) -> String { items.isEmpty ? "nothing" : items.joined(separator: ", ") }

  private func next(_ summary: CaptureSummary, _ header: CaptureHeader) -> String {
    if header.format == "phase-table" {
      return "uwb replay \(capture) with --array FILE, or with --calibration FILE, which uwb calibrate angle makes"
    }
    if summary.withoutTimestamps == summary.exchanges, summary.impulseResponses > 0 { return "uwb paths \(capture)" }
    return "uwb replay \(capture) --output summary"
  }
}
