import ArgumentParser

/// `uwb calibrate`: measures what the engine has to know of a radio.
struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate", abstract: "Measure a radio's pulse, delays, antennas and range bias.",
    discussion: """
      EXAMPLES
        uwb calibrate pulse *.log --out pulse.json && uwb replay 11.log --pulse pulse.json
        uwb calibrate bias *.log --truth truth.csv --out cal.json && uwb replay 11.log --calibration cal.json
        uwb calibrate delay LOS/*.csv --truth truth.csv --out cal.json && uwb replay 10m.csv --calibration cal.json
        uwb calibrate export cal.json --to text
        uwb calibrate angle board.csv --out cal.json && uwb replay other.csv --calibration cal.json
      """,
    subcommands: [
      CalibratePulseCommand.self, CalibrateDelayCommand.self, CalibrateAngleCommand.self, CalibrateBiasCommand.self,
      CalibrateSimulatedCommand.self, CalibrateFirstPathCommand.self, CalibrateExportCommand.self,
    ])
}
