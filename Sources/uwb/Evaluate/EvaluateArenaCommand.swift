import ArgumentParser
import UWBBaselines
import UWBCapture
import UWBDSP
import UWBSimulation

/// `uwb evaluate arena`: first paths on random pulses, channels and impairments.
struct EvaluateArenaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "arena", abstract: "Score first-path estimators on random radios and channels.",
    discussion: """
      Each family of scenarios draws its radios, channels, impairments and noise from the seed. Errors are clipped at 4 taps; \
      `crossing_ratio` is the error over that of a crossing of 0.3 of the peak on sixteen-fold interpolated taps. A constant error \
      on one radio counts as antenna delay and is taken off. Use the tuned families to choose settings; the others only score. \
      Figures are the same for any number of threads.

      Rooms, with other signals or without, can be received by a row of two antennas or a square of four, half a wavelength apart; \
      azimuths are clipped at 45°. The crossing sees the first antenna alone.

      FAMILIES
        \(ArenaFamily.all.map(\.name).joined(separator: ", "))

      EXAMPLES
        uwb evaluate arena --families scored
        uwb evaluate arena --families room,soft --estimators default,rice-fit --trials 200
        uwb evaluate arena --families room,room-blocked --antennas 4
      """)

  @Option(
    help: ArgumentHelp(
      "default (that of the family's profile), all, or names separated by commas (see uwb estimators).",
      valueName: "names"))
  var estimators = "default"

  @Option(help: ArgumentHelp("tuned, scored, all, or names separated by commas.", valueName: "names"))
  var families = "all"

  @Option(
    help: ArgumentHelp(
      "Pulse that estimators use: learned (as replay does, from the trials' own CIRs), profile, calibrated (from other CIRs of the radio) or exact."
    ))
  var pulse = ArenaEvaluation.KnownPulse.learned

  @Option(help: ArgumentHelp("Antennas of the receiver: 1, 2 (a row) or 4 (a square).", valueName: "count"))
  var antennas = 1

  @Option(help: "Trials of each family.", transform: OptionRange.reader(OptionRange.trials))
  var trials = 1000

  @Option(help: "Seed of all random draws.", transform: OptionRange.reader(OptionRange.seed))
  var seed: UInt64 = 1

  @OptionGroup var options: EvaluationOptions

  @OptionGroup var page: ReportOptions

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    _ = try methods()
    guard [1, 2, 4].contains(antennas) else { throw ValidationError("--antennas \(antennas): 1, 2 or 4") }
    guard antennas == 1 || pulse == .learned else {
      throw ValidationError(
        "--pulse \(pulse.rawValue): several antennas learn theirs; leave --pulse or --antennas away")
    }
    guard try !chosenFamilies().isEmpty else {
      throw ValidationError(
        "--antennas \(antennas): no such family; choose from "
          + ArenaArrayTrials.families.map(\.name).joined(separator: ", "))
    }
  }

  func run() throws {
    let file = try page.begin(outputs: [])
    let methods = try methods()
    if antennas > 1 { return try runArrays(methods, file) }
    var rows: [ArenaEvaluation.Row] = []
    let families = try chosenFamilies()
    let ticker = TrialTicker(total: trials * families.count)
    defer { ticker.finish() }
    for family in families {
      let evaluation = ArenaEvaluation(family: family, methods: methods, pulse: pulse, trialCount: trials, seed: seed)
      ticker.begin(family.name)
      rows += evaluation.run(threads: options.threads) { ticker.add($0) }
    }
    var writer = EvaluationTableWriter(options.output, ByteOutput())
    try writer.write(ArenaTables.families(rows))
    try writer.write(ArenaTables.bars(rows))
    try file?.write(facts: [.estimators(ArenaPage.methods(rows))]) { ArenaPage(rows: rows).page($0) }
  }

  private func runArrays(_ methods: [DelayMethod?], _ file: ReportFile?) throws {
    let families = try chosenFamilies()
    let ticker = TrialTicker(total: trials * families.count * methods.count)
    defer { ticker.finish() }
    var rows: [ArenaArrayEvaluation.Row] = []
    for family in families {
      ticker.begin(family.name)
      for method in methods {
        let evaluation = ArenaArrayEvaluation(
          family: family, antennaCount: antennas, method: method, trialCount: trials, seed: seed)
        rows.append(evaluation.run(threads: options.threads) { ticker.add($0) })
      }
    }
    var writer = EvaluationTableWriter(options.output, ByteOutput())
    try writer.write(ArenaTables.arrays(rows))
    let used = rows.reduce(into: [DelayMethod]()) { if !$0.contains($1.method) { $0.append($1.method) } }
    try file?.write(facts: [.estimators(used)]) { ArenaArrayPage(rows: rows).page($0) }
  }

  private func methods() throws -> [DelayMethod?] {
    let known = DelayMethod.forSimulatedCIRs
    if estimators == "all" { return [nil] + known }
    return try estimators.split(separator: ",").map { name in
      name == "default" ? nil : try DelayMethod.named(name, in: known, beside: ["default"])
    }
  }

  private func chosenFamilies() throws -> [ArenaFamily] {
    let named = try namedFamilies()
    return antennas == 1 ? named : named.filter(ArenaArrayTrials.families.contains)
  }

  private func namedFamilies() throws -> [ArenaFamily] {
    if families == "all" { return ArenaFamily.all }
    if let use = ArenaFamily.Use(rawValue: families) { return ArenaFamily.all.filter { $0.use == use } }
    return try families.split(separator: ",").map { name in
      guard let family = ArenaFamily.named(String(name)) else {
        throw Usage.unknown("family", String(name), ["tuned", "scored", "all"] + ArenaFamily.all.map(\.name))
      }
      return family
    }
  }
}

extension ArenaEvaluation.KnownPulse: ExpressibleByArgument {}
