import ArgumentParser
import UWBCapture
import UWBDSP

/// `uwb merge`: the outputs of `replay --shard` as one replay.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Join the shards of a replay.",
    discussion: """
      Give the outputs of uwb replay --shard 1/n … n/n, in any order. Tracking and sessions run here. The output \
      has the same bytes as an undivided replay.

      EXAMPLE
        uwb replay long.log --shard 1/2 > 1.ndjson    (on one machine)
        uwb replay long.log --shard 2/2 > 2.ndjson    (on another)
        uwb merge 1.ndjson 2.ndjson --output summary
      """)

  @Argument(help: ArgumentHelp("Outputs of replay --shard.", valueName: "file"))
  var files: [String]

  @Option(help: "What to write: ndjson (one event a line), csv (one row an exchange), a summary, live, or mcap.")
  var output = ReplayCommand.OutputKind.ndjson

  @OptionGroup var device: PoseOptions

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  func validate() throws { try output.checkTarget() }

  func run() throws {
    try FileUse(files: files + [device.pose], outputs: [page.report]).check()
    let poses = try device.table()
    var shards = try files.map { try ShardFile(path: $0) }
    var sink = output.makeOutput(ByteOutput())
    var totals = ReplayTotals()
    var captures = 0
    var page = ReplayPage(
      page.begin(captures: files, files: [("Poses", device.pose)]), captures: files,
      remark: "Shards hold measurements alone: the page of an undivided replay has impulse responses, too.")
    while let begins = try beginnings(&shards) {
      captures += 1
      guard poses == nil || captures == 1 else { throw ValidationError(PoseOptions.oneCapture) }
      totals.add(try merge(&shards, begins, poses, into: &sink, page: &page))
    }
    try sink.finish(totals)
    device.tell(totals)
    try page?.write()
  }

  /// Reads a capture's first line from every file and puts the files in the order of their shards; `nil` at the end.
  private func beginnings(_ shards: inout [ShardFile]) throws -> ShardRecord.Begin? {
    var found: [(file: ShardFile, begin: ShardRecord.Begin)] = []
    var ended: [ShardFile] = []
    for index in shards.indices {
      switch try shards[index].next() {
      case .begin(let begin): found.append((shards[index], begin))
      case nil: ended.append(shards[index])
      default: throw shards[index].failure("a capture should begin here")
      }
    }
    guard let first = found.first else { return nil }
    if let short = ended.first { throw short.failure("ends before “\(first.begin.capture)”") }
    found.sort { $0.begin.shard.number < $1.begin.shard.number }
    for (index, (file, begin)) in found.enumerated() {
      var same = begin
      same.shard = first.begin.shard
      guard same == first.begin else { throw file.failure("is not of the capture that \(first.file.path) is of") }
      guard begin.version == ShardRecord.Begin.currentVersion else {
        throw file.failure("is of a version of uwb that writes other shards")
      }
      guard begin.shard.count == found.count, begin.shard.number == index + 1 else {
        throw file.failure("is shard \(begin.shard) among \(found.count) files")
      }
    }
    shards = found.map(\.file)
    return first.begin
  }

  private func merge(
    _ shards: inout [ShardFile], _ begin: ShardRecord.Begin, _ poses: PoseTable?, into sink: inout any ReplayOutput,
    page: inout ReplayPage?
  ) throws -> ReplayTotals {
    var header = CaptureHeader(format: begin.format, profile: begin.profile)
    header.notes = [begin.pulse].compactMap { $0 }
    sink.begin(capture: begin.capture, header: header)
    page?.begin(capture: begin.capture, header: header, configuration: nil, place: 0)
    var pipeline = ReplayPipeline(poses: poses)
    func tell(_ event: ReplayEvent) throws {
      try sink.write(event)
      page?.add(event)
    }
    var place = 0
    while true {
      let turn = place % shards.count
      switch try shards[turn].next() {
      case .measurement(let measured):
        guard measured.place == place else {
          throw shards[turn].failure("holds exchange \(measured.place) of the capture where \(place) should be")
        }
        try pipeline.process(measured.rangingExchange, measured.measurement, tell)
        place += 1
      case .end(let end):
        guard end.exchanges == place else {
          throw shards[turn].failure("ends after \(place) of \(end.exchanges) exchanges")
        }
        for other in shards.indices where other != turn {
          guard case .end(end) = try shards[other].next() else {
            throw shards[other].failure("does not end where \(shards[turn].path) does")
          }
        }
        var skipped = SkippedInput()
        for (reason, count) in end.skipped { skipped.add(reason, count: count) }
        try pipeline.finish(skipped: skipped, tell)
        try sink.end(pipeline.totals)
        page?.end(pipeline.totals)
        return pipeline.totals
      default:
        throw shards[turn].failure("exchange \(place) of the capture should be here")
      }
    }
  }
}
