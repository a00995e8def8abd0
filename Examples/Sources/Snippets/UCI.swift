// What the page on UCI shows.
import NearbyPorts
import NearbySession
import NearbyUCI
import NearbyUCIRadio

func openARadio() async throws -> NearbyHost {
  let radio = try await UCIRadio.open(.serial("/dev/ttyACM0"))
  let host = NearbyHost(radio: radio)
  return host
}

func readAndWritePackets(
  _ bytes: [UInt8], dialect: UCIDialect, handle: UInt32, ranging: UCIRangingParameters,
  show: ([TwoWayMeasurement]) -> Void, send: ([UInt8]) -> Void
) throws {
  var stream = UCIPacketStream(isSynchronized: false)
  var reassembler = UCIReassembler()
  for packet in stream.push(bytes) {
    guard let whole = try reassembler.push(packet), let decoded = try whole.decoded(in: dialect) else { continue }
    if let info = decoded.message as? SessionInfo, case .twoWay(let list) = info.measurements { show(list) }
  }
  var command = SetSessionConfiguration()
  command.token = handle
  command.parameters = ranging.parameters
  for packet in try command.packets(in: dialect) { send(try packet.bytes) }
}

protocol Port {
  func write(_ bytes: [UInt8])
}

func driveAChip(on port: some Port, bytes: [UInt8], at now: Double) {
  var driver = UCIDriver()
  for event in driver.open(at: now) + driver.receive(bytes, at: now) {
    switch event {
    case .send(let bytes): port.write(bytes)
    case .packet: print("a packet")
    case .ready: print("ready")
    case .info(let sessionID, let info): print(sessionID, info.sequence)
    case .started, .stopped, .failed, .dataFailed, .lost, .message, .unknown: break
    }
  }
}
