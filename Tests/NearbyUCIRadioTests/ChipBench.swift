import NearbyPorts
import NearbySession
import NearbyUCI
import NearbyUCIRadio
import UWBPlatform
import UWBTypes

/// A simulated chip in this process, on a thread of its own.
final class ChipBench: Sendable {
  let server: SimulatedChipServer
  let path: String

  /// - Parameter measure: what each round gives; by default 2 m straight ahead.
  init(
    at place: SimulatedChipServer.Place = .listening(.unix(ChipBench.freePath())),
    _ settings: SimulatedChip.Settings = SimulatedChip.Settings(),
    observe: SimulatedChip.Observe? = nil,
    measure: @escaping SimulatedChip.Measure = { _ in ChipBench.round(centimetres: 200) }
  ) async throws {
    let server = SimulatedChipServer(at: place) { SimulatedChip(settings, observe: observe, measure: measure) }
    self.server = server
    let (paths, continuation) = AsyncStream<String>.makeStream()
    try PortThread.start {
      try? server.run { continuation.yield($0) }
      continuation.finish()
    }
    path = await paths.first { _ in true } ?? ""
  }

  /// To be called at a test's end, which keeps the chip until then.
  func close() { server.close() }

  var address: PortAddress {
    get throws { try PortAddress(path) }
  }

  static func freePath() -> String { "/tmp/uwb-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock" }

  static func round(centimetres: UInt16) -> TwoWayMeasurement {
    var round = TwoWayMeasurement()
    round.rawDistance = centimetres
    round.azimuth = UCIAngle(degrees: 10, figureOfMerit: 50)
    round.elevation = UCIAngle(degrees: -5, figureOfMerit: 100)
    round.lineOfSight = .clear
    return round
  }

  static func parameters(id: UInt32, milliseconds: UInt32 = 10) -> [UCIParameter] {
    var ranging = UCIRangingParameters(
      sessionID: id, isController: true, address: 1, peers: [2], staticInitialVector: [1, 2, 3, 4, 5, 6])
    ranging.blockMilliseconds = milliseconds
    return ranging.parameters
  }
}

/// A connection that runs on a thread, and what it says.
struct RunningConnection: Sendable {
  let connection: UCIConnection
  let events: AsyncStream<UCIConnection.Event>

  init(_ address: PortAddress, settings: UCIConnection.Settings = UCIConnection.Settings()) throws {
    let connection = UCIConnection(address, settings: settings)
    let (events, continuation) = AsyncStream<UCIConnection.Event>.makeStream()
    self.connection = connection
    self.events = events
    try PortThread.start {
      try? connection.run { continuation.yield($0) }
      continuation.finish()
    }
  }
}
