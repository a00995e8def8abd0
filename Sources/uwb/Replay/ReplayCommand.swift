import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP

/// `uwb replay`: captures in, nearby-object updates out.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Turn captures into nearby-object updates.",
    discussion: """
      Each exchange of a capture yields one update or one rejected event, in order. The summary counts skipped input \
      by reason. - reads standard input, for instance a live serial port.

      EXAMPLES
        uwb replay 11.log --output summary
        uwb replay *.log --delay chip > chip.ndjson
        cat /dev/ttyACM0 | uwb replay -
        uwb replay board.csv --calibration cal.json
      """)

  @Argument(
    help: ArgumentHelp(
      "Captures to read, in this order, and folders of them; - is standard input.", valueName: "capture"))
  var captures: [String]

  @OptionGroup var engine: EngineOptions

  @Option(
    help:
      "What to write: ndjson (one event a line), csv (one row an exchange), a summary, live (a line a peer, drawn in place on a terminal), or mcap (a file for Foxglove, Rerun, PlotJuggler)."
  )
  var output = OutputKind.ndjson

  @OptionGroup var page: ReportOptions

  @Option(
    help: ArgumentHelp(
      "Truth table, for errors on the page and in the output; captures that hold their own need none.",
      valueName: "file.csv"))
  var truth: String?

  @OptionGroup var device: PoseOptions

  @Option(help: "fast, or recorded: at the pace of the capture's own clock.")
  var pace = Pace.fast

  @Option(
    help:
      "Threads that share the measuring, \(OptionRange.threads.help); by default one for each core. The output does not depend on it.",
    transform: OptionRange.reader(OptionRange.threads))
  var threads = OptionRange.defaultThreads

  @Option(
    help: ArgumentHelp(
      "Measure every n-th exchange only, from the i-th on, and write what uwb merge joins.", valueName: "i/n"),
    transform: Shard.read)
  var shard: Shard?

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    try output.checkTarget()
    if shard != nil, page.report != nil || pace == .recorded {
      throw ValidationError("--shard writes measurements for uwb merge: it goes with neither --report nor --pace.")
    }
    if shard != nil, truth != nil { throw ValidationError("--truth does not go with --shard.") }
    if shard != nil, device.pose != nil {
      throw ValidationError("--pose goes with uwb merge, where shards are tracked, and not with --shard.")
    }
    if device.pose != nil, captures.count > 1 {
      throw ValidationError(PoseOptions.oneCapture)
    }
  }

  enum OutputKind: String, ExpressibleByArgument, CaseIterable {
    case ndjson, csv, summary, live, mcap

    /// Binary data would change a terminal's state.
    func checkTarget() throws {
      guard self == .mcap, Terminal.outputWidth != nil else { return }
      throw ValidationError("--output mcap writes binary data. Send it to a file: > replay.mcap")
    }

    func makeOutput(_ bytes: ByteOutput) -> any ReplayOutput {
      switch self {
      case .ndjson: NDJSONOutput(bytes)
      case .csv: CSVOutput(bytes)
      case .summary: SummaryOutput(bytes)
      case .live: LiveView(bytes)
      case .mcap: MCAPOutput(bytes)
      }
    }
  }

  mutating func run() throws {
    try prepare()
    try Interruption.finishing {
      if let shard { try measure(ShardOutput(shard, ByteOutput()), shard) } else { try replay() }
    }
  }

  /// Resolves the captures, and checks what can be checked before anything is written.
  mutating func prepare() throws {
    captures = try engine.input.captures(captures)
    try FileUse(captures: captures, files: engine.files + [device.pose, truth], outputs: [page.report]).check()
    try engine.checkStrictly(captures)
  }

  private func replay() throws {
    var sink = output.makeOutput(ByteOutput())
    var failures = 0
    _ = try replay(into: &sink) { error in
      // One bad file does not take the others with it, but the exit status says that something was wrong.
      Message.write("Error: \(error)")
      failures += 1
    }
    if failures > 0 { throw ExitCode(1) }
  }

  /// Replays all captures.
  ///
  /// - Parameter fail: takes why a capture can't be read; if it throws, that ends the replay.
  /// - Returns: counts over all captures.
  func replay(into sink: inout any ReplayOutput, failing fail: (CaptureError) throws -> Void) throws -> ReplayTotals {
    // Told before anything is written.
    let poses = try device.table()
    let truths = try TruthFile.read(truth, captures: captures)
    var page = ReplayPage(
      page.begin(
        captures: captures,
        files: engine.namedFiles + [("Truth", truth), ("Poses", device.pose)]), captures: captures)
    var totals = ReplayTotals()
    var failures = 0
    let names = CaptureNames.shortest(captures)
    // Somebody waits for each update at the recorded pace: none is held back for company.
    var queue = CaptureQueue(captures, engine: engine, pool: WorkPool(threads: pace == .recorded ? 1 : threads))
    for (place, capture) in captures.enumerated() where !Interruption.isRequested {
      do {
        let input = try queue.next(name: names[place])
        totals.add(
          try replay(input, capture, names[place], place, truths?[capture: capture], poses, into: &sink, page: &page))
      } catch let error as CaptureError {
        try fail(error)
        failures += 1
      }
    }
    // Zeros would look like a result.
    if failures == 0 || totals.exchanges > 0 { try sink.finish(totals) } else { try sink.flush() }
    device.tell(totals)
    try page?.write()
    return totals
  }

  private func replay(
    _ input: EngineInput, _ path: String, _ name: String, _ place: Int, _ truth: GroundTruth?, _ poses: PoseTable?,
    into sink: inout any ReplayOutput, page: inout ReplayPage?
  ) throws -> ReplayTotals {
    var input = input
    defer { input.progress.finish() }
    var header = input.header
    // Notes of the capture itself are for info; shards don't hold them.
    header.notes = [input.pulse].compactMap { $0 }
    sink.begin(capture: input.name, header: header)
    if let ranging = input.engine {
      page?.begin(capture: input.name, header: input.header, configuration: ranging.configuration, place: place)
    }
    var pacer = Pacer(isOn: pace == .recorded)
    let isLive = path == "-" || pace == .recorded
    var pipeline = ReplayPipeline(poses: poses)
    try input.measure { exchange in
      pacer.wait(until: exchange.time)
      return true
    } deliver: { exchange, raw in
      var exchange = exchange
      if let truth { exchange.truth = truth }
      try pipeline.process(exchange, raw) { event in
        try sink.write(event)
        page?.add(event)
      }
      if isLive { try sink.flush() }
    }
    try pipeline.finish(skipped: input.skipped) { event in
      try sink.write(event)
      page?.add(event)
    }
    try sink.end(pipeline.totals)
    if pipeline.totals.pathsAlone > 0 {
      Message.note(
        "\(name): \(pipeline.totals.pathsAlone) exchanges hold CIRs but not the timestamps of a distance. For their first "
          + "paths: uwb paths \(path)")
    }
    page?.end(pipeline.totals)
    return pipeline.totals
  }

  /// `--shard`: measurements alone.
  private func measure(_ output: ShardOutput, _ shard: Shard) throws {
    var output = output
    var queue = CaptureQueue(captures, engine: engine, pool: WorkPool(threads: threads))
    for name in CaptureNames.shortest(captures) where !Interruption.isRequested {
      var input = try queue.next(name: name)
      defer { input.progress.finish() }
      try output.begin(capture: input.name, header: input.header, pulse: input.pulse)
      // Shards are told by place in the capture: indices may have gaps and repeat.
      var count = 0
      try input.measure { _ in
        defer { count += 1 }
        return shard.holds(count)
      } deliver: { exchange, raw in
        try output.write(exchange, raw)
      }
      try output.end(exchanges: count, skipped: input.skipped)
    }
    try output.finish()
  }
}
