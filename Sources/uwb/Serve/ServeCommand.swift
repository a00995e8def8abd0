import ArgumentParser
import Foundation
import NearbyPorts
import Synchronization
import UWBCapture
import UWBLive
import UWBTypes

/// `uwb serve`: a live page.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve a live page of a capture, a pipe, a radio or a simulated room.",
    discussion: """
      Prints the page's address. Captures go at their recorded pace, - as it comes. GET /events is the ndjson stream from now on, GET \
      /metrics counts for Prometheus. The page stays when the stream has ended, until Ctrl-C. Nobody is asked for a password: \
      without --host, only programs of this machine reach it.

      EXAMPLES
        uwb serve 11.log
        cat /dev/ttyACM0 | uwb serve -
        uwb serve /dev/ttyACM0 --peer 0001 --rate 10
        uwb serve Scenarios/crowd.yaml --port 8081
        uwb serve --describe home-assistant --peer 0001
      """)

  @Argument(
    help: ArgumentHelp(
      "A capture; - for standard input; a UCI radio (a serial device, unix:PATH or tcp:HOST:PORT); or a scenario file.",
      valueName: "capture|device|file.yaml|-"))
  var source: String?

  @Option(help: ArgumentHelp("Address to listen on.", valueName: "address"))
  var host = "127.0.0.1"

  @Option(help: "Port to listen on; 0 takes a free one.", transform: OptionRange.reader(0...65_535))
  var port = 8080

  @Option(help: ArgumentHelp("The device whose view comes first (scenario files).", valueName: "name"))
  var device: String?

  @Flag(help: "End when the stream has ended.")
  var exitAtEnd = false

  @Option(
    help: ArgumentHelp(
      "Print a message for another program and end: home-assistant, the MQTT discovery message of --peer.",
      valueName: "program"))
  var describe: Described?

  @Option(help: ArgumentHelp("With --describe: the MQTT topic of the stream.", valueName: "topic"))
  var topic = "uwb/events"

  @OptionGroup(title: "Options of radios") var radio: RangeParameters
  @OptionGroup var engine: EngineOptions
  @OptionGroup var poses: PoseOptions

  enum Described: String, ExpressibleByArgument, CaseIterable {
    case homeAssistant = "home-assistant"
  }

  /// Starts the HTTP server. The program sets it; who links the verbs alone has none.
  static let server = Mutex<StartLiveServer?>(nil)

  func validate() throws {
    if (source == nil) == (describe == nil) { throw ValidationError("Give a source, or --describe.") }
    if device != nil, !ScenarioFile.isNamed(by: source ?? "") {
      throw ValidationError("--device goes with a scenario file.")
    }
    guard !topic.isEmpty, topic.allSatisfy({ $0.isASCII && !"#+\"\\\u{7F}".contains($0) && $0 > " " }) else {
      throw ValidationError("“\(topic)” is no MQTT topic: give letters, digits and /.")
    }
  }

  func run() throws {
    guard let source else {
      let peers = radio.peers.map { "\(DeviceAddress(rawValue: UInt64($0)))" }
      return try ByteOutput.write("\(HomeAssistant(topic: topic, peers: peers).discovery)\n")
    }
    try FileUse(captures: [source], files: engine.files + [poses.pose]).check()
    // A scenario or a radio is told wrong before anything listens. A pipe's first exchange may be long in coming.
    var stream = source == "-" ? nil : try stream(source)
    let feed = LiveFeed(stream?.state ?? LiveState(title: "standard input", kind: .pipe, devices: ["-"]))
    try Interruption.finishing {
      let server = try start(feed)
      defer { server.stop() }
      do {
        var running = try stream ?? LiveReplay(source, engine: engine, poses: poses.table())
        stream = nil
        try running.run(into: feed)
        feed.change { $0.finish(Interruption.isRequested ? "The program was interrupted." : "The stream has ended.") }
      } catch {
        feed.change { $0.finish("\(error)") }
        if exitAtEnd || Interruption.isRequested { throw error }
        Message.write("Error: \(error)")
        wait()
        throw ExitCode(1)
      }
      wait()
    }
  }

  private func stream(_ source: String) throws -> any LiveStream {
    do {
      switch try LiveSource(source) {
      case .replay(let path):
        try engine.checkStrictly([path])
        return try LiveReplay(path, engine: engine, poses: poses.table())
      case .radio(let address): return LiveRadio(address, parameters: radio)
      case .room(let path): return try LiveRoom(path, device: device)
      }
    } catch let error as PortError {
      throw ValidationError("\(error)")
    }
  }

  private func start(_ feed: LiveFeed) throws -> any LiveServing {
    guard let start = Self.server.withLock({ $0 }) else { throw NoServer() }
    var settings = LiveServerSettings()
    settings.host = host
    settings.port = port
    let server = try start(feed, settings)
    let address = host.contains(":") ? "[\(host)]" : host
    var text = JSONText()
    text.begin()
    text.add("event", "listening")
    text.add("address", "http://\(address):\(server.port)/")
    text.end()
    try ByteOutput.write(String(decoding: text.bytes, as: UTF8.self))
    if !["127.0.0.1", "::1", "localhost"].contains(host) {
      Message.warn("whoever reaches \(host), port \(server.port), can read the stream.")
    }
    return server
  }

  private func wait() {
    while !exitAtEnd, !Interruption.isRequested { Interruption.sleep(seconds: 3600) }
  }
}

/// Why nothing is served.
private struct NoServer: Error, CustomStringConvertible {
  let description = "This build has no HTTP server. Run the program uwb."
}
