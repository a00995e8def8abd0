import ArgumentParser
import Foundation
import NearbyPorts
import NearbyUCI
import NearbyUCIRadio
import UWBCapture

extension SimulatedDiagnostics.Layout: ExpressibleByArgument {}

/// `uwb radio`: radios made by this program.
struct RadioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "radio", abstract: "Simulate a UCI radio, for programs that use one.", subcommands: [Simulate.self])

  struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A UCI radio on a pseudo-terminal or socket that ranges in a simulated room.",
      discussion: """
        Prints its path, and ranges with any peer that a session names. Without a scenario peers walk round the radio. With one, the radio is the \
        first device, or --device, and peer n is the n-th of the others. It ends with Ctrl-C.

        EXAMPLES
          uwb radio simulate --pty
          uwb radio simulate --listen unix:/tmp/radio --scenario Scenarios/two-phones.yaml
          uwb radio simulate --listen unix:/tmp/radio --diagnostics qorvo
        """)

    @Flag(help: "A pseudo-terminal, which programs open as a serial device. This is the default.")
    var pty = false

    @Option(help: ArgumentHelp("With --pty: a link to the device, with the same path each time.", valueName: "path"))
    var link: String?

    @Option(help: ArgumentHelp("Listen on unix:PATH or tcp:HOST:PORT.", valueName: "address"))
    var listen: String?

    @Option(help: ArgumentHelp("Scenario file: the room and its devices.", valueName: "file.yaml"))
    var scenario: String?

    @Option(help: ArgumentHelp("With --scenario: the device whose radio this is.", valueName: "name"))
    var device: String?

    @Option(
      help: ArgumentHelp("Unplug the radio each time after so many seconds.", valueName: "s"),
      transform: OptionRange.reader(OptionRange.seconds))
    var unplugEvery: Double?

    @Option(
      help: ArgumentHelp("How long the radio is unplugged.", valueName: "s"),
      transform: OptionRange.reader(OptionRange.seconds))
    var unplugFor = 2.0

    @Option(
      help: ArgumentHelp(
        "Send diagnostics with a window of the impulse response of each frame, laid out as android or qorvo.",
        discussion: "The radio then reports no line of sight of its own, as chips do.", valueName: "layout"))
    var diagnostics: SimulatedDiagnostics.Layout?

    @Option(
      help: "With --diagnostics: taps of a window, 16 to 64.", transform: OptionRange.reader(ChipWindows.tapCounts))
    var windowTaps = 32

    @Option(help: "Seed of the noise.", transform: OptionRange.reader(OptionRange.seed))
    var seed: UInt64 = 1

    @OptionGroup var messages: MessageOptions

    func validate() throws {
      if pty, listen != nil { throw ValidationError("Give --pty or --listen, not both.") }
      if link != nil, listen != nil { throw ValidationError("--link goes with --pty.") }
      if device != nil, scenario == nil { throw ValidationError("--device needs a --scenario.") }
    }

    func run() throws {
      let place: SimulatedChipServer.Place
      do {
        place = try listen.map { .listening(try PortAddress($0)) } ?? .pseudoTerminal(link: link)
      } catch {
        throw ValidationError("\(error)")
      }
      let windows = diagnostics == nil ? nil : ChipWindows(tapCount: windowTaps)
      let world = try ChipWorld(scenario: scenario, device: device, windows: windows, seed: seed)
      var settings = SimulatedChip.Settings()
      if let diagnostics { settings.diagnostics = diagnostics }
      let observe: SimulatedChip.Observe? = windows == nil ? nil : { @Sendable in world.observe($0) }
      let server = SimulatedChipServer(at: place) { [settings] in
        SimulatedChip(settings, observe: observe) { world.measure($0) }
      }
      try PortThread.start { [unplugEvery, unplugFor] in Self.attend(server, every: unplugEvery, for: unplugFor) }
      try Interruption.finishing {
        do {
          // Told each time: a pseudo-terminal without a link is another one after it was unplugged.
          try server.run { try ByteOutput.write("\($0)\n") }
        } catch let error as PortError {
          throw CaptureError(
            file: listen ?? "--pty", problem: "\(error)", remedy: "Give a path that is free, in a folder that is there."
          )
        }
      }
    }

    /// Unplugs and plugs, and ends the server where the program is to end.
    private static func attend(_ server: SimulatedChipServer, every: Double?, for length: Double) {
      while !Interruption.isRequested {
        Interruption.sleep(seconds: every ?? 1e6)
        guard every != nil, !Interruption.isRequested else { continue }
        server.unplug()
        Interruption.sleep(seconds: length)
        server.plug()
      }
      server.close()
    }
  }
}
