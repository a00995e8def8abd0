import ArgumentParser
import Foundation
import UWBCapture
import UWBDSP
import UWBReport

/// `uwb evaluate ranging`: distance errors on captures with truth and on simulated walks.
struct EvaluateRangingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ranging", abstract: "Measure distance errors on captures with known truth and on simulated walks.",
    discussion: """
      EXAMPLES
        uwb evaluate ranging *.log --truth truth.csv --report errors.html
        uwb evaluate ranging LOS/*.csv NLOS/*.csv --truth truth.csv --cross-validate
        uwb evaluate ranging --walks 1000 --seed 1
      """)

  /// All parts, in the order in which they are written.
  static var sections: [any RangingSection] { [CaptureSection(), DelaySection(), WalkSection(), TrackerSection()] }

  @Argument(help: ArgumentHelp("Captures to read.", valueName: "capture"))
  var captures: [String] = []

  @OptionGroup var engine: EngineOptions

  @Option(help: ArgumentHelp("Truth table; captures that hold their own need none.", valueName: "file.csv"))
  var truth: String?

  @Flag(help: "Also calibrate delays on the captures, each one scored by a calibration made without it.")
  var crossValidate = false

  @Option(help: "Simulated walks to run.", transform: OptionRange.reader(OptionRange.walks))
  var walks = 0

  @Option(help: "Seed of all random draws.", transform: OptionRange.reader(OptionRange.seed))
  var seed: UInt64 = 1

  @Option(help: "What to write: table, ndjson or csv.")
  var output = EvaluationOptions.Output.table

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    guard !captures.isEmpty || walks > 0 else { throw ValidationError("Give captures, or --walks, or both.") }
  }

  mutating func run() throws {
    captures = try engine.input.captures(captures)
    let file = try page.begin(captures: captures, files: engine.namedFiles + [("Truth", truth)], outputs: [])
    try engine.checkStrictly(captures)
    let input = RangingEvaluationInput(
      captures: captures, truth: try TruthFile.read(truth, captures: captures), truthFile: truth, engine: engine,
      seed: seed, walks: walks,
      isCrossValidated: crossValidate)
    var writer = EvaluationTableWriter(output, ByteOutput())
    var results: [RangingSectionResult] = []
    for section in Self.sections where section.applies(to: input) {
      let result = try section.evaluate(input)
      for table in result.tables { try writer.write(table) }
      results.append(result)
    }
    try file?.write {
      Self.page(results, title: captures.isEmpty ? "simulated walks" : ReportFile.title(of: captures), $0)
    }
  }

  private static func page(_ results: [RangingSectionResult], title: String, _ provenance: [Page.Fact]) -> Page {
    var panels = results.flatMap(\.panels)
    var page = Page(
      title: "Distances against the truth: \(title)",
      sentence: results.compactMap(\.sentence).joined(separator: " "),
      lead: results.lazy.compactMap { $0.errors?.charts }.first, provenance: provenance)
    if page.lead == nil, !panels.isEmpty { page.lead = PageCharts([panels.removeFirst()]) }
    if !panels.isEmpty { page.sections.append(.init("Further charts", [.charts(PageCharts(panels, isBeside: true))])) }
    page.sections.append(.init("Tables", tables: results.flatMap(\.tables)))
    return page
  }
}
