import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP

/// `uwb paths`: the first path in every CIR of captures, with or without timestamps.
struct PathsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "paths", abstract: "Find the first path in every channel impulse response.",
    discussion: """
      Writes a row for each antenna of each CIR, with the estimator of replay. Captures need no timestamps. Skipped \
      input is counted on standard error. - reads standard input.

      EXAMPLES
        uwb paths cirs.npy --rows cirs --output table
        uwb paths *.log --paths > paths.ndjson
        uwb paths *.log --output csv --report paths.html > paths.csv
      """)

  @Argument(help: ArgumentHelp("Captures to read, in this order; - is standard input.", valueName: "capture"))
  var captures: [String]

  @OptionGroup var engine: EngineOptions

  @Option(help: "What to write: ndjson (one object a row), csv, or a table.")
  var output = EvaluationOptions.Output.ndjson

  @Flag(name: .customLong("paths"), help: "Add all paths that the estimator found.")
  var listsPaths = false

  @Option(
    help:
      "Threads that share the work, \(OptionRange.threads.help); by default one for each core. The output does not depend on it.",
    transform: OptionRange.reader(OptionRange.threads))
  var threads = OptionRange.defaultThreads

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  mutating func run() throws {
    captures = try engine.input.captures(captures)
    try FileUse(captures: captures, files: engine.files, outputs: [page.report]).check()
    try engine.checkStrictly(captures)
    try Interruption.finishing(findAll)
  }

  private func findAll() throws {
    let bytes = ByteOutput()
    var failures = 0
    var isFirst = true
    var page = PathsPage(page.begin(captures: captures, files: engine.namedFiles), captures: captures)
    var queue = CaptureQueue(captures, engine: engine, pool: WorkPool(threads: threads))
    for (place, (capture, name)) in zip(captures, CaptureNames.shortest(captures)).enumerated()
    where !Interruption.isRequested {
      do {
        try find(try queue.next(name: name), capture, name, bytes, isFirst: isFirst, place, &page)
        isFirst = false
      } catch let error as CaptureError {
        Message.write("Error: \(error)")
        failures += 1
      }
    }
    try bytes.flush()
    try page?.write()
    if failures > 0 { throw ExitCode(1) }
  }

  private func find(
    _ input: EngineInput, _ path: String, _ name: String, _ bytes: ByteOutput, isFirst: Bool, _ place: Int,
    _ page: inout PathsPage?
  ) throws {
    var input = input
    defer { input.progress.finish() }
    guard let ranging = input.engine else { return }
    let start = heading(name, input.header, ranging, isFirst: isFirst)
    var totals = PathTotals()
    page?.begin(input.header, ranging, place: place)
    let (kind, listsPaths, keepsRows) = (output.rows, listsPaths, page != nil)
    let isLive = path == "-"
    try input.run {
      let finder = PathFinder(ranging, capture: name, kind: kind, listsPaths: listsPaths, keepsRows: keepsRows)
      return { finder.find(in: $0) }
    } prepare: {
      $0
    } deliver: { _, found in
      if totals.impulseResponses == 0, found.totals.impulseResponses > 0 {
        try bytes.write(start)
      }
      totals.add(found.totals)
      page?.add(found.rows)
      try bytes.write { $0.append(contentsOf: found.text) }
      if isLive { try bytes.flush() }
    }
    guard totals.impulseResponses > 0 || Interruption.isRequested else {
      throw CaptureError(
        file: path, problem: "none of its \(totals.exchanges) exchanges holds a channel impulse response",
        remedy: "For distances and directions of other captures, use uwb replay \(path).")
    }
    for note in input.header.notes { Message.note("\(name): \(note.printable())") }
    page?.end(skipped: input.skipped)
    Message.note("\(name): \(totals.text), skipped input: \(input.skipped.counts.list())")
  }

  private func heading(_ name: String, _ header: CaptureHeader, _ ranging: RangingEngine, isFirst: Bool) -> String {
    guard let kind = output.rows else {
      let delay = ranging.configuration.delay.name
      return "\(isFirst ? "" : "\n")\(name) (\(header.format), \(ranging.configuration.profile.name), \(delay))\n"
        + "\(PathRow.tableHeading)\n"
    }
    return isFirst ? FigureLines(kind).heading(PathRow.fields(listsPaths: listsPaths).map(\.name)) : ""
  }
}
