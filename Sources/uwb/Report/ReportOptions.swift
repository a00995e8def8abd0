import ArgumentParser

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
}
