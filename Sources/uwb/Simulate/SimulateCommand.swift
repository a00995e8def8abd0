import ArgumentParser
import NearbySimulation
import UWBCapture
import UWBDSP
import UWBSimulation

/// `uwb simulate`: a capture with known truth, or a room of devices and what their delegates are told.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Make a capture with known truth, or play a room of devices.",
    discussion: """
      SCENARIOS
      \(Scenario.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))
        FILE.yaml: a room, its devices and what happens (Documentation/reference/Scenarios.md)

      EXAMPLES
        uwb simulate walk --out walk
        uwb simulate Scenarios/two-phones.yaml --live --report room.html
        uwb simulate Scenarios/two-phones.yaml --out anna --device anna
      """)

  @Argument(help: ArgumentHelp("Scenario to simulate.", valueName: "name|file.yaml"))
  var scenario: String

  @Option(
    help: ArgumentHelp(
      "Capture to write: NAME.sigmf-meta and NAME.sigmf-data, or what an ending names (as for convert).",
      valueName: "name"))
  var out: String?

  @Flag(help: "Print the events of each device's delegate, one JSON object a line (scenario files).")
  var live = false

  @Option(help: ArgumentHelp("The device whose exchanges --out writes (scenario files).", valueName: "name"))
  var device: String?

  @Option(help: "With --live: recorded goes at the room's own pace, fast as quickly as it can.")
  var pace = Pace.fast

  @Option(
    help: "Seed of all random draws: the same seed gives the same bytes. 1, or the scenario file's own.",
    transform: OptionRange.reader(OptionRange.seed))
  var seed: UInt64?

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    guard live || page.report == nil else { throw ValidationError("--report shows what --live prints: give both.") }
    if ScenarioFile.isNamed(by: scenario) {
      guard live || out != nil else { throw ValidationError("Give --live, or --out and --device.") }
      guard (out == nil) == (device == nil) else { throw ValidationError("--out and --device go together.") }
    } else {
      guard !live, device == nil else { throw ValidationError("--live and --device need a scenario file.") }
      guard out != nil else { throw ValidationError("Missing expected argument '--out <name>'") }
    }
  }

  func run() async throws {
    let isRoom = ScenarioFile.isNamed(by: scenario)
    guard isRoom || Scenario.named(scenario) != nil else {
      throw Usage.unknown("scenario", scenario, Scenario.all.map(\.name))
    }
    let target = try out.map { try CaptureTarget($0) }
    try FileUse(files: [isRoom ? scenario : nil], outputs: (target?.files ?? []) + [page.report]).check()
    if isRoom {
      try await playRoom(into: target)
    } else if let chosen = Scenario.named(scenario), let target {
      try write(chosen, to: target)
    }
  }

  private func playRoom(into target: CaptureTarget?) async throws {
    let file = page.begin(captures: [scenario])
    var room = try ScenarioFile.read(scenario)
    if let seed { room.seed = seed }
    let apps = try ScriptedApps(room)
    var writer: (any CaptureWriter)?
    var failure: (any Error)?
    if let target, let device {
      guard let antennas = apps.room.scenario.devices.first(where: { $0.name == device })?.antennas else {
        throw ValidationError(
          "There is no device “\(device)”. There are: \(apps.room.deviceNames.prefix(20).joined(separator: ", ")).")
      }
      let array: AntennaArray = antennas == .single ? .single() : .lShaped()
      let made = try target.create(
        header: CaptureHeader(
          format: "sigmf", profile: DeviceProfile.ideal.name, array: array.layout,
          notes: ["simulated by uwb simulate \(scenario) --device \(device)"]))
      writer = made
      var count = 0
      apps.room.onExchange = { name, exchange in
        guard name == device, failure == nil else { return }
        var exchange = exchange
        exchange.index = count
        count += 1
        do { try made.append(exchange) } catch { failure = error }
      }
    }
    var progress = Progress(scenario, totalBytes: Int(room.duration.rounded(.up)), unit: "s")
    defer { progress.finish() }
    var output = LiveOutput(ByteOutput(), flushesEachLine: live && pace == .recorded)
    let isLive = live
    var report = file.map { LivePage($0, scenario: room.name) }
    let tell: (RoomEvent) -> Void = { event in
      progress.update(bytes: Int(event.time), exchanges: Int(event.time))
      guard isLive, failure == nil else { return }
      do { try output.write(event) } catch { failure = error }
      report?.add(event)
    }
    if live, pace == .recorded {
      await apps.play(speed: 1, tell)
    } else {
      apps.play(tell)
    }
    if let failure { throw failure }
    try output.finish()
    try writer?.finish()
    try report?.write()
  }

  private func write(_ chosen: Scenario, to target: CaptureTarget) throws {
    let seed = seed ?? 1
    let profile = DeviceProfile.ideal
    let header = CaptureHeader(
      format: "sigmf", profile: profile.name, array: chosen.array.layout,
      notes: ["simulated by uwb simulate \(scenario) --seed \(seed)"])
    let writer = try target.create(header: header)
    let exchanges = chosen.exchanges(profile: profile, seed: seed)
    var progress = Progress(scenario, totalBytes: exchanges.exchangeCount, unit: "simulated exchanges")
    defer { progress.finish() }
    for exchange in exchanges {
      try writer.append(exchange)
      progress.update(bytes: exchange.index + 1, exchanges: exchange.index + 1)
    }
    try writer.finish()
  }
}
