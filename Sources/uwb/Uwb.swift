import ArgumentParser

/// The command line: one file a verb, no signal processing.
@main
struct Uwb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uwb",
    abstract: "Ranging from raw ultra-wideband channel impulse responses.",
    discussion: """
      Data goes to standard output, progress and messages to standard error.
      Exit status: 0 good, 1 bad input, 64 wrong usage.

      EXAMPLE
        uwb simulate walk --out walk && uwb replay walk.sigmf-meta --output summary
      """,
    version: "0.1.0",
    subcommands: [
      ReplayCommand.self, MergeCommand.self, InfoCommand.self, ConvertCommand.self, SimulateCommand.self,
      InspectCommand.self, EvaluateCommand.self, CalibrateCommand.self, AccessoryCommand.self, EstimatorsCommand.self,
    ])
}
