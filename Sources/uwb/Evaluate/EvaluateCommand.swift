import ArgumentParser

/// `uwb evaluate`: accuracy and speed against the bound.
struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate", abstract: "Measure accuracy and speed against the Cramér–Rao bound.",
    discussion: """
      EXAMPLE
        uwb evaluate arena --trials 200
        uwb evaluate delay --paths "0:0dB,2.0:-3dB" --snr 15,20,25
        uwb evaluate angle --array ula8 --sources 17.3 --snapshots 64 --snr 10
        uwb evaluate ranging *.log --truth truth.csv
      """,
    subcommands: [
      EvaluateArenaCommand.self, EvaluateDelayCommand.self, EvaluateAngleCommand.self, EvaluateRangingCommand.self,
      EvaluateScenariosCommand.self, EvaluateSessionsCommand.self,
    ])
}
