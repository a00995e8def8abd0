import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP

/// `uwb replay`: captures in, nearby-object updates out.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Turn captures into nearby-object updates.",
    discussion: """
      Each exchange that a capture holds yields one update or one rejected event, in order; what is skipped is \
      counted by reason in the summary. - reads standard input, a live serial port for instance.

      EXAMPLES
        uwb replay 11.log --output summary
        uwb replay *.log --delay chip > chip.ndjson
        cat /dev/ttyACM0 | uwb replay -
      """)

  @Argument(help: ArgumentHelp("Captures to read, in this order; - is standard input.", valueName: "capture"))
  var captures: [String]

  @OptionGroup var engine: EngineOptions

  @Option(help: "What to write: ndjson (one event a line), csv (one row an exchange), or a summary.")
  var output = OutputKind.ndjson

  @Option(help: ArgumentHelp("Write an HTML page with pictures.", valueName: "file.html"))
  var report: String?

  @Option(help: "fast, or recorded: at the pace of the capture's own clock.")
  var pace = Pace.fast

  enum OutputKind: String, ExpressibleByArgument, CaseIterable {
    case ndjson, csv, summary
  }

  enum Pace: String, ExpressibleByArgument, CaseIterable {
    case recorded, fast
  }

  func run() throws {
    let bytes = ByteOutput()
    var sink: any ReplayOutput =
      switch output {
      case .ndjson: NDJSONOutput(bytes)
      case .csv: CSVOutput(bytes)
      case .summary: SummaryOutput(bytes)
      }
    var page = report.map { ReportPage(path: $0, captures: captures) }
    var totals = ReplayTotals()
    var failures = 0
    for capture in captures {
      do {
        totals.add(try replay(capture, into: &sink, page: &page))
      } catch let error as CaptureError {
        // One bad file does not take the others with it, but the exit status says that something was wrong.
        Message.write("Error: \(error)")
        failures += 1
      }
    }
    try sink.finish(totals)
    try page?.write()
    if failures > 0 { throw ExitCode(1) }
  }

  private func replay(
    _ path: String, into sink: inout any ReplayOutput, page: inout ReportPage?
  ) throws -> ReplayTotals {
    var reader = try engine.input.open(path)
    let name = path == "-" ? "-" : URL(fileURLWithPath: path).lastPathComponent
    var progress = Progress(name, totalBytes: FileSize.bytes(path))
    defer { progress.finish() }
    var pacer = Pacer(isOn: pace == .recorded)
    let isLive = path == "-" || pace == .recorded
    var pipeline: ReplayPipeline?
    while let exchange = try reader.next() {
      if pipeline == nil {
        // The header is whole once the first exchange was read.
        let ranging = try engine.engine(for: reader.header, file: path)
        pipeline = ReplayPipeline(engine: ranging)
        sink.begin(capture: name, header: reader.header)
        page?.begin(capture: name, header: reader.header, configuration: ranging.configuration)
      }
      pacer.wait(until: exchange.time)
      try pipeline?.process(exchange) { event in
        try sink.write(event)
        page?.add(event)
      }
      if isLive { try sink.flush() }
      progress.update(bytes: reader.bytesRead, exchanges: exchange.index + 1)
    }
    if pipeline == nil { sink.begin(capture: name, header: reader.header) }
    try pipeline?.finish(skipped: reader.skipped) { try sink.write($0) }
    var totals = pipeline?.totals ?? ReplayTotals()
    totals.skipped = reader.skipped
    try sink.end(totals)
    page?.end(totals)
    return totals
  }
}

/// Holds a replay back to the capture's own clock.
private struct Pacer {
  let isOn: Bool
  private var start: (wall: Double, capture: Double)?

  init(isOn: Bool) {
    self.isOn = isOn
  }

  mutating func wait(until time: Double) {
    guard isOn else { return }
    let now = ProcessInfo.processInfo.systemUptime
    let origin = start ?? (now, time)
    start = origin
    let due = origin.wall + time - origin.capture
    if due > now { Thread.sleep(forTimeInterval: due - now) }
  }
}

/// Bytes of a file, for progress; `nil` for streams and what can't be told.
private enum FileSize {
  static func bytes(_ path: String) -> Int? {
    guard path != "-" else { return nil }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue
  }
}
