import ArgumentParser

/// How evaluations of simulated trials run, and what they write.
struct EvaluationOptions: ParsableArguments {
  enum Output: String, ExpressibleByArgument, CaseIterable {
    case table, ndjson, csv
  }

  @Option(
    help: "Threads that share the trials, \(OptionRange.threads.help); by default one for each core.",
    transform: OptionRange.reader(OptionRange.threads))
  var threads = OptionRange.defaultThreads

  @Option(help: "What to write: table, ndjson or csv.")
  var output = Output.table
}
