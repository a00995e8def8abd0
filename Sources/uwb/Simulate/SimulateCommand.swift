import ArgumentParser
import UWBCapture
import UWBDSP
import UWBSimulation

/// `uwb simulate`: a capture with known truth.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Make a capture with known truth.",
    discussion: """
      SCENARIOS
      \(Scenario.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

      EXAMPLE
        uwb simulate walk --out walk
      """)

  @Argument(help: "Scenario to simulate.")
  var scenario: String

  @Option(
    help: ArgumentHelp(
      "Capture to write: NAME.sigmf-meta and NAME.sigmf-data, or the archive NAME.sigmf.", valueName: "name"))
  var out: String

  @Option(help: "Seed of all random draws: the same seed gives the same bytes.")
  var seed: UInt64 = 1

  func run() throws {
    guard let chosen = Scenario.named(scenario) else {
      throw ValidationError(
        "There is no scenario “\(scenario)”. Known ones: \(Scenario.all.map(\.name).joined(separator: ", ")).")
    }
    let profile = DeviceProfile.ideal
    let header = CaptureHeader(
      format: "sigmf", profile: profile.name, array: chosen.array,
      notes: ["simulated by uwb simulate \(scenario) --seed \(seed)"])
    let writer = try createCapture(out, header: header, format: .sigmf)
    var progress = Progress(scenario, totalBytes: nil)
    defer { progress.finish() }
    for exchange in chosen.exchanges(profile: profile, seed: seed) {
      try writer.append(exchange)
      progress.update(bytes: 0, exchanges: exchange.index + 1)
    }
    try writer.finish()
  }
}
