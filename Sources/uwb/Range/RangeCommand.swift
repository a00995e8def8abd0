import ArgumentParser
import NearbyPorts
import NearbyUCIRadio
import UWBCapture

/// `uwb range`: a UCI radio, live.
struct RangeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "range", abstract: "Range with a UCI radio, and print its measurements live.",
    discussion: """
      Prints the events of uwb replay. When the radio is unplugged, the program waits for it and then goes on. --record saves the \
      traffic, from which uwb replay prints the same events. Ctrl-C stops the radio and completes the output.

      EXAMPLES
        uwb range /dev/ttyACM0 --peer 0001 --rate 10
        uwb range unix:/tmp/radio --count 100 --record walk.pcapng
        uwb range tcp:localhost:7000 --role controlee --param sts-iv=010203040506
      """)

  @Argument(help: ArgumentHelp("A serial device, unix:PATH or tcp:HOST:PORT.", valueName: "device"))
  var device: String

  @OptionGroup var parameters: RangeParameters

  @Option(
    help: ArgumentHelp("Stop after so many events of rounds.", valueName: "n"),
    transform: OptionRange.reader(1...Int.max))
  var count: Int?

  @Option(help: ArgumentHelp("Record what passes between the host and the radio (pcapng).", valueName: "file"))
  var record: String?

  @Option(help: ArgumentHelp("Speed of a serial device, Bd.", valueName: "bd"))
  var speed = 115_200

  @OptionGroup var messages: MessageOptions

  func run() throws {
    let address: PortAddress
    do {
      address = try PortAddress(device)
    } catch {
      throw ValidationError("\(error)")
    }
    let session = try parameters.makeSession()
    try FileUse(outputs: [record]).check()
    var settings = UCIConnection.Settings()
    settings.speed = speed
    let run = try RangeRun(device: device, record: record, count: count)
    let connection = UCIConnection(address, settings: settings)
    connection.start(session.id, parameters: session.parameters)
    try Interruption.finishing {
      try connection.run(isEnded: { Interruption.isRequested || run.isDone }) { try run.take($0) }
      try run.finish()
    }
  }
}
