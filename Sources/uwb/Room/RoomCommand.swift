import ArgumentParser
import Foundation
import NearbyPorts
import NearbyRoom
import NearbySimulation
import UWBTypes

/// `uwb room`: simulated rooms for apps in several processes.
struct RoomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "room", abstract: "Serve a simulated room that apps in several processes join.",
    subcommands: [Serve.self])

  struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let apps in other processes range with each other in a simulated room.",
      discussion: """
        Each app joins as one of the file's devices by RemoteRoom, which is a radio for its NearbyHost \
        (Documentation/reference/NearbySession.md). The room goes on in real time until the program is interrupted; the file's sessions \
        and events are not played. Who comes and goes is printed, one JSON object a line. Whoever reaches the address may join: \
        give TCP an address that only your own programs reach.

        EXAMPLE
          uwb room serve Scenarios/two-phones.yaml --listen unix:/tmp/room
        """)

    @Argument(
      help: ArgumentHelp("The room and its devices (Documentation/reference/Scenarios.md).", valueName: "file.yaml"))
    var file: String

    @Option(
      help: ArgumentHelp(
        "Where apps join: unix:PATH, or tcp:HOST:PORT (port 0 takes a free one).", valueName: "address"))
    var listen: String

    @OptionGroup var messages: MessageOptions

    func run() async throws {
      let log = RoomLog()
      let server = try RoomServer(ScenarioFile.read(file)) { log.write($0) }
      let listener = try PortListener(PortAddress(listen))
      log.write(listening: listener.address)
      let time = Task { await server.run() }
      defer { time.cancel() }
      for try await port in listener.connections {
        Task { await server.serve(port) }
      }
    }
  }
}

/// What happens at a room's door, one JSON object a line. A reader that has gone ends nobody's visit.
final class RoomLog: Sendable {
  private struct Lines {
    let output = ByteOutput()
    var text = JSONText()
  }

  private let lines = StateLock(Lines())

  func write(listening address: PortAddress) {
    write("listening") { $0.add("address", "\(address)") }
  }

  func write(_ event: RoomServer.Event) {
    switch event {
    case .joined(let device): write("joined") { $0.add("device", device) }
    case .refused(let error): write("refused") { $0.add("reason", "\(error)") }
    case .left(let device, let error):
      write("left") {
        $0.add("device", device)
        $0.add("reason", error.map { "\($0)" })
      }
    }
  }

  private func write(_ event: String, _ add: (inout JSONText) -> Void) {
    lines.withLock { lines in
      lines.text.begin()
      lines.text.add("event", event)
      add(&lines.text)
      lines.text.end()
      let bytes = lines.text.bytes
      do {
        try lines.output.write { $0.append(contentsOf: bytes) }
        try lines.output.flush()
      } catch {
        Message.write("Error: \(error)")
      }
    }
  }
}
