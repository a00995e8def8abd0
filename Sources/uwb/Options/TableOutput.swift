import ArgumentParser

/// `--output` of verbs whose table is for people alone: programs take one JSON object a line.
enum TableOutput: String, ExpressibleByArgument, CaseIterable {
  case table, ndjson
}
