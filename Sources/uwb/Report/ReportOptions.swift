import ArgumentParser
import UWBCapture

/// `--report`: for every verb that has a page.
struct ReportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write an HTML page with charts to explore: one file, which asks no network for anything.", valueName: "file.html"
    ))
  var report: String?

  @Flag(help: "With --report: name today's date in the page. Without it the same input gives the same bytes.")
  var reportDate = false

  func validate() throws {
    guard report != nil || !reportDate else { throw ValidationError("--report-date goes with --report.") }
  }

  /// Begins a page, where one is asked for.
  ///
  /// - Parameters:
  ///   - captures: whose contents the page names by their hashes.
  ///   - files: what else is read, with what it is.
  func begin(captures: [String] = [], files: [(kind: String, path: String?)] = []) -> ReportFile? {
    report.map { ReportFile(path: $0, isDated: reportDate, captures: captures, files: files) }
  }

  /// The same where nothing else is to be done between: checks first that no output is an input.
  ///
  /// - Parameter outputs: what is written beside the page.
  func begin(
    captures: [String] = [], files: [(kind: String, path: String?)] = [], outputs: [String?]
  ) throws -> ReportFile? {
    try FileUse(captures: captures, files: files.map(\.path), outputs: outputs + [report]).check()
    return begin(captures: captures, files: files)
  }
}
